import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Ask } from './patience.ts';
import type { Attributes } from './row.ts';
import type { StoreClock } from './store-clock.ts';

/** What every part of the adapter works with. */
export interface Access {
  readonly client: Pick<DynamoDBClient, 'send'>;
  /** The table's name. */
  readonly name: string;
  readonly ask: Ask;
  readonly clock: StoreClock;
  /** For how many seconds what is over is kept. */
  readonly keep: number;
  /** A mark for one write, unique: by it a writer knows its own row again. */
  readonly attempt: () => string;
  /** Spreads what would otherwise meet. Gives numbers from 0 to below 1. */
  readonly random: () => number;
}

type Range = Pick<
  QueryCommandInput,
  'KeyConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues' | 'ProjectionExpression'
>;

/** All rows of a range of one partition, or `limit` of them, in order; a page of DynamoDB's holds 1 MB. */
export async function query(
  { client, name, ask }: Access,
  what: string,
  range: Range,
  { limit = Number.POSITIVE_INFINITY, isBackward = false }: { limit?: number; isBackward?: boolean } = {},
): Promise<Attributes[]> {
  const rows: Attributes[] = [];
  let from: Attributes | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await ask(`Query of ${what}`, () =>
      client.send(
        new QueryCommand({
          ...range,
          ...{ TableName: name, ConsistentRead: true, ScanIndexForward: !isBackward },
          ...(Number.isFinite(limit) && { Limit: limit - rows.length }),
          ...(from && { ExclusiveStartKey: { ...from } }),
        }),
      ),
    );
    rows.push(...Items);
    from = LastEvaluatedKey;
  } while (from && rows.length < limit);
  return rows;
}

/** A whole partition. */
export const whole = (pk: string): Range => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': { S: pk } },
});

/** Does what a condition may forbid: then somebody else has seen to it. */
export async function unlessRefused(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
