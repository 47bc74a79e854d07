import { systemClock } from '../adapters/clock/system.ts';
import { consoleChat } from '../adapters/console/chat.ts';
import { connect } from '../adapters/kubernetes/connect.ts';
import type { Config } from '../config.ts';
import type { Log } from '../runtime/log.ts';
import { keepBeside, leaveConnection } from './connection.ts';
import { startGleaner } from './gleaner.ts';
import { liveConfig } from './live-config.ts';
import { startPlayground, YOU } from './playground.ts';
import { servePage } from './serve.ts';
import type { Settings } from './settings.ts';
import { connectSlack } from './slack.ts';

/** Something that runs until it is stopped. */
export interface Running {
  readonly link: string;
  stop(): Promise<void>;
}

/** Starts what the settings say, prints the page's link, and runs until stopped. */
export async function start(settings: Settings, print: (line: string) => void, log: Log): Promise<Running> {
  return settings.isPlayground ? playground(settings, print, log) : follow(settings, print, log);
}

const COMMANDS = 'Or decide from another terminal: gleaner status, gleaner incidents, gleaner show ID';

async function playground(
  { config, speed, slack: settings, guests }: Settings,
  print: (line: string) => void,
  log: Log,
): Promise<Running> {
  const slack = settings && connectSlack({ settings, channelOf: () => config.slack.channel, speed, log });
  const { gleaner, stop } = await startPlayground({ speed, log, chats: [consoleChat(print)], slack, guests });
  const page = await servePage(gleaner, { ...config.page, as: YOU, log, trouble: () => slack?.trouble() });
  const leave = leaveConnection(config.state, page.connection, { yields: true });
  print(`Gleaner's playground: two pretend clusters, ${speed} times faster than life. Nothing real is touched.`);
  print(`Open ${page.link}`);
  print(leave ? COMMANDS : 'Another Gleaner runs here, and the commands are for that one.');
  return {
    link: page.link,
    async stop() {
      leave?.();
      await page.stop();
      await stop();
    },
  };
}

async function follow(
  { config, file, slack: settings }: Settings,
  print: (line: string) => void,
  log: Log,
): Promise<Running> {
  const clusters = await Promise.all(config.clusters.map((cluster) => join(cluster, print, log)));
  for (const because of twice(clusters)) throw new Error(because);
  const live = liveConfig(config, file, systemClock, log);
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const slack = settings && connectSlack({ settings, channelOf: live.channelOf(nameOf), log });
  const gleaner = startGleaner({
    clusters: clusters.map(live.held),
    rules: live.rules(nameOf),
    slack,
    ...{ clock: systemClock, wall: systemClock, state: config.state, keep: config.keep, log },
    chats: [consoleChat(print)],
    configurationTrouble: live.trouble,
  });
  const keep = keepBeside(config.state, (because) => log.warn({}, because));
  const page = await servePage(gleaner, { ...config.page, log, keep, trouble: () => slack?.trouble() });
  // The state's lock is ours by now: whoever else left something there is gone, or a playground.
  const leave = leaveConnection(config.state, page.connection, { yields: false });
  for (const { name, flavour, does } of clusters) {
    print(
      `Following ${name} (${flavour}), ${does === 'observe' ? 'observing only: nothing is touched' : 'applying what is approved'}`,
    );
  }
  print(`Open ${page.link}`);
  print(COMMANDS);
  return {
    link: page.link,
    async stop() {
      leave?.();
      live.stop();
      await page.stop();
      await gleaner.stop();
    },
  };
}

/** Why two names of the configuration must not be one cluster: what its policy says of the one would not hold for the other. */
export function twice(clusters: readonly { readonly id: string; readonly name: string }[]): string[] {
  return clusters.flatMap(({ id, name }, index) => {
    const first = clusters.findIndex((one) => one.id === id);
    if (first === index) return [];
    return [
      `${clusters[first]?.name} and ${name} are one cluster: name it once, for each name may have another policy`,
    ];
  });
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
