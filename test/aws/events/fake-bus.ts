import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { eventBridgeClient } from '../../../shared/adapters/eventbridge/client.ts';
import { sqsClient } from '../../../shared/adapters/sqs/client.ts';
import type { Json } from '../../../shared/handler.ts';
import { fakeEventBridge } from './fake-eventbridge.ts';
import { FakeQueue } from './fake-queue.ts';
import { type Answer, fakeSqs, refused } from './fake-sqs.ts';

/** What befalls one request. `lost`: it is carried out, and its answer does not arrive. */
export type Mishap =
  | { readonly is: 'error'; readonly status: number; readonly code: string }
  | { readonly is: 'reset' }
  | { readonly is: 'lost' }
  /** Single entries of a batch fail, by index. */
  | { readonly is: 'partial'; readonly entries: readonly number[]; readonly code: string };

export interface FakeBusOptions {
  readonly bus: string;
  /** The pattern of each queue's rule; the queue of the dead letters is made beside it. */
  readonly rules: Readonly<Record<string, Json>>;
  readonly now: () => Date;
  readonly visibility?: number;
  readonly maxReceives?: number;
  /** Duplicates, disorder, forgotten deletes, throttling, partial failures, lost answers: all that the services may do. */
  readonly chance?: () => number;
}

/** EventBridge and SQS on a loopback port, for the unmodified SDK clients. */
export interface FakeBus {
  readonly events: EventBridgeClient;
  readonly sqs: SQSClient;
  url(queue: string): string;
  queue(name: string): FakeQueue;
  /** Befalls the next request of an action, such as `PutEvents`; several, one after the other. */
  next(action: string, ...mishaps: readonly Mishap[]): void;
  /** Every request so far, with its input as it came. */
  readonly requests: readonly { readonly action: string; readonly input: unknown }[];
  close(): Promise<void>;
}

const CREDENTIALS = { accessKeyId: 'fake', secretAccessKey: 'fake' };

export async function fakeBus({
  bus,
  rules,
  now,
  visibility = 120,
  maxReceives = 60,
  chance,
}: FakeBusOptions): Promise<FakeBus> {
  const at = () => now().getTime();
  const queues = new Map<string, FakeQueue>();
  for (const name of Object.keys(rules)) {
    const deadLetters = new FakeQueue({ name: `${name}-dead`, visibility }, at);
    queues.set(deadLetters.settings.name, deadLetters);
    queues.set(name, new FakeQueue({ name, visibility, maxReceives, deadLetters }, at, chance));
  }
  const queue = (name: string) => queues.get(name) ?? fail(`there is no queue ${name}`);
  const targets = Object.entries(rules).map(([name, pattern]) => ({ pattern, queue: queue(name) }));
  const sqs = fakeSqs(queues);
  const events = fakeEventBridge(targets, bus, at, chance);
  const mishaps = new Map<string, Mishap[]>();
  const requests: { action: string; input: unknown }[] = [];

  function answer(action: string, input: unknown, mishap: Mishap | undefined): Answer {
    if (mishap?.is === 'error') return refused(mishap.code, 'as ordered', mishap.status);
    const refuse = new Map(mishap?.is === 'partial' ? mishap.entries.map((index) => [index, mishap.code]) : []);
    return action === 'PutEvents' ? events(input, refuse) : sqs(action, input, refuse);
  }

  const server = createServer(async (request, response) => {
    const action = actionOf(request);
    const input: unknown = JSON.parse(await text(request));
    requests.push({ action, input });
    const mishap = mishaps.get(action)?.shift() ?? byChance(action, chance);
    if (mishap?.is === 'reset') return void request.socket.destroy();
    const { status, json } = answer(action, input, mishap);
    if (mishap?.is === 'lost') return void request.socket.destroy();
    response.writeHead(status, { 'content-type': request.headers['content-type'] ?? 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(json));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${portOf(server.address())}`;
  const config = { endpoint, region: 'eu-central-1', credentials: CREDENTIALS };
  const clients = { events: eventBridgeClient(config), sqs: sqsClient(config) };

  return {
    ...clients,
    queue,
    requests,
    url: (name) => `${endpoint}/000000000000/${name}`,
    next: (action, ...more) => void mishaps.set(action, [...(mishaps.get(action) ?? []), ...more]),
    async close() {
      clients.events.destroy();
      clients.sqs.destroy();
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}

/** `x-amz-target: AWSEvents.PutEvents`. */
const actionOf = ({ headers }: IncomingMessage) =>
  String(headers['x-amz-target'] ?? '')
    .split('.')
    .at(-1) ?? '';
const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address !== null ? address.port : fail('the fake does not listen');

function byChance(action: string, chance: (() => number) | undefined): Mishap | undefined {
  if (!chance || !/^(PutEvents|SendMessageBatch)$/.test(action)) return undefined;
  const roll = chance();
  if (roll < 0.04) return { is: 'error', status: 400, code: 'ThrottlingException' };
  if (roll < 0.08) return { is: 'error', status: 503, code: 'ServiceUnavailable' };
  if (roll < 0.12) return { is: 'lost' };
  return roll < 0.2 ? { is: 'partial', entries: [0], code: 'InternalFailure' } : undefined;
}

function fail(because: string): never {
  throw new Error(because);
}
