import { type AttributeValue, DeleteItemCommand, paginateQuery, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { LARGEST } from '../../../shared/adapters/dynamodb/body.ts';
import { itemKey, type Key, partition, partsPartition } from '../../../shared/adapters/dynamodb/keys.ts';
import { change } from '../../../shared/flow/transition.ts';
import { paintWorld } from '../../simulator/paint.ts';
import { bareClient, dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { type FaultProxy, faultProxy, THROTTLED } from '../bed/fault-proxy.ts';
import { image, noise, openProposal } from './samples.ts';

const proxies: FaultProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.end();
});

async function bedOf() {
  const bed = await dynamodbBed();
  const [table, proxy] = [await freshTable(bed), await faultProxy(bed.endpoint)];
  proxies.push(proxy);
  const client = bareClient(bed);
  async function keysIn(pk: string) {
    const pages = paginateQuery(
      { client },
      {
        ...{ TableName: table, ConsistentRead: true, ProjectionExpression: 'pk, sk' },
        ...{ KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } },
      },
    );
    const keys: Record<string, AttributeValue>[] = [];
    for await (const { Items = [] } of pages) keys.push(...Items);
    return keys;
  }
  const rows = async (pk: string) => (await keysIn(pk)).length;
  const parts = () => rows(partsPartition({ table: 'image', scope: 'c1' }));
  async function remove(pk: string) {
    for (const key of await keysIn(pk)) await client.send(new DeleteItemCommand({ TableName: table, Key: key }));
  }
  async function expire(key: Key, ttl: string) {
    await client.send(
      new UpdateItemCommand({
        ...{ TableName: table, Key: key, UpdateExpression: 'SET #ttl = :ttl' },
        ...{ ExpressionAttributeNames: { '#ttl': 'ttl' }, ExpressionAttributeValues: { ':ttl': { N: ttl } } },
      }),
    );
  }
  const open = (endpoint = bed.endpoint) => storeAt(endpoint, table).store;
  return { open, proxy, parts, rows, remove, expire };
}

/** Characters of noise whose compressed JSON is about as large as a row. */
const ABOUT_A_ROW = Math.round((LARGEST * 4) / 3);

describe('An item about as large as a row', () => {
  it.each([-6_000, -2_000, -500, 0, 500, 2_000, 6_000, ABOUT_A_ROW])(
    'comes back as it was put (%d characters more)',
    async (more) => {
      const { open } = await bedOf();
      const store = open();
      const item = image('a', noise(ABOUT_A_ROW + more, `${more}`));

      expect(await store.put('image', item, 0)).toEqual({ ok: true, version: 1 });

      expect(await store.get('image', 'a')).toEqual({ item, version: 1 });
      expect(await store.list('image', { cluster: 'c1' })).toEqual([{ item, version: 1 }]);
    },
  );

  it('is one row where it compresses well, however long', async () => {
    const { open, parts } = await bedOf();
    const item = image('a', 'x'.repeat(5_000_000), '🦆'.repeat(500_000));

    await open().put('image', item, 0);

    expect((await open().get('image', 'a'))?.item).toEqual(item);
    expect(await parts()).toBe(0);
  });
});

describe('An image of more than a row', () => {
  const before = noise(1_500_000, 'before');
  const after = noise(1_500_000, 'after');

  it('is replaced with its parts, and leaves none behind', async () => {
    const { open, parts } = await bedOf();
    const store = open();
    await store.put('image', image('a', before), 0);
    const first = await parts();

    await store.put('image', image('a', before, after), 1);

    expect(first).toBe(3);
    expect(await parts()).toBe(6);
    expect(await store.get('image', 'a')).toEqual({ item: image('a', before, after), version: 2 });
  });

  it('that lost leaves the winner and its parts alone, and none of its own', async () => {
    const { open, parts } = await bedOf();
    const winner = { item: image('a', before), version: 1 };
    await open().put('image', winner.item, 0);

    expect(await open().put('image', image('a', after), 0)).toEqual({ ok: false, winner });

    expect(await parts()).toBe(3);
    expect(await open().get('image', 'a')).toEqual(winner);
  });

  it('is not there before its last part is', async () => {
    const { open, proxy } = await bedOf();
    let puts = 0;
    proxy.fault(({ operation, body }) =>
      operation === 'PutItem' && body.includes('"part/') && puts++ > 0 ? THROTTLED : undefined,
    );

    await expect(open(proxy.endpoint).put('image', image('a', before), 0)).rejects.toThrow(
      /part of image a .* throttled/,
    );

    expect(await open().get('image', 'a')).toBeUndefined();
    expect(await open().put('image', image('a', before), 0)).toEqual({ ok: true, version: 1 });
  });

  it('is read whole though it is replaced between its row and its parts', async () => {
    const { open, proxy } = await bedOf();
    await open().put('image', image('a', before), 0);
    let isReplaced = false;
    proxy.fault(async ({ operation, body }) => {
      if (operation !== 'Query' || !body.includes('"part/') || isReplaced) return undefined;
      isReplaced = true;
      await open().put('image', image('a', before, after), 1);
      return undefined;
    });

    const row = await open(proxy.endpoint).get('image', 'a');

    expect(row).toEqual({ item: image('a', before, after), version: 2 });
  });

  it('is written though what it replaced cannot be removed now', async () => {
    const { open, proxy } = await bedOf();
    const store = open(proxy.endpoint);
    await store.put('image', image('a', before), 0);
    proxy.fault(({ operation }) =>
      operation === 'DeleteItem' ? { is: 'refused', status: 400, type: 'AccessDeniedException' } : undefined,
    );

    expect(await store.put('image', image('a', after), 1)).toEqual({ ok: true, version: 2 });

    expect((await store.get('image', 'a'))?.item.before).toBe(after);
  });

  it.each([
    ['is not there where its time is over: they may have gone first', '1', undefined],
    ['is refused where it should be there', '9999999999', /image a cannot be read \(some of its parts are missing\)/],
  ])('whose parts are gone %s', async (_what, ttl, said) => {
    const { open, remove, expire } = await bedOf();
    await open().put('image', image('a', before, after), 0);
    await remove(partsPartition({ table: 'image', scope: 'c1' }));
    await expire(itemKey('image', 'c1', 'a'), ttl);

    const got = open().get('image', 'a');

    if (said) await expect(got).rejects.toThrow(said);
    else expect(await got).toBeUndefined();
  });

  it('keeps apart the parts of ids of which one begins with the other', async () => {
    const { open } = await bedOf();
    const store = open();
    await store.put('image', image('a', before), 0);
    await store.put('image', image('a/0', after), 0);
    await store.put('image', image('a', after, before), 1);

    expect((await store.get('image', 'a/0'))?.item.before).toBe(after);
    expect((await store.get('image', 'a'))?.item.after).toBe(before);
  });
});

it('A proposal that outgrows a row goes on through its states', async () => {
  const { open, rows } = await bedOf();
  const store = open();
  const { found, ...rest } = await openProposal();
  const [evidence] = found.evidence;
  if (!evidence) throw new Error('the sample has no evidence');
  const many = Array.from({ length: 300 }, (_each, n) => ({ ...evidence, value: noise(4_000, `${n}`) }));
  await store.put('proposal', { ...rest, found: { ...found, evidence: many } }, 0);
  const world = { ...paintWorld().world, store };

  for (const state of ['approved', 'applying', 'applied', 'fixed'] as const) {
    const row = await store.get('proposal', rest.id);
    if (!row) throw new Error('the proposal is gone');
    expect(await change(world, row, { state, because: 'it went on' })).toBeDefined();
  }

  const row = await store.get('proposal', rest.id);
  expect(row).toMatchObject({ version: 5, item: { state: 'fixed' } });
  expect(row?.item.found.evidence).toEqual(many);
  expect(await rows(partition('proposal', rest.cluster))).toBe(1);
});
