import { ConditionalCheckFailedException, DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../ports/store.ts';
import { itemKey, scopeById } from './keys.ts';

/**
 * Removes one small item of a table whose items stand together, if its version still is the one that was read: false where
 * it is not. For an administrator alone: nothing that runs has the right to (`RIGHTS`). Throws what the SDK throws.
 */
export async function removeItem(
  { client, table: TableName }: { readonly client: Pick<DynamoDBClient, 'send'>; readonly table: string },
  table: Table,
  id: string,
  version: number,
): Promise<boolean> {
  const scope = scopeById(table, id);
  if (scope === undefined) throw new Error(`Items of the table ${table} are not removed by their id alone`);
  try {
    await client.send(
      new DeleteItemCommand({
        ...{ TableName, Key: itemKey(table, scope, id), ConditionExpression: '#version = :version' },
        ...{ ExpressionAttributeNames: { '#version': 'version' } },
        ExpressionAttributeValues: { ':version': { N: `${version}` } },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
