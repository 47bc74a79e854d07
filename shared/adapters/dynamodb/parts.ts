import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type Access, query } from './access.ts';
import { unpacked } from './body.ts';
import { type PartOf, partKey, partsPartition, partsPrefix, partsUpTo } from './keys.ts';

/** What of an item did not fit into its own row: rows of their own, written before the row that counts them. */
export interface Parts {
  write(of: PartOf, parts: readonly Uint8Array[], end: number | undefined): Promise<void>;
  /** The JSON of an item in parts; `undefined` where some are missing: a later version took their place. */
  read(of: PartOf, count: number): Promise<string | undefined>;
  /** Removes the parts of an attempt that lost. */
  forget(of: PartOf, count: number): Promise<void>;
  /** Removes the parts of a version that was replaced, and of those before it: no row can name them any more. */
  forgetUpTo(of: Pick<PartOf, 'table' | 'scope' | 'id'>, version: number): Promise<void>;
}

export function partsOf(access: Access): Parts {
  const { client, name, ask } = access;
  const remove = (key: ReturnType<typeof partKey>) =>
    ask('DeleteItem of a part', () => client.send(new DeleteItemCommand({ TableName: name, Key: key })));

  return {
    async write(of, parts, end) {
      for (const [index, part] of parts.entries()) {
        const Item = { ...partKey(of, index), part: { B: part }, ...(end !== undefined && { ttl: { N: `${end}` } }) };
        await ask(`PutItem of a part of ${of.table} ${of.id}`, () =>
          client.send(new PutItemCommand({ TableName: name, Item })),
        );
      }
    },
    async read(of, count) {
      const rows = await query(access, `the parts of ${of.table} ${of.id}`, {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :of)',
        ExpressionAttributeValues: { ':pk': { S: partsPartition(of) }, ':of': { S: partsPrefix(of) } },
      });
      const parts = rows.flatMap(({ part }) => part?.B ?? []);
      return parts.length === count ? unpacked(Buffer.concat(parts)) : undefined;
    },
    async forget(of, count) {
      for (let index = 0; index < count; index++) await remove(partKey(of, index));
    },
    async forgetUpTo(of, version) {
      const [from, to] = partsUpTo(of.id, version);
      const rows = await query(access, `the former parts of ${of.table} ${of.id}`, {
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': { S: partsPartition(of) }, ':from': { S: from }, ':to': { S: to } },
        ProjectionExpression: 'pk, sk',
      });
      for (const { pk, sk } of rows) if (pk?.S && sk?.S) await remove({ pk: { S: pk.S }, sk: { S: sk.S } });
    },
  };
}
