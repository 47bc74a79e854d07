import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import drill, { bookNewLoadBalancer } from '../../../handlers/ippool-status-wiped/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import { at, listAt, textAt, withField } from '../../../shared/playground/json.ts';
import { until } from '../bed/until.ts';
import { type FurnishedBed, furnishBed } from './furnished-bed.ts';
import { deaf, type Following, follow, inTime, states } from './gleaner-on-bed.ts';

const group = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1' };
const pool: ObjectRef = { ...group, kind: 'IPPool', name: 'pool1' };
const finalizers = ['wrangler.cattle.io/harvester-ipam-controller'];

let stage: FurnishedBed;
let person: Following;
/** What the pool was before it was ever broken. */
let sound: JsonObject;

beforeAll(async () => {
  stage = await furnishBed({ drills: [drill] });
  sound = Object(await stage.hands.get(pool));
});

/** Each journey begins with a sound pool, and a Gleaner that has seen it so. */
async function begin(modes?: typeof deaf): Promise<void> {
  person = await follow(stage, modes && { modes });
  const { store } = person.gleaner.world;
  await inTime(stage.clock, 'the sound pool is remembered', async () => (await store.list('lastGood'))[0]);
}

afterEach(async () => {
  await person.stop();
  await putRight();
});

afterAll(() => stage?.bed.stop());

/** Takes away what a journey left behind. */
async function putRight(): Promise<void> {
  for (const { metadata } of await stage.hands.list({ ...group, kind: 'LoadBalancer' })) {
    const { name = '', namespace = '' } = Object(metadata);
    if (name.startsWith('lb-')) await removed({ ...group, kind: 'LoadBalancer', namespace, name });
  }
  await stage.hands.merge(pool, { metadata: { finalizers }, spec: Object(sound.spec), status: null });
  await stage.hands.merge(pool, { status: Object(sound.status) });
}

const removed = async (ref: ObjectRef) => {
  await stage.hands.remove(ref);
  await until(`${ref.name} is gone`, async () => (await stage.hands.get(ref)) === undefined || undefined);
};

/** The addresses that load balancers hold, one for each. */
const addresses = async () =>
  (await stage.hands.list({ ...group, kind: 'LoadBalancer' })).map((lb) =>
    textAt(lb, 'status', 'allocatedAddress', 'ip'),
  );

/** Saves the pool without its status, and waits for what its controller makes of that: a fault that changes is another card. */
async function wipe(): Promise<JsonObject | undefined> {
  await drill.break(stage.hands);
  await until('the zeros are there', async () => at(await stage.hands.get(pool), 'status'));
  return stage.hands.get(pool);
}

/** A load balancer more, once the controller has given it an address. */
async function booked(name: string): Promise<ObjectRef> {
  const ref = await bookNewLoadBalancer(stage.hands, name);
  await until(`${name} has an address`, async () => at(await stage.hands.get(ref), 'status', 'allocatedAddress'));
  return ref;
}

describe('a pool whose status a careless save erased', () => {
  beforeEach(() => begin());

  it('gets its status back after one approval, and hands out no address twice', async () => {
    const wiped = await wipe();

    const card = await person.card(drill.mode);
    const said = await person.approve(card);
    const end = await person.ended(card);
    await booked('lb-after');

    expect(at(wiped, 'status', 'allocated')).toBeUndefined();
    expect(card.found).toMatchObject({ confidence: 'certain', cause: 'ui-extension-wiped-status' });
    expect(card.dryRuns['restore-status']).toMatchObject([
      { is: 'would-change', differences: expect.arrayContaining([expect.objectContaining({ path: '/status/total' })]) },
    ]);
    expect(said).toMatchObject({ ok: true });
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    expect(at(await stage.hands.get(pool), 'status', 'allocated')).toMatchObject(
      Object(at(sound, 'status', 'allocated')),
    );
    expect(new Set(await addresses()).size).toBe(3);
    expect(end.found.offer.plans[0]?.undo).toMatchObject({ offered: false });
  });

  it('hands out an address twice when its controller is restarted first, and then only a person is asked', async () => {
    await wipe();

    await restartController();
    await until('the pool looks well', async () => listAt(await stage.hands.get(pool), 'status', 'conditions')[0]);
    await booked('lb-late');
    const card = await person.card(drill.mode);

    const held = await addresses();
    expect(held).toHaveLength(3);
    expect(new Set(held).size).toBe(2);
    expect(card.found.offer.refusal?.because).toContain('default/lb-late');
    expect(card.found.offer.plans.flatMap(({ steps }) => steps.map((step) => step.do))).toEqual(['ask']);
  });
});

const restartController = () =>
  stage.hands.merge(
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'harvester-system', name: 'harvester-load-balancer' },
    {
      spec: {
        template: {
          metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': stage.clock.now().toISOString() } },
        },
      },
    },
  );

describe('between the card and the click', () => {
  beforeEach(() => begin());

  it('twenty minutes of heartbeats, status updates and unrelated bookings leave the approval as good as new', async () => {
    await wipe();
    const card = await person.card(drill.mode);
    const other = { ...pool, name: 'pool2' };
    const { metadata: _own, ...rest } = sound;
    const status = { total: 253, available: 253, lastAllocated: '', conditions: listAt(sound, 'status', 'conditions') };
    await stage.hands.create({
      ...rest,
      metadata: { name: other.name, finalizers },
      spec: { ranges: [{ subnet: '10.7.0.0/24', gateway: '10.7.0.1' }] },
      status,
    });

    for (let minute = 1; minute <= 20; minute++) await minuteOfLife(minute, other.name);
    const still = await person.proposals(drill.mode);
    const said = await person.approve(card);
    const end = await person.ended(card);
    await stage.hands.merge(other, { metadata: { finalizers: null } });
    await removed(other);

    expect(still).toMatchObject([{ id: card.id, revision: card.revision, state: 'open' }]);
    expect(said).toMatchObject({ ok: true });
    expect(end.state).toBe('fixed');
  });
});

describe('a click on what has changed since Gleaner last looked', () => {
  /** What the watch tells would replace the card before anybody could click on it. */
  beforeEach(() => begin(deaf));

  it('comes to nothing after a booking from the wiped pool, in words', async () => {
    await wipe();
    const card = await person.card(drill.mode, { step: 10_000 });
    const late = await booked('lb-between');

    await person.approve(card);
    const end = await person.ended(card);

    expect(late.name).toBe('lb-between');
    expect(end).toMatchObject({ state: 'stale', run: { steps: [] } });
    expect(end.because).toContain('no longer what was approved');
    expect(end.because).toContain('default/lb-between');
  });

  it('comes to nothing where somebody mended the pool, in words', async () => {
    await wipe();
    const card = await person.card(drill.mode, { step: 10_000 });
    await stage.hands.merge(pool, { status: Object(sound.status) });

    await person.approve(card);
    const end = await person.ended(card);

    expect(end).toMatchObject({ state: 'stale', run: { steps: [] } });
    expect(end.because).toContain('no longer so');
  });

  it('comes to nothing where the pool was deleted and made again, in words', async () => {
    await wipe();
    const card = await person.card(drill.mode, { step: 10_000 });
    stage.pause(true);
    await stage.hands.merge(pool, { metadata: { finalizers: null } });
    await removed(pool);
    const { metadata: _own, ...rest } = withField(sound, 'status', undefined);
    await stage.hands.create({ ...rest, metadata: { name: pool.name, finalizers } });
    stage.pause(false);

    await person.approve(card);
    const end = await person.ended(card);

    expect(end).toMatchObject({ state: 'stale', run: { steps: [] } });
    expect(end.because).toContain('was deleted and made again');
  });
});

/** What goes on around a wiped pool in one minute, and changes nothing about it. */
async function minuteOfLife(minute: number, otherPool: string): Promise<void> {
  const now = stage.clock.now().toISOString();
  const lb = { ...group, kind: 'LoadBalancer', namespace: 'default', name: 'lb1' };
  const conditions = [{ type: 'Ready', status: 'True', lastUpdateTime: now }];
  await stage.hands.merge(lb, { status: { conditions } });
  await stage.hands.merge(pool, { metadata: { annotations: { 'field.cattle.io/seen': String(minute) } } });
  await stage.hands.create({
    ...group,
    kind: 'LoadBalancer',
    metadata: { name: `lb-other-${minute}`, namespace: 'default' },
    spec: { ipam: 'pool', ipPool: otherPool },
  });
  await stage.bed.request('PATCH', '/api/v1/nodes/node1/status', { status: { conditions: heartbeat(now) } }, STRATEGIC);
  stage.clock.advance(60_000);
  await pause(250);
}

const STRATEGIC = { 'Content-Type': 'application/strategic-merge-patch+json' };
const heartbeat = (lastHeartbeatTime: string) => [{ type: 'Ready', status: 'True', lastHeartbeatTime }];
