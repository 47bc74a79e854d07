import { FUNCTIONS, QUEUED } from '../../../infra/aws/functions.ts';
import { patterns } from '../../../infra/aws/patterns.ts';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import type { Registered } from '../../../shared/model.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { type ShiftedClock, shiftedClock } from '../../cluster/journeys/shifted-clock.ts';
import { CHANNEL, type SlackDouble, startSlack } from '../../doubles/slack/index.ts';
import { dynamodbBed, freshTable, LOCAL, storeAt } from '../bed/dynamodb.ts';
import { type FaultProxy, faultProxy } from '../bed/fault-proxy.ts';
import { type FakeBus, fakeBus } from '../events/fake-bus.ts';
import { poll } from '../events/poller.ts';
import { BatchResponse } from './batch-response.ts';
import { bundleOf } from './bundles.ts';
import { type FakeSsm, fakeSsm } from './fake-ssm.ts';
import { httpApi } from './http-api.ts';
import { guarded } from './iam.ts';
import { type Lambda, lambda } from './lambda.ts';

/** How much of the time passes between two looks at the queues. */
const STEP = 5_000;
const MINUTE = 60_000;
/** How many invocations are cut off, and how long most of them take at most, in milliseconds. */
const CUT_OFF = 0.15;
const LONG = 150;

type FunctionName = keyof typeof FUNCTIONS;

/** The stack, deployed on one machine: the packaged bundles, and a double of every service that they talk to. */
export interface Cloud {
  readonly clock: ShiftedClock;
  readonly slack: SlackDouble;
  readonly ssm: FakeSsm;
  readonly bus: FakeBus;
  readonly dynamodb: FaultProxy;
  readonly store: Store;
  readonly functions: Readonly<Record<FunctionName, Lambda>>;
  /** What a function asked for and its role did not allow. */
  readonly refused: readonly string[];
  /** How many invocations were cut off. */
  mishaps(): number;
  register(cluster: Omit<Registered, 'schema' | 'registeredAt'>, kubeconfig: string): Promise<void>;
  /** Lets the stack run, and time pass, until `probe` gives something. */
  until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined, minutes?: number): Promise<T>;
  stop(): Promise<void>;
}

export interface CloudOptions {
  readonly config: string;
  /** Duplicates, disorder, partial failures, throttling, lost answers on the bus and its queues. */
  readonly chance?: () => number;
  /** Now and then a function is ended in the middle of an invocation: its batch comes again when it is not hidden any more. */
  readonly cutOff?: () => number;
}

export async function startCloud({ config, chance, cutOff }: CloudOptions): Promise<Cloud> {
  const clock = shiftedClock();
  const shift = new SharedArrayBuffer(8);
  const bed = await dynamodbBed();
  const [table, dynamodb, ssm, slack, bus] = await Promise.all([
    freshTable(bed),
    faultProxy(bed.endpoint),
    fakeSsm(),
    startSlack({ clock }),
    fakeBus({
      ...{ bus: 'gleaner', now: clock.now, ...(chance && { chance }) },
      rules: JSON.parse(JSON.stringify(patterns())),
    }),
  ]);
  const { store, client } = storeAt(bed.endpoint, table, { machine: clock });
  ssm.put('/gleaner/test/gleaner.yaml', config);
  ssm.put('/gleaner/test/slack-bot-token', slack.botToken);
  ssm.put('/gleaner/test/slack-signing-secret', slack.signingSecret);
  const refused: string[] = [];
  const guards = await Promise.all(
    [dynamodb.endpoint, ssm.endpoint, new URL(bus.url('classify')).origin].map((service) =>
      guarded(service, (what) => void refused.push(what)),
    ),
  );
  const [ofStore = '', ofSsm = '', ofBus = ''] = guards.map(({ url }) => url);
  const places = { table, store: ofStore, ssm: ofSsm, bus: ofBus, slack: slack.apiUrl };
  const functions = await deployed(places, shift);
  const api = await httpApi(functions.interact);
  slack.target = api.url;
  let cuts = 0;
  let tickedAt = clock.now().getTime();

  /** Everything that is due, and what comes of it. */
  async function drain(): Promise<void> {
    for (let found = true; found; ) {
      const polled = await Promise.all(
        QUEUED.map((hop) =>
          poll(bus, hop, (batch) => handled(functions[hop], batch))
            // A function that was cut off has reported nothing: its batch comes again.
            .catch(() => false),
        ),
      );
      found = polled.some(Boolean);
    }
  }

  async function handled(one: Lambda, batch: unknown) {
    const response = one.invoke(batch);
    if (cutOff && cutOff() < CUT_OFF) {
      systemClock.after(cutOff() * LONG, () => {
        if (one.isBusy()) cuts += 1;
        void one.cutOff();
      });
    }
    return BatchResponse.parse(await response);
  }

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    Atomics.store(new BigInt64Array(shift), 0, BigInt(clock.ahead()));
    dynamodb.skew(clock.ahead());
    if (clock.now().getTime() - tickedAt < MINUTE) return;
    tickedAt = clock.now().getTime();
    const time = `${clock.now().toISOString().slice(0, 19)}Z`;
    await functions.sweep.invoke({ source: 'aws.events', id: `tick-${tickedAt}`, time }).catch(() => undefined);
  }

  return {
    ...{ clock, slack, ssm, bus, dynamodb, store, functions, refused },
    mishaps: () => cuts,
    async register(cluster, kubeconfig) {
      const name = `/gleaner/test/clusters/${cluster.name}`;
      ssm.put(name, kubeconfig);
      const registeredAt = clock.now().toISOString();
      await store.put('cluster', { schema: 1, ...cluster, kubeconfig: name, registeredAt }, 0);
    },
    async until(what, probe, minutes = 60) {
      const deadline = clock.now().getTime() + minutes * MINUTE;
      let last = 'the answer was "not yet" each time';
      while (clock.now().getTime() < deadline) {
        await drain();
        try {
          const answer = await probe();
          if (answer !== undefined) return answer;
        } catch (error) {
          last = String(error);
        }
        await pass(STEP);
      }
      throw new Error(`waited ${minutes} minutes in vain: ${what} (${last})\n${tail(functions)}`);
    },
    async stop() {
      await Promise.all(Object.values(functions).map((one) => one.cutOff()));
      await Promise.all([
        ...guards.map(({ close }) => close()),
        api.close(),
        bus.close(),
        ssm.close(),
        slack.stop(),
        dynamodb.end(),
      ]);
      client.destroy();
    },
  };
}

interface Places {
  readonly table: string;
  readonly store: string;
  readonly ssm: string;
  /** Of the bus and of the queues. */
  readonly bus: string;
  readonly slack: string;
}

/** What serverless.yml sets for a function, and where the SDKs find the doubles by variables of their own. */
function environment(name: FunctionName, { table, store, ssm, bus, slack }: Places): Record<string, string> {
  const isNamed = (hop: string) => hop === name || FUNCTIONS[name].delays.some((one) => one === hop);
  const queue = (of: string) => `${bus}/000000000000/${of}`;
  return {
    // The key by which the services know whose role it is.
    ...{ AWS_REGION: LOCAL.region, AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: 'secret' },
    ...{ AWS_ENDPOINT_URL_DYNAMODB: store, AWS_ENDPOINT_URL_SSM: ssm },
    ...{ AWS_ENDPOINT_URL_EVENTBRIDGE: bus, AWS_ENDPOINT_URL_SQS: bus },
    ...{ GLEANER_STAGE: 'test', GLEANER_TABLE: table, GLEANER_BUS: 'gleaner' },
    GLEANER_CONFIG: '/gleaner/test/gleaner.yaml',
    GLEANER_WATCHER_KEYS: '/gleaner/test/watcher-keys',
    GLEANER_SLACK_TOKEN: '/gleaner/test/slack-bot-token',
    GLEANER_SLACK_SECRET: '/gleaner/test/slack-signing-secret',
    GLEANER_SLACK_SECRET_FORMER: '/gleaner/test/slack-signing-secret-former',
    ...{ SLACK_API_URL: slack, SLACK_CHANNEL: CHANNEL, GLEANER_DEAD_LETTERS: queue(`${name}-dead`) },
    ...Object.fromEntries(QUEUED.filter(isNamed).map((hop) => [`GLEANER_QUEUE_${hop.toUpperCase()}`, queue(hop)])),
  };
}

/** Every function of the stack. */
async function deployed(places: Places, shift: SharedArrayBuffer): Promise<Record<FunctionName, Lambda>> {
  const one = async (name: FunctionName) =>
    lambda({
      ...{ bundle: await bundleOf(name), shift, timeout: FUNCTIONS[name].timeout * 1_000 },
      env: environment(name, places),
    });
  const [classify, propose, notify] = [await one('classify'), await one('propose'), await one('notify')];
  const [decide, apply, verify] = [await one('decide'), await one('apply'), await one('verify')];
  const [sweep, interact, ingest] = [await one('sweep'), await one('interact'), await one('ingest')];
  return { classify, propose, notify, decide, apply, verify, sweep, interact, ingest };
}

/** The last that the functions said, for a journey that does not arrive. */
const tail = (functions: Cloud['functions']) =>
  Object.entries(functions)
    .flatMap(([name, { log }]) =>
      log
        .filter((line) => !line.includes('heartbeats'))
        .slice(-6)
        .map((line) => `${name}: ${line.slice(0, 500)}`),
    )
    .join('\n');
