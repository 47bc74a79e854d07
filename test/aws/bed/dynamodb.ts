import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { connectDynamodb } from '../../../shared/adapters/dynamodb/connect.ts';
import { type DynamodbStoreOptions, dynamodbStore } from '../../../shared/adapters/dynamodb/store.ts';
import { TABLE } from '../../../shared/adapters/dynamodb/table.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

const Bed = z.object({ endpoint: z.url(), engine: z.enum(['DynamoDB Local', 'dynalite']) });
export type Bed = z.infer<typeof Bed>;

/** The run's DynamoDB. It starts when it is first asked for. */
export async function dynamodbBed(): Promise<Bed> {
  const answer = await fetch(inject('dynamodb'));
  if (!answer.ok) throw new Error(await answer.text());
  return Bed.parse(await answer.json());
}

/** What the SDK needs to sign; nobody checks it here. */
export const LOCAL = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;

/** A client past every proxy and every patience: what a test looks at, and other hands. */
export const bareClient = ({ endpoint }: { endpoint: string }) => new DynamoDBClient({ ...LOCAL, endpoint });

/** A table of a test's own, and its name. */
export async function freshTable(bed: Bed): Promise<string> {
  const TableName = `gleaner-${randomUUID()}`;
  const client = bareClient(bed);
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: TABLE.BillingMode },
      AttributeDefinitions: [...TABLE.AttributeDefinitions],
      KeySchema: [...TABLE.KeySchema],
    }),
  );
  client.destroy();
  return TableName;
}

/** A store as one function has it, over a table, and what else only tests want of it. */
export function storeAt(
  endpoint: string,
  table: string,
  options: Partial<DynamodbStoreOptions> & { machine?: Clock; answered?: number } = {},
) {
  const { machine = systemClock, answered = 2_000, ...more } = options;
  const connection = connectDynamodb({ ...LOCAL, endpoint, clock: machine, answered });
  const store = dynamodbStore({ ...connection, table, ...more });
  return { store, ...connection };
}
