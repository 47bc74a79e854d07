import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Row, Table, Tables, Unless } from '../../ports/store.ts';
import { type Access, query, unlessRefused, whole } from './access.ts';
import { attributesOf, type Body, bodyOf } from './body.ts';
import { itemKey, type PartOf, partition } from './keys.ts';
import { partsOf } from './parts.ts';
import { endOf, endOfParts } from './retention.ts';
import { type Attributes, attemptOf, FORMAT, isOver, itemIn, jsonIn, numberOf, slotOf, unreadable } from './row.ts';

/** What one compare-and-set came to: `mine` also where the answer to it was lost. */
type Written<T> = { readonly is: 'mine' } | { readonly is: 'lost'; readonly winner: Row<T> | undefined };

/** Items of one partition each, by compare-and-set on one row. */
export interface Items {
  get<K extends Table>(table: K, scope: string, id: string): Promise<Row<Tables[K]> | undefined>;
  put<K extends Table>(
    table: K,
    scope: string,
    item: Tables[K],
    version: number,
    unless: Unless,
  ): Promise<Written<Tables[K]>>;
  list<K extends Table>(table: K, scope: string): Promise<Row<Tables[K]>[]>;
  /** Keeps an item whose end comes before `soon` until `end`: epochs in seconds. It stays as it is otherwise. */
  renew(table: Table, scope: string, id: string, soon: number, end: number): Promise<void>;
}

/** How often an item is read again whose parts were replaced meanwhile. */
const REREADS = 3;

export function itemsOf(access: Access): Items {
  const { client, name, ask, clock, attempt, keep } = access;
  const parts = partsOf(access);

  async function rowOf(table: Table, scope: string, id: string): Promise<Attributes | undefined> {
    const Key = itemKey(table, scope, id);
    const { Item } = await ask(`GetItem of ${table} ${id}`, () =>
      client.send(new GetItemCommand({ TableName: name, Key, ConsistentRead: true })),
    );
    return Item;
  }

  /** The item in a row, with its parts; where those are gone, the row is not the newest, or was to be deleted. */
  async function read<K extends Table>(
    table: K,
    scope: string,
    id: string,
    found: Attributes | undefined,
  ): Promise<Row<Tables[K]> | undefined> {
    const title = `${table} ${id}`;
    let row = found;
    for (let tried = 0; row && tried < REREADS; tried++) {
      const json = jsonIn(row, title) ?? (await parts.read(partOf(table, scope, id, row), numberOf(row, 'parts')));
      if (json !== undefined) return itemIn(table, row, json, title);
      if (isOver(row, clock.now())) return undefined;
      row = await rowOf(table, scope, id);
    }
    if (row) throw unreadable(title, 'some of its parts are missing');
    return undefined;
  }

  /** Writes one row; answers what stands there where that was not to be replaced. */
  async function write(
    of: PartOf,
    made: () => ReturnType<typeof update>,
  ): Promise<{ row: Attributes | undefined } | undefined> {
    try {
      await ask(`UpdateItem of ${of.table} ${of.id}`, () =>
        // Made anew for each try: the time in it is the time of that try.
        client.send(new UpdateItemCommand({ TableName: name, ...made() })),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // Without the row in the answer there is none, or the service does not give it.
      const row = error.Item ?? (await rowOf(of.table, of.scope, of.id));
      // Our own, whose answer was lost.
      return row && attemptOf(row, of.version) === of.attempt ? undefined : { row };
    }
  }

  return {
    get: async (table, scope, id) => read(table, scope, id, await rowOf(table, scope, id)),

    async put(table, scope, item, version, unless) {
      const of: PartOf = { table, scope, id: item.id, version: version + 1, attempt: attempt() };
      const body = bodyOf(JSON.stringify(item));
      const end = endOf(table, item, clock.now(), keep);
      const expires = 'expiresAt' in item ? Date.parse(item.expiresAt) : undefined;
      // Before the row that counts them: there is never a row without its parts.
      if (body.is === 'parts') await parts.write(of, body.parts, endOfParts(end));
      const lost = await write(of, () => update(of, body, { end, expires }, unless));
      if (body.is === 'parts')
        await leftOver(lost ? parts.forget(of, body.parts.length) : parts.forgetUpTo(of, version));
      return lost ? { is: 'lost', winner: await read(table, scope, item.id, lost.row) } : { is: 'mine' };
    },

    async list(table, scope) {
      const rows = await query(access, `${table} of ${scope}`, whole(partition(table, scope)));
      const read1 = (row: Attributes) => read(table, scope, row.id?.S ?? '', row);
      return (await Promise.all(rows.map(read1))).flatMap((row) => row ?? []);
    },

    async renew(table, scope, id, soon, end) {
      const request = new UpdateItemCommand({
        ...{ TableName: name, Key: itemKey(table, scope, id), UpdateExpression: 'SET #ttl = :end' },
        ...{ ConditionExpression: '#ttl < :soon', ExpressionAttributeNames: { '#ttl': 'ttl' } },
        ExpressionAttributeValues: { ':soon': { N: `${soon}` }, ':end': { N: `${end}` } },
      });
      await unlessRefused(() => ask(`UpdateItem of the end of ${table} ${id}`, () => client.send(request)));
    },
  };

  function update(
    of: PartOf,
    body: Body,
    ends: { end: number | undefined; expires: number | undefined },
    unless: Unless,
  ) {
    const set: Record<string, AttributeValue | undefined> = {
      id: { S: of.id },
      version: { N: `${of.version}` },
      format: { N: `${FORMAT}` },
      [slotOf(of.version)]: { S: of.attempt },
      ...attributesOf(body),
      ttl: numeric(ends.end),
      expires: numeric(ends.expires),
    };
    const isNew = of.version === 1;
    return {
      ...assignments(set),
      Key: itemKey(of.table, of.scope, of.id),
      ConditionExpression: `${isNew ? 'attribute_not_exists(pk)' : '#version = :former'}${unless.expired ? ' AND #expires > :now' : ''}`,
      ...values(set, {
        ...(!isNew && { ':former': { N: `${of.version - 1}` } }),
        ...(unless.expired && { ':now': { N: `${clock.latest().getTime()}` } }),
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
  }
}

const partOf = (table: Table, scope: string, id: string, row: Attributes): PartOf => {
  const version = numberOf(row, 'version');
  return { table, scope, id, version, attempt: attemptOf(row, version) ?? '' };
};

const numeric = (number: number | undefined): AttributeValue | undefined =>
  number === undefined ? undefined : { N: `${number}` };

/** Attributes that are not named stay as they are: a newer Gleaner may have put them there. */
function assignments(set: Readonly<Record<string, AttributeValue | undefined>>) {
  const names = Object.keys(set);
  const [given, gone] = [names.filter((each) => set[each]), names.filter((each) => !set[each])];
  return {
    UpdateExpression: `SET ${given.map((each) => `#${each} = :${each}`).join(', ')}${
      gone.length > 0 ? ` REMOVE ${gone.map((each) => `#${each}`).join(', ')}` : ''
    }`,
    ExpressionAttributeNames: Object.fromEntries(names.map((each) => [`#${each}`, each])),
  };
}

function values(
  set: Readonly<Record<string, AttributeValue | undefined>>,
  more: Readonly<Record<string, AttributeValue>>,
) {
  const given = Object.entries(set).flatMap(([each, value]) => (value ? [[`:${each}`, value] as const] : []));
  return { ExpressionAttributeValues: { ...Object.fromEntries(given), ...more } };
}

/** What is left over costs its storage and nothing else: an item that was written must not fail by it. */
const leftOver = (removal: Promise<void>): Promise<void> => removal.catch(() => undefined);
