import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../model.ts';
import { type Access, query, whole } from './access.ts';
import { isShared, placeKey, scopeById, scopeKey, scopesPartition } from './keys.ts';

/**
 * Where items stand. They stand by their cluster, so that one cluster's flood heats its own partitions only, a list of a
 * cluster is one Query, and a role can be kept to one cluster. But an item is read by its id alone: a small row tells the
 * cluster of each. It is written before the item and never changes, so that what it says may be remembered.
 */
export interface Places {
  /** The cluster by which an item stands; `undefined`: there is no such item. */
  find(table: Table, id: string): Promise<string | undefined>;
  /** Notes where an item is about to be created. Answers where it stands: elsewhere, where the id is taken. */
  claim(table: Table, id: string, scope: string): Promise<string>;
  /** Every cluster that has had items of a table. */
  scopes(table: Table): Promise<readonly string[]>;
}

/** What a process remembers at most, some megabytes. */
const REMEMBERED = 20_000;

export function placesOf(access: Access): Places {
  const { client, name, ask } = access;
  const remembered = new Map<string, string>();

  function remember(table: Table, id: string, scope: string): string {
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(`${table}/${id}`, scope);
    return scope;
  }

  async function read(table: Table, id: string): Promise<string | undefined> {
    const { Item } = await ask(`GetItem of the place of ${table} ${id}`, () =>
      client.send(new GetItemCommand({ TableName: name, Key: placeKey(table, id), ConsistentRead: true })),
    );
    return Item?.scope?.S === undefined ? undefined : remember(table, id, Item.scope.S);
  }

  async function place(table: Table, id: string, scope: string): Promise<string> {
    const Item = { ...placeKey(table, id), scope: { S: scope } };
    const ConditionExpression = 'attribute_not_exists(pk)';
    try {
      await ask(`PutItem of the place of ${table} ${id}`, () =>
        client.send(new PutItemCommand({ TableName: name, Item, ConditionExpression })),
      );
      return remember(table, id, scope);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // Another creator's, or our own whose answer was lost: either way it says where the item stands.
      return (await read(table, id)) ?? scope;
    }
  }

  async function register(table: Table, scope: string): Promise<void> {
    const memory = `scope of ${table}/${scope}`;
    if (isShared(table) || remembered.has(memory)) return;
    const Item = { ...scopeKey(table, scope), scope: { S: scope } };
    await ask(`PutItem of cluster ${scope}`, () => client.send(new PutItemCommand({ TableName: name, Item })));
    remembered.set(memory, scope);
  }

  return {
    async find(table, id) {
      return scopeById(table, id) ?? remembered.get(`${table}/${id}`) ?? (await read(table, id));
    },
    async claim(table, id, scope) {
      const known = scopeById(table, id) ?? remembered.get(`${table}/${id}`);
      const [stands] = await Promise.all([known ?? place(table, id, scope), register(table, scope)]);
      return stands;
    },
    async scopes(table) {
      const rows = await query(access, `the clusters with items of ${table}`, whole(scopesPartition(table)));
      return rows.flatMap(({ scope }) => scope?.S ?? []);
    },
  };
}
