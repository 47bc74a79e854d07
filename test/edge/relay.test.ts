import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relayBus } from '../../shared/adapters/relay/bus.ts';
import { signedCall } from '../../shared/adapters/relay/call.ts';
import { relayStore } from '../../shared/adapters/relay/store.ts';
import { incidentId } from '../../shared/flow/identity.ts';
import type { Fact, Incident, Proposal } from '../../shared/model.ts';
import { RELAY, SESSION } from '../../shared/ports/relay.ts';
import { type EdgeBed, edgeBed, KEY, OTHER_KEY } from './bed.ts';

const bytes = (key: string) => Buffer.from(key.slice('whsec_'.length), 'base64');
const AT = '2026-01-15T12:00:00.000Z';
let bed: EdgeBed;
beforeEach(async () => {
  bed = await edgeBed();
});
afterEach(() => bed.close());

/** The relay as the edge of a cluster sees it. */
function calling(cluster = 'cluster-1', key = KEY, now = () => bed.clock.now()) {
  return signedCall({
    ...{ url: new URL(bed.url), cluster, clock: { now }, keys: async () => [bytes(key)] },
    async post(url, headers, body) {
      const response = await fetch(url, { method: 'POST', headers, body });
      return { code: response.status, text: await response.text(), date: undefined };
    },
  });
}
const storeOf = (call = calling()) => relayStore((request) => call(RELAY, request));

async function opened(): Promise<Proposal> {
  await bed.tell({ event: 'observed', cluster: 'cluster-1', mode: 'paint', because: 'changed', objects: [] });
  await bed.settle(60);
  const [row] = await bed.store.list('proposal');
  if (!row) throw new Error('nothing was proposed');
  return row.item;
}
const subject = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
const incident = (cluster: string, more: Partial<Incident> = {}): Incident => ({
  ...{
    schema: 1,
    id: incidentId(cluster, 'paint', subject),
    cluster,
    mode: 'paint',
    subject,
    state: 'sighted',
    since: AT,
  },
  ...more,
});

describe('The relay', () => {
  it.each([
    ['a key of another cluster', () => calling('cluster-1', OTHER_KEY)],
    ['a cluster that is not known', () => calling('cluster-9')],
    [
      'a clock that is ten minutes off',
      () => calling('cluster-1', KEY, () => new Date(bed.clock.now().getTime() + 600_000)),
    ],
  ])('answers nothing to %s', async (_what, call) => {
    for (const path of [RELAY, SESSION]) await expect(call()(path, {})).rejects.toThrow(/answered 401/);
  });

  it('takes no signature that was made for another path, so that no observation is a session', async () => {
    const body = '{}';
    const timestamp = String(Math.floor(bed.clock.now().getTime() / 1000));
    for (const [signed, code] of [
      [`${SESSION}\n${body}`, 200],
      [`${RELAY}\n${body}`, 401],
      [body, 401],
    ] as const) {
      const signature = createHmac('sha256', bytes(KEY)).update(`msg_12345678.${timestamp}.${signed}`).digest('base64');
      const headers = {
        ...{ 'content-type': 'application/json', 'gleaner-cluster': 'cluster-1', 'webhook-id': 'msg_12345678' },
        ...{ 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
      };
      const response = await fetch(`${bed.url}${SESSION}`, { method: 'POST', headers, body });
      expect(response.status, signed).toBe(code);
    }
  });

  it.each([
    ['no JSON', 'application/json', 'x', 401],
    ['no type', 'text/plain', '{}', 415],
    ['a body of 2 MB', 'application/json', 'x'.repeat(2_000_000), 413],
  ])('refuses %s without a stack', async (_what, type, body, code) => {
    const response = await fetch(`${bed.url}${RELAY}`, { method: 'POST', headers: { 'content-type': type }, body });
    const answer = await response.text();
    expect(response.status).toBe(code);
    expect(answer).not.toMatch(/\bat .*\.ts|node_modules/);
  });

  it('gives out its own items, and not even that those of others are there', async () => {
    await bed.store.put('incident', incident('cluster-2'), 0);
    await bed.store.put('incident', incident('cluster-1'), 0);
    const own = storeOf();

    expect((await own.get('incident', incident('cluster-1').id))?.item.cluster).toBe('cluster-1');
    expect(await own.get('incident', incident('cluster-2').id)).toBeUndefined();
    expect(await own.get('lastGood', 'cluster-2/paint/u')).toBeUndefined();
    expect((await own.list('incident')).map(({ item }) => item.cluster)).toEqual(['cluster-1']);
    await expect(own.get('policy', 'policy')).rejects.toThrow();
  });

  it('keeps fields that this release does not know', async () => {
    const known = Object.assign(incident('cluster-1'), { newer: 1 });
    await bed.store.put('incident', known, 0);
    const row = await storeOf().get('incident', known.id);
    if (!row) throw new Error('it is gone');
    await storeOf().put('incident', row.item, row.version);
    expect((await bed.store.get('incident', known.id))?.item).toHaveProperty('newer', 1);
  });

  it('tells the loser of a write who won', async () => {
    const own = storeOf();
    expect(await own.put('incident', incident('cluster-1'), 0)).toEqual({ ok: true, version: 1 });
    expect(await own.put('incident', incident('cluster-1'), 0)).toMatchObject({ ok: false, winner: { version: 1 } });
  });

  const DECISIONS: readonly (readonly [string, Partial<Proposal>])[] = [
    ['approves', { state: 'approved', plan: 'mend' }],
    ['rejects', { state: 'rejected' }],
    ['approves by halves', { approvals: [{ click: 'c', who: 'local:eve', at: AT, plan: 'mend', policy: 'p' }] }],
    ['signs', { decision: { until: AT, signature: 'AAAA' } }],
    ['says who asked', { requester: 'local:eve' }],
    ['lets it never expire', { expiresAt: '2027-01-15T12:00:00.000Z' }],
    ['changes what is shown', { revision: '0123456789abcdef' }],
    ['moves it to another cluster', { cluster: 'cluster-2' }],
  ];
  it.each(DECISIONS)('writes nothing that %s', async (_what, change) => {
    const open = await opened();
    const row = await bed.store.get('proposal', open.id);
    await expect(storeOf().put('proposal', { ...open, ...change }, row?.version ?? 0)).rejects.toThrow(/answered 403/);
    expect((await bed.store.get('proposal', open.id))?.item).toEqual(open);
  });

  it.each(DECISIONS)('writes no progress of a run that %s', async (_what, change) => {
    const open = await opened();
    const row = await bed.store.get('proposal', open.id);
    const running: Proposal = { ...open, state: 'applying', plan: 'mend' };
    await bed.store.put('proposal', running, row?.version ?? 0);
    const version = (row?.version ?? 0) + 1;
    const progress: Proposal = { ...running, run: { steps: [{ is: 'done', since: AT, because: 'so' }], recovery: [] } };
    const isSame = Object.entries(change).every(
      ([field, value]) => field === 'plan' || Object(running)[field] === value,
    );
    expect(isSame).toBe(false);
    await expect(storeOf().put('proposal', { ...progress, ...change }, version)).rejects.toThrow(/answered 403/);
    expect(await storeOf().put('proposal', progress, version)).toMatchObject({ ok: true });
  });

  it.each([
    ['an incident of another cluster', () => storeOf().put('incident', incident('cluster-2'), 0)],
    ['an incident under another id', () => storeOf().put('incident', incident('cluster-1', { id: 'another' }), 0)],
    [
      'an incident that names another’s proposal',
      () => storeOf().put('incident', incident('cluster-1', { proposal: 'p9' }), 0),
    ],
    [
      'an emergency stop',
      () => storeOf().put('switch', { schema: 1, id: 'cluster-1', stopped: false, who: 'local:eve', at: AT }, 0),
    ],
    ['that something was shown', () => storeOf().put('receipt', { schema: 1, id: 'shown q slack:U1 p', at: AT }, 0)],
    ['that a request was taken', () => storeOf().put('receipt', { schema: 1, id: 'ingest:cluster-2:msg', at: AT }, 0)],
    [
      'a good state of another cluster',
      () => storeOf().put('lastGood', { schema: 1, id: 'cluster-2/x', at: AT, value: 1 }, 0),
    ],
    [
      'an image of another’s run',
      () =>
        storeOf().put(
          'image',
          {
            schema: 1,
            id: 'p9/0',
            cluster: 'cluster-1',
            proposal: 'p9',
            step: 0,
            target: subject,
            before: 1,
            after: 2,
          },
          0,
        ),
    ],
  ])('does not write %s', async (_what, write) => {
    await expect(write()).rejects.toThrow();
  });

  const click = { id: 'c', who: 'local:eve' as const, choice: 'approve' as const };
  it.each<readonly [string, Fact]>([
    ['a click', { event: 'clicked', click }],
    [
      'an observation of another cluster',
      { event: 'observed', cluster: 'cluster-2', mode: 'paint', because: '', objects: [] },
    ],
    ['the end of another cluster’s run', { event: 'failed', proposal: 'p9', because: '' }],
    ['that another cluster’s incident is over', { event: 'cleared', incident: incident('cluster-2').id, because: '' }],
    ['that runs may go on', { event: 'resumed', cluster: 'cluster-1', who: 'local:eve' }],
    ['another policy', { event: 'policy-changed', because: '' }],
  ])('does not tell %s', async (_what, fact) => {
    await bed.store.put('incident', incident('cluster-2'), 0);
    const call = calling();
    const bus = relayBus((request) => call(RELAY, request)).endOf({
      hop: 'apply',
      event: { event: 'ticked', since: AT, id: 'e1', at: AT },
    });
    await expect(bus.publish([{ fact }])).rejects.toThrow(/answered 403/);
    expect(bed.fake.queue('decide').peek()).toEqual([]);
    expect(bed.fake.queue('propose').peek()).toEqual([]);
  });

  it('does not tell of a fault of another subject than the incident’s', async () => {
    const open = await opened();
    const call = calling();
    const bus = relayBus((request) => call(RELAY, request)).endOf({
      hop: 'classify',
      event: { event: 'ticked', since: AT, id: 'e1', at: AT },
    });
    const fact: Fact = {
      event: 'found',
      incident: open.incident,
      revision: open.revision,
      found: open.found,
      dryRuns: {},
    };
    await bus.publish([{ fact }]);
    await expect(bus.publish([{ fact: { ...fact, incident: 'another' } }])).rejects.toThrow(/403/);
    await expect(bus.publish([{ fact: { ...fact, found: { ...open.found, cluster: 'cluster-2' } } }])).rejects.toThrow(
      /403/,
    );
  });
});
