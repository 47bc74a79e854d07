import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { paintWorld } from '../../../test/simulator/paint.ts';
import { verifyChain } from '../../audit.ts';
import type { Incident, Proposal } from '../../model.ts';
import type { Store } from '../../ports/store.ts';
import { auditHead, auditLines } from './audit-log.ts';
import { openDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { sqliteStore } from './store.ts';

const [LONG_AGO, THEN, LATER] = [
  '2026-01-01T00:00:00.000Z',
  '2026-04-01T00:00:00.000Z',
  '2026-04-01T00:00:00.001Z',
] as const;
const BEFORE = { closed: THEN, received: THEN };

const incident = (id: string, more: Partial<Incident> = {}): Incident => ({
  ...{ schema: 1, id, cluster: 'c1', mode: 'm', state: 'closed', closedAt: LONG_AGO, since: LONG_AGO },
  subject: { apiVersion: 'v1', kind: 'Node', name: id },
  ...more,
});

async function proposed(): Promise<Proposal> {
  const world = paintWorld();
  const row = await world.store.get('proposal', await world.proposed());
  if (!row) throw new Error('nothing was proposed');
  return { ...row.item, cluster: 'c1', state: 'fixed', changedAt: LONG_AGO };
}

async function filled() {
  const database = openDatabase(':memory:');
  const store = sqliteStore(database);
  const proposal = await proposed();
  return {
    ...{ store, database },
    /** An incident with its proposal, the image of a step and the post of its card. */
    async add(id: string, of: Partial<Proposal> = {}, its: Partial<Incident> = {}) {
      const item = { ...proposal, id: `p-${id}`, incident: id, ...of };
      await store.put('proposal', item, 0);
      await store.put('incident', incident(id, { proposal: item.id, ...its }), 0);
      const target = { apiVersion: 'v1', kind: 'Node', name: id };
      const image = { schema: 1 as const, cluster: 'c1', target, before: {}, after: {} };
      for (const step of [0, 12])
        await store.put('image', { ...image, id: `${item.id}/${step}`, proposal: item.id, step }, 0);
      await store.put('post', { schema: 1, id, cluster: 'c1', proposal: item.id, channel: 'C1', told: 0 }, 0);
    },
  };
}

const left = async (store: Store) =>
  (await Promise.all((['incident', 'proposal', 'image', 'post'] as const).map((table) => store.list(table)))).flatMap(
    (rows) => rows.map(({ item }) => item.id),
  );
const whole = (id: string) => [id, `p-${id}`, `p-${id}/0`, `p-${id}/12`, id];

describe('What is over for long', () => {
  it('goes with all that hangs on it, and nothing else does', async () => {
    const { store, add } = await filled();
    await add('old');
    await add('older', {}, { closedAt: '2025-01-01T00:00:00.000Z' });
    await add('young', { changedAt: LATER }, { closedAt: LATER });

    await store.prune(BEFORE);

    expect((await left(store)).sort()).toEqual(whole('young').sort());
  });

  it.each<[string, Partial<Proposal>, Partial<Incident>]>([
    ['an incident that is not over, with what it names', { state: 'rejected' }, { state: 'open' }],
    ['an incident of which an undo waits', { state: 'open', undoes: 'p-x' }, {}],
    ['an incident of which a run is under way', { state: 'applied' }, {}],
  ])('stays as %s', async (_what, of, its) => {
    const { store, add } = await filled();
    await add('a', of, its);

    await store.prune(BEFORE);

    expect((await left(store)).sort()).toEqual(whole('a').sort());
  });

  it('stays, with its images, while it is being undone', async () => {
    const { store, add } = await filled();
    await add('a');
    await add('b', { state: 'applying', undoes: 'p-a' }, {});

    await store.prune(BEFORE);

    expect((await left(store)).sort()).toEqual([...whole('a').slice(1, 4), ...whole('b')].sort());
  });

  it('goes a part at a time, so that nobody waits for long', async () => {
    const { store, database } = await filled();
    for (let n = 0; n < 1_200; n++) await store.put('receipt', { schema: 1, id: `${n}`, at: LONG_AGO }, 0);
    const count = () => Number(database.sql.prepare('SELECT count(*) AS n FROM item').get()?.n);

    const counts: number[] = [];
    for (let n = 0; n < 3; n++) {
      await store.prune(BEFORE);
      counts.push(count());
    }

    expect(counts).toEqual([700, 200, 0]);
  });

  it('goes by a time of its own where it is the receipt of a click, and no silence goes before it ends', async () => {
    const { store } = await filled();
    const silence = { schema: 1 as const, cluster: 'c1', what: 'm', who: 'local:ann', at: LONG_AGO, because: 'x' };
    await store.put('silence', { ...silence, id: 'over', until: LONG_AGO }, 0);
    await store.put('silence', { ...silence, id: 'lasts', until: LATER }, 0);
    for (const [id, at] of [
      ['old', LONG_AGO],
      ['new', THEN],
    ] as const)
      await store.put('receipt', { schema: 1, id, at }, 0);

    await store.prune({ closed: THEN, received: '2026-03-31T00:00:00.000Z' });

    expect((await store.list('silence')).map(({ item }) => item.id)).toEqual(['lasts']);
    expect((await store.list('receipt')).map(({ item }) => item.id)).toEqual(['new']);
  });

  it('leaves the audit log whole', async () => {
    const { store, add, database } = await filled();
    await add('old');
    await store.append({ at: LONG_AGO, kind: 'touch', text: 'one' });

    await store.prune(BEFORE);

    const { sql } = database;
    expect(verifyChain(auditLines(sql), { head: auditHead(sql) })).toMatchObject({ ok: true, lines: 1 });
  });
});

it('A state file from before it was known what is over tells it of all that it holds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'state.sqlite');
  const old = openDatabase(path, MIGRATIONS.slice(0, 1));
  const insert = old.sql.prepare('INSERT INTO item (kind, id, cluster, version, json) VALUES (?, ?, ?, 1, ?)');
  const proposal = await proposed();
  const items = [
    ['incident', incident('open', { state: 'open' })],
    ['incident', incident('gone', { goneSince: LONG_AGO })],
    ['proposal', { ...proposal, id: 'waits', state: 'snoozed' as const }],
    ['proposal', { ...proposal, id: 'fixed' }],
    ['receipt', { schema: 1, id: 'r', at: LONG_AGO }],
  ] as const;
  for (const [table, item] of items)
    insert.run(table, item.id, 'cluster' in item ? item.cluster : null, JSON.stringify(item));
  old.close();

  const store = sqliteStore(openDatabase(path));

  const ids = async (table: 'incident' | 'proposal', overSince?: string) =>
    (await store.current(table, overSince === undefined ? {} : { overSince })).map(({ item }) => item.id);
  expect([await ids('incident'), await ids('proposal')]).toEqual([['open'], ['waits']]);
  expect([await ids('incident', LONG_AGO), await ids('proposal', LONG_AGO)]).toEqual([
    ['gone', 'open'],
    ['fixed', 'waits'],
  ]);
  await store.prune(BEFORE);
  expect(await left(store)).toEqual(['open', 'waits']);
  expect(await store.list('receipt')).toEqual([]);
});
