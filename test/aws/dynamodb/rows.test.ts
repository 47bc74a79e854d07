import { type AttributeValue, DeleteItemCommand, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { itemKey } from '../../../shared/adapters/dynamodb/keys.ts';
import type { Table } from '../../../shared/model.ts';
import { bareClient, dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { AT, incident, openProposal } from './samples.ts';

const NOW = 1_800_000_000;

/** A store, and other hands on its rows. */
async function meddled() {
  const bed = await dynamodbBed();
  const table = await freshTable(bed);
  const client = bareClient(bed);
  const keyOf = (of: Table, id: string, scope = 'c1') => ({ TableName: table, Key: itemKey(of, scope, id) });
  return {
    store: storeAt(bed.endpoint, table).store,
    async set(of: Table, id: string, name: string, value: AttributeValue, scope?: string) {
      await client.send(
        new UpdateItemCommand({
          ...keyOf(of, id, scope),
          ...{ UpdateExpression: 'SET #name = :value', ExpressionAttributeNames: { '#name': name } },
          ExpressionAttributeValues: { ':value': value },
        }),
      );
    },
    async attributes(of: Table, id: string, scope?: string) {
      return (await client.send(new GetItemCommand({ ...keyOf(of, id, scope), ConsistentRead: true }))).Item ?? {};
    },
    async remove(of: Table, id: string, scope?: string) {
      await client.send(new DeleteItemCommand(keyOf(of, id, scope)));
    },
  };
}
const json = (value: object): AttributeValue => ({ S: JSON.stringify(value) });

describe('A row that a newer Gleaner wrote', () => {
  it.each([
    ['with another schema', 'json', json({ ...incident('a'), schema: 2, since: { odd: true } })],
    ['in another format', 'format', { N: '2' }],
  ])('is refused and kept as it is (%s)', async (_what, name, value) => {
    const { store, set, attributes } = await meddled();
    await store.put('incident', incident('a'), 0);
    await store.put('incident', incident('b'), 0);
    await set('incident', 'a', name, value);
    const stands = await attributes('incident', 'a');

    const said = /The stored incident a was written by a newer Gleaner \(its (schema|format) is 2, this one reads 1\)/;
    await expect(store.get('incident', 'a')).rejects.toThrow(said);
    await expect(store.list('incident')).rejects.toThrow(said);
    await expect(store.put('incident', incident('a'), 0)).rejects.toThrow(said);

    expect(await attributes('incident', 'a')).toEqual(stands);
    expect((await store.get('incident', 'b'))?.version).toBe(1);
  });

  it('keeps, when this one changes it, the fields and attributes that this one does not know', async () => {
    const { store, set, attributes } = await meddled();
    await store.put('incident', incident('a'), 0);
    const subject = { ...incident('a').subject, colour: 'red' };
    await set('incident', 'a', 'json', json({ ...incident('a'), subject, mood: ['odd'] }));
    await set('incident', 'a', 'later', { S: 'kept' });

    const row = await store.get('incident', 'a');
    if (!row) throw new Error('the incident is gone');
    await store.put('incident', { ...row.item, state: 'closed' }, row.version);

    const after = await attributes('incident', 'a');
    expect(after.later).toEqual({ S: 'kept' });
    expect(JSON.parse(after.json?.S ?? '')).toEqual({ ...incident('a'), state: 'closed', subject, mood: ['odd'] });
  });
});

describe('A row that other hands have changed', () => {
  it.each([
    ['is no JSON', 'json', { S: '{"schema":1' }, /incident a cannot be read \(it is no JSON\).*point-in-time/],
    ['has another shape', 'json', json({ ...incident('a'), state: 'odd' }), /\(state: Invalid/],
    ['has no version', 'version', { S: 'one' }, /\(it has no version\)/],
    ['is packed by somebody else', 'packed', { B: Buffer.from('odd') }, /cannot be read \(Error: /],
  ] as const)('is refused, and nothing guessed, where it %s', async (_what, name, value, said) => {
    const { store, set } = await meddled();
    await store.put('incident', incident('a'), 0);
    if (name === 'packed') await set('incident', 'a', 'json', { NULL: true });
    await set('incident', 'a', name, value);

    await expect(store.get('incident', 'a')).rejects.toThrow(said);
    await expect(store.list('incident', { cluster: 'c1' })).rejects.toThrow(said);
  });
});

describe('The time to live', () => {
  it('is given to what is closed, and taken from what is open again', async () => {
    const { store, attributes } = await meddled();
    const ttl = async () => Number((await attributes('incident', 'a')).ttl?.N ?? 0);

    await store.put('incident', incident('a'), 0);
    expect(await ttl()).toBe(0);
    await store.put('incident', incident('a', { state: 'closed' }), 1);
    expect(await ttl()).toBeGreaterThan(NOW - 10 * 365 * 86_400);
    await store.put('incident', incident('a'), 2);
    expect(await ttl()).toBe(0);
  });

  it('is given to no proposal that may still go on', async () => {
    const { store, attributes } = await meddled();
    const proposal = await openProposal({ id: 'p', cluster: 'c1' });
    let version = 0;
    for (const [state, isKept] of [
      ['open', true],
      ['snoozed', true],
      ['approved', true],
      ['applying', true],
      ['applied', true],
      ['fixed', false],
    ] as const) {
      await store.put('proposal', { ...proposal, state }, version++);
      expect((await attributes('proposal', 'p')).ttl === undefined, state).toBe(isKept);
    }
  });

  it('changes nothing while DynamoDB has not acted on it', async () => {
    const { store, set } = await meddled();
    await store.put('incident', incident('a', { state: 'closed' }), 0);
    await set('incident', 'a', 'ttl', { N: '1' });

    expect((await store.get('incident', 'a'))?.version).toBe(1);
    expect(await store.list('incident')).toHaveLength(1);
    expect(await store.put('incident', incident('a'), 0)).toMatchObject({ ok: false });
    expect(await store.put('incident', incident('a'), 1)).toEqual({ ok: true, version: 2 });
  });

  it('may have come early: the row is not there, is not brought back by who had read it, and can be made anew', async () => {
    const { store, remove } = await meddled();
    await store.put('incident', incident('a', { state: 'closed' }), 0);
    await remove('incident', 'a');

    expect(await store.get('incident', 'a')).toBeUndefined();
    expect(await store.list('incident')).toEqual([]);
    expect(await store.put('incident', incident('a'), 1)).toEqual({ ok: false, winner: undefined });
    expect(await store.get('incident', 'a')).toBeUndefined();
    expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });
    expect(await store.list('incident', { cluster: 'c1' })).toHaveLength(1);
  });
});

describe('The name of an item', () => {
  it.each([
    ['is longer than a key', 'x'.repeat(5_000)],
    ['is half a duck', 'half \ud83e'],
    ['begins as a hash does', '#1'],
    ['is empty', ''],
    ['has slashes', 'c1/mode/v1 Node a/b'],
  ])('may be any text, also where it %s', async (_what, id) => {
    const { store } = await meddled();
    const kept = { schema: 1 as const, id, at: AT, value: 'well' };

    expect(await store.put('lastGood', kept, 0)).toEqual({ ok: true, version: 1 });
    expect(await store.put('incident', incident(id, { cluster: id }), 0)).toEqual({ ok: true, version: 1 });

    expect(await store.get('lastGood', id)).toEqual({ item: kept, version: 1 });
    expect(await store.list('lastGood')).toEqual([{ item: kept, version: 1 }]);
    expect(await store.list('incident', { cluster: id })).toMatchObject([{ item: { id } }]);
    expect(await store.get('lastGood', `${id}'`)).toBeUndefined();
  });
});
