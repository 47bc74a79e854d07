import { systemClock } from '../adapters/clock/system.ts';
import { consoleChat } from '../adapters/console/chat.ts';
import { connect } from '../adapters/kubernetes/connect.ts';
import type { Config } from '../config.ts';
import type { Log } from '../runtime/log.ts';
import { startGleaner } from './gleaner.ts';
import { liveConfig } from './live-config.ts';
import { startPlayground, YOU } from './playground.ts';
import { servePage } from './serve.ts';
import type { Settings } from './settings.ts';

/** Something that runs until it is stopped. */
export interface Running {
  readonly link: string;
  stop(): Promise<void>;
}

/** Starts what the settings say, prints the page's link, and runs until stopped. */
export async function start(settings: Settings, print: (line: string) => void, log: Log): Promise<Running> {
  return settings.isPlayground ? playground(settings, print, log) : follow(settings, print, log);
}

async function playground({ config, speed }: Settings, print: (line: string) => void, log: Log): Promise<Running> {
  const { gleaner, stop } = await startPlayground({ speed, log, chats: [consoleChat(print)] });
  const page = await servePage(gleaner, { ...config.page, as: YOU });
  print(`Gleaner's playground: two pretend clusters, ${speed} times faster than life. Nothing real is touched.`);
  print(`Open ${page.link}`);
  return {
    link: page.link,
    async stop() {
      await page.stop();
      await stop();
    },
  };
}

async function follow({ config, file }: Settings, print: (line: string) => void, log: Log): Promise<Running> {
  const clusters = await Promise.all(config.clusters.map((cluster) => join(cluster, print, log)));
  const live = liveConfig(config, file, systemClock, log);
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  const gleaner = startGleaner({
    clusters,
    rules: live.rules((id) => names.get(id) ?? id),
    ...{ clock: systemClock, wall: systemClock, state: config.state, log },
    chats: [consoleChat(print)],
    configurationTrouble: live.trouble,
  });
  const page = await servePage(gleaner, config.page);
  for (const { name, flavour, does } of clusters) {
    print(
      `Following ${name} (${flavour}), ${does === 'observe' ? 'observing only: nothing is touched' : 'applying what is approved'}`,
    );
  }
  print(`Open ${page.link}`);
  return {
    link: page.link,
    async stop() {
      live.stop();
      await page.stop();
      await gleaner.stop();
    },
  };
}

async function join(cluster: Config['clusters'][number], print: (line: string) => void, log: Log) {
  const { name, kubeconfig, context, servers, mode } = cluster;
  const warn = (because: string) => {
    log.warn({ cluster: name }, because);
    print(`${name}: ${because}`);
  };
  const connected = await connect({ name, servers, does: mode, clock: systemClock, warn, kubeconfig, context });
  for (const caution of await connected.cautions()) warn(caution);
  return connected;
}
