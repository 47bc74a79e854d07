import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PRICES } from '../../infra/aws/prices.ts';
import { dynamodbStore } from '../../shared/adapters/dynamodb/store.ts';
import { storeClock } from '../../shared/adapters/dynamodb/store-clock.ts';
import { TABLE } from '../../shared/adapters/dynamodb/table.ts';
import { entryOf, sizeOf } from '../../shared/adapters/eventbridge/entry.ts';
import { lineOf } from '../../shared/audit.ts';
import { ROUTES } from '../../shared/flow/routes.ts';
import type { Event, Fact, Outgoing } from '../../shared/model.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Store } from '../../shared/ports/store.ts';

/** What something took, on AWS. Everything in it can be added up. */
export interface Usage {
  /** Deliveries to a hop: each is a message of its own here, and each message an invocation. */
  deliveries: number;
  /** Milliseconds of a whole processor. */
  cpu: number;
  /** Billed events of the bus. */
  events: number;
  /** Requests to SQS. */
  messages: number;
  /** Units of DynamoDB, and how many requests they were. */
  reads: number;
  writes: number;
  storeRequests: number;
  /** Requests to a cluster's API server, and to Slack. */
  clusterRequests: number;
  slackRequests: number;
}

export const nothing = (): Usage => ({
  ...{ deliveries: 0, cpu: 0, events: 0, messages: 0, reads: 0, writes: 0 },
  ...{ storeRequests: 0, clusterRequests: 0, slackRequests: 0 },
});

export function add(to: Usage, more: Usage): void {
  for (const key of keys) to[key] += more[key];
}
const keys = [
  ...(['deliveries', 'cpu', 'events', 'messages', 'reads', 'writes'] as const),
  ...(['storeRequests', 'clusterRequests', 'slackRequests'] as const),
];
export const times = (of: Usage, by: number): Usage => {
  const product = nothing();
  for (const key of keys) product[key] = of[key] * by;
  return product;
};

/** A client that notes what DynamoDB bills for what goes through it. */
function meteredClient(endpoint: string, usage: () => Usage): Pick<DynamoDBClient, 'send' | 'destroy'> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ region: 'eu-central-1', endpoint, credentials });
  client.middlewareStack.add(
    (next, context) => async (args) => {
      Object.assign(Object(args.input), { ReturnConsumedCapacity: 'TOTAL' });
      const isRead = /^(Get|Query)/.test(context.commandName ?? '');
      usage().storeRequests += 1;
      try {
        const result = await next(args);
        const units = Number(Object(result.output).ConsumedCapacity?.CapacityUnits ?? 0);
        usage()[isRead ? 'reads' : 'writes'] += units;
        return result;
      } catch (error) {
        // A write whose condition does not hold is billed as one that is done.
        if (Object(error).name === 'ConditionalCheckFailedException') usage().writes += 1;
        throw error;
      }
    },
    { step: 'initialize' },
  );
  return client;
}

/** A store in a table of its own, billed to whoever `usage` names. */
export async function meteredStore(endpoint: string, machine: Clock, usage: () => Usage): Promise<Store> {
  const client = meteredClient(endpoint, usage);
  const table = `gleaner-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      ...{ TableName: table, BillingMode: TABLE.BillingMode },
      AttributeDefinitions: [...TABLE.AttributeDefinitions],
      KeySchema: [...TABLE.KeySchema],
    }),
  );
  return dynamodbStore({ client, clock: storeClock(machine), table });
}

/** What waits for a hop. */
interface Waiting {
  readonly hop: string;
  readonly event: Event;
  readonly due: number;
}

/** A bus that bills: each event of it, its line in the audit log, and the message for each hop. */
export function meteredBus(store: Store, now: () => Date, usage: () => Usage) {
  const waiting: Waiting[] = [];

  async function publish(outgoing: readonly Outgoing[]): Promise<void> {
    for (const { fact, after = 0 } of outgoing) {
      const event: Event = { ...fact, id: randomUUID(), at: now().toISOString() };
      // What is for later goes to its queue directly.
      if (after === 0) usage().events += Math.ceil(sizeOf(entryOf(event, 'bus')) / PRICES.eventbridge.chunk);
      await store.append({ at: event.at, kind: 'event', text: lineOf(event) });
      for (const [hop, takes] of Object.entries(ROUTES))
        if (takes.some((name) => name === fact.event)) waiting.push({ hop, event, due: now().getTime() + after });
    }
  }

  return {
    publish,
    tell: (...facts: readonly Fact[]) => publish(facts.map((fact) => ({ fact }))),
    /** The next delivery that is due by then. */
    take(until: number): Waiting | undefined {
      const due = waiting.filter((one) => one.due <= until).sort((a, b) => a.due - b.due)[0];
      if (due) waiting.splice(waiting.indexOf(due), 1);
      return due;
    },
    next: () => Math.min(...waiting.map(({ due }) => due)),
  };
}

/** Runs one delivery, billed to its hop: a message is sent, received and deleted. */
export async function delivered(usage: Usage, act: () => Promise<void>): Promise<void> {
  usage.deliveries += 1;
  usage.messages += 3;
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  usage.cpu += (user + system) / 1_000;
}
