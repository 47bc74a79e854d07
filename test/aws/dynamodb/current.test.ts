import { GetItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { currentPartition, itemKey } from '../../../shared/adapters/dynamodb/keys.ts';
import type { Incident, Table } from '../../../shared/model.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { chance } from '../../conformance/chance.ts';
import { type Bed, bareClient, dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { type FaultProxy, faultProxy } from '../bed/fault-proxy.ts';
import { interleave, type Turn } from './interleave.ts';
import { AT, image, incident, openProposal } from './samples.ts';

const SEED = 20_260_117;
const ROUNDS = 120;
const closed = (id: string, more: Partial<Incident> = {}) => incident(id, { state: 'closed', closedAt: AT, ...more });
const idsOf = async (store: Store) => (await store.current('incident')).map(({ item }) => item.id);
const proxies: FaultProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.end();
});

async function proxied() {
  const bed = await dynamodbBed();
  const [table, proxy] = [await freshTable(bed), await faultProxy(bed.endpoint)];
  proxies.push(proxy);
  const client = bareClient(bed);
  return {
    ...{ proxy, client, table, store: storeAt(proxy.endpoint, table).store },
    other: () => storeAt(bed.endpoint, table).store,
    async marks() {
      const ExpressionAttributeValues = { ':pk': { S: currentPartition('incident') } };
      const query = { TableName: table, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues };
      return (await client.send(new QueryCommand(query))).Count;
    },
  };
}

describe('What is not over, in DynamoDB', () => {
  it('is known by its mark before it is written: a crash between the two leaves a mark of nothing, and the next try an item', async () => {
    const { store, other, proxy, marks } = await proxied();
    proxy.fault(({ operation }) => (operation === 'UpdateItem' ? { is: 'reset', when: 'before' } : undefined));
    await expect(store.put('incident', incident('a'), 0)).rejects.toThrow(/tried again later/);
    expect([await marks(), await idsOf(other())]).toEqual([1, []]);

    expect(await other().put('incident', incident('a'), 0)).toMatchObject({ ok: true });

    expect(await idsOf(other())).toEqual(['a']);
  });

  it('is not listed any more when it is over, also where the process died before its mark was taken off', async () => {
    const { store, other, proxy, marks } = await proxied();
    await store.put('incident', incident('a'), 0);
    proxy.fault(({ operation }) => (operation === 'DeleteItem' ? { is: 'reset', when: 'before' } : undefined));

    expect(await store.put('incident', closed('a'), 1)).toEqual({ ok: true, version: 2 });

    expect(await marks()).toBe(1);
    expect(await idsOf(other())).toEqual([]);
    expect(await marks()).toBe(0);
  });

  it('is read by as many requests whatever was before', async () => {
    const { store, proxy } = await proxied();
    await store.put('incident', incident('open'), 0);
    const requests = async () => {
      const before = proxy.sent.length;
      await store.current('incident', { cluster: 'c1' });
      await store.current('incident', { overSince: '2026-01-16T00:00:00.000Z' });
      return proxy.sent.length - before;
    };
    const atFirst = await requests();

    for (let n = 0; n < 100; n++) await store.put('incident', closed(`${n}`), 0);

    expect(await requests()).toBe(atFirst);
  });

  it(`is told right after ${ROUNDS} lives of two writers of which each may die at any request (seed ${SEED})`, {
    timeout: 120_000,
  }, async () => {
    const bed = await dynamodbBed();
    const table = await freshTable(bed);
    const random = chance(SEED);
    let [deaths, listed] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const id = `i${round}`;
      const actors = [0, 1].map(() => async (turn: Turn) => {
        const store = mortal(bed, table, turn, random);
        await flipping(store, id, 3, random).catch(() => deaths++);
      });
      await interleave(actors, (count) => Math.floor(random() * count));

      const { store } = storeAt(bed.endpoint, table);
      const row = await store.get('incident', id);
      const isOpen = row !== undefined && row.item.state !== 'closed';
      expect((await store.current('incident')).some(({ item }) => item.id === id)).toBe(isOpen);
      listed += isOpen ? 1 : 0;
    }

    expect(deaths).toBeGreaterThan(ROUNDS / 4);
    expect(listed).toBeGreaterThan(ROUNDS / 4);
    expect(listed).toBeLessThan((ROUNDS * 3) / 4);
  });
});

/** A store whose every request waits for its turn, and one in fifteen of which is its last. */
function mortal(bed: Bed, table: string, turn: Turn, random: () => number): Store {
  const client = bareClient(bed);
  const send: typeof client.send = async (command: Parameters<typeof client.send>[0]) => {
    await turn();
    const fate = random();
    if (fate < 0.03) throw new Error('killed before');
    const answer = await client.send(command);
    if (fate < 0.06) throw new Error('killed after');
    return answer;
  };
  return storeAt(bed.endpoint, table, { client: { send } }).store;
}

/** Begins what is over and ends what is not, so many times. */
async function flipping(store: Store, id: string, times: number, random: () => number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const row = await store.get('incident', id);
    const isOpen = row !== undefined && row.item.state !== 'closed';
    await store.put('incident', isOpen && random() < 0.8 ? closed(id) : incident(id), row?.version ?? 0);
  }
}

describe('The time to live', () => {
  async function ended() {
    const { store, client, table } = await proxied();
    const keyOf = (of: Table, id: string) => ({ TableName: table, Key: itemKey(of, 'c1', id) });
    const ttl = async (of: Table, id: string) =>
      Number((await client.send(new GetItemCommand(keyOf(of, id)))).Item?.ttl?.N);
    const soon = (id: string) =>
      client.send(
        new UpdateItemCommand({
          ...{
            ...keyOf('proposal', id),
            UpdateExpression: 'SET #ttl = :soon',
            ExpressionAttributeNames: { '#ttl': 'ttl' },
          },
          ExpressionAttributeValues: { ':soon': { N: '1' } },
        }),
      );
    return { store, ttl, soon };
  }

  it('of what is over begins at its end, and that of its images is longer', async () => {
    const { store, ttl } = await ended();
    const proposal = await openProposal({ id: 'p', cluster: 'c1' });
    await store.put('proposal', { ...proposal, state: 'fixed', changedAt: AT }, 0);
    await store.put('image', image('p/0', { a: 1 }, { a: 2 }), 0);

    expect(await ttl('proposal', 'p')).toBe(Date.parse(AT) / 1000 + 90 * 86_400);
    expect(await ttl('image', 'p/0')).toBeGreaterThan((await ttl('proposal', 'p')) + 89 * 86_400);
  });

  it('is put off while something names a proposal that is not over', async () => {
    const { store, ttl, soon } = await ended();
    const proposal = await openProposal({ id: 'named', cluster: 'c1' });
    for (const id of ['named', 'undone', 'forgotten'])
      await store.put('proposal', { ...proposal, id, state: 'fixed', changedAt: AT }, 0);
    await store.put('proposal', { ...proposal, id: 'undo', undoes: 'undone' }, 0);
    await store.put('incident', incident('a', { proposal: 'named' }), 0);
    for (const id of ['named', 'undone', 'forgotten']) await soon(id);

    await store.prune({ closed: AT, received: AT });

    expect(await ttl('proposal', 'named')).toBeGreaterThan(Date.parse(AT) / 1000);
    expect(await ttl('proposal', 'undone')).toBeGreaterThan(Date.parse(AT) / 1000);
    expect(await ttl('proposal', 'forgotten')).toBe(1);
    expect(await ttl('proposal', 'undo')).toBeNaN();
  });
});
