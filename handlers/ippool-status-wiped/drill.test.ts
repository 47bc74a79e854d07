import { applyPatch } from 'rfc6902';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Still, stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine, type Fault } from '../../shared/examine.ts';
import type { Json, ObjectRef, Plan } from '../../shared/handler.ts';
import { type MemoryHands, memoryHands } from '../../test/simulator/memory-hands.ts';
import drill, { bookNewLoadBalancer } from './drill.ts';
import handler from './handler.ts';

const pool: ObjectRef = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', name: 'pool1' };
const deployment: ObjectRef = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'harvester-system',
  name: 'harvester-load-balancer',
};

let cluster: MemoryHands;
let kept: Still['lastGood'];

const picture = () => stillLife({ at: cluster.hands.now(), objects: cluster.objects(), lastGood: kept ?? [] });
const look = () => examine(handler, picture());

async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    cluster.pass(1000);
    for (const actor of drill.actors) await actor.act(cluster.hands);
  }
}

async function keepLastGood() {
  const value = await handler.lastGood?.good(picture(), pool);
  if (value !== undefined) kept = [{ ref: pool, at: cluster.hands.now(), value }];
}

const restart = () =>
  cluster.hands.merge(deployment, {
    spec: {
      template: {
        metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': cluster.hands.now().toISOString() } },
      },
    },
  });

async function the(faults: Promise<{ faults: readonly Fault[] }>): Promise<Fault> {
  const [first, ...others] = (await faults).faults;
  expect(others).toEqual([]);
  if (!first) throw new Error('no fault was found');
  return first;
}

/** Carries out a plan's one patch, as the core would. */
async function apply(plan: Plan | undefined) {
  const step = plan?.steps[0];
  if (step?.do !== 'patch' || step.patch.type !== 'json') throw new Error('the plan has no JSON patch');
  const object = structuredClone(await cluster.hands.get(pool));
  expect(applyPatch(object, [...step.patch.operations]).filter((error) => error !== null)).toEqual([]);
  await cluster.hands.put(Object(object));
}

const holdersOf = async (): Promise<[string, string][]> =>
  (await cluster.hands.list({ apiVersion: pool.apiVersion, kind: 'LoadBalancer' })).map(({ metadata, status }) => [
    Object(Object(status).allocatedAddress).ip,
    Object(metadata).name,
  ]);

beforeEach(async () => {
  kept = [];
  cluster = memoryHands(new Date('2026-01-15T12:00:00Z'));
  for (const object of drill.healthy) await cluster.hands.create(object);
  await pass(120);
});

describe('the drill of the wiped pool', () => {
  it('begins with a cluster on which nothing is found', async () => {
    expect(await look()).toMatchObject({ faults: [], refused: [{ because: expect.stringContaining('Ready') }] });
  });

  it('erases the status at once, and leaves zeros once the controller has put its finalizer back', async () => {
    await drill.break(cluster.hands);
    expect(await the(look())).toMatchObject({ finding: { class: 'S0' } });

    await pass(5);
    expect(await the(look())).toMatchObject({ finding: { class: 'S1' } });
  });

  it.each([
    ['what was kept of it', true, 'last-good'],
    ['the claims of the load balancers', false, 'claim'],
  ])('is mended by a restore from %s, and later load balancers get free addresses', async (_what, keep, from) => {
    if (keep) await keepLastGood();
    await drill.break(cluster.hands);
    await pass(40);
    const fault = await the(look());
    expect(fault).toMatchObject({ confidence: 'certain', finding: { allocated: [{ from }, { from }] } });

    await apply(fault.offer.plans[0]);
    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
    await pass(60);
    await bookNewLoadBalancer(cluster.hands);
    await pass(2);

    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
    expect(new Map(await holdersOf())).toHaveProperty('size', 3);
    expect((await look()).faults).toEqual([]);
    await restart();
    await pass(2);
    expect((await look()).faults).toEqual([]);
  });

  it('shows that a restart before the restore hands out a duplicate, which is then refused with its name', async () => {
    await keepLastGood();
    await drill.break(cluster.hands);
    await pass(5);
    await restart();
    await pass(2);
    expect(await the(look())).toMatchObject({ confidence: 'certain', finding: { class: 'S3' } });

    await bookNewLoadBalancer(cluster.hands);
    await pass(2);

    const addresses = (await holdersOf()).map(([ip]) => ip);
    expect(addresses).toHaveLength(3);
    expect(new Set(addresses).size).toBe(2);
    const fault = await the(look());
    expect(fault).toMatchObject({ finding: { duplicates: [{ ip: '192.168.5.10', later: 'default/lb-new' }] } });
    expect(fault.offer.plans.flatMap((plan) => plan.steps.map((step) => step.do))).toEqual(['ask']);
  });

  it('asks for the restore once the later load balancer is gone', async () => {
    await keepLastGood();
    await drill.break(cluster.hands);
    await pass(5);
    const later = await bookNewLoadBalancer(cluster.hands);
    await pass(2);
    const duplicate = await the(look());
    const freed = handler.checks['address-freed'];
    expect(await freed?.(picture(), duplicate.finding, later)).toMatchObject({ is: 'waiting' });

    await cluster.hands.remove(later);
    await pass(2);

    expect(await freed?.(picture(), duplicate.finding, later)).toMatchObject({ is: 'fixed' });
    expect(await handler.verify(picture(), duplicate.finding)).toMatchObject({ is: 'fixed' });
    expect((await the(look())).offer.plans.map(({ id }) => id)).toEqual(['restore-status']);
  });
});

describe('between the card and the click', () => {
  it('twenty minutes of other bookings and touched objects leave finding and plan as they were', async () => {
    await keepLastGood();
    await drill.break(cluster.hands);
    await pass(40);
    const before = await the(look());
    const other: ObjectRef = { ...pool, name: 'pool2' };
    const pool1 = Object(await cluster.hands.get(pool));
    await cluster.hands.create({
      ...pool1,
      metadata: { name: 'pool2', finalizers: pool1.metadata.finalizers },
      spec: { ranges: [{ subnet: '10.0.0.0/24' }] },
      status: { total: 253, available: 253, lastAllocated: '', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    for (let minute = 0; minute < 20; minute++) {
      const lb = {
        apiVersion: pool.apiVersion,
        kind: 'LoadBalancer',
        metadata: { name: `o${minute}`, namespace: 'default' },
      };
      await cluster.hands.create({ ...lb, spec: { ipam: 'pool', ipPool: other.name } });
      const note: Json = { metadata: { annotations: { seen: String(minute) } } };
      await cluster.hands.merge(pool, note);
      await pass(60);
    }

    const after = await the(look());

    expect(after.finding).toEqual(before.finding);
    expect(after.offer).toEqual(before.offer);
    const { restorable } = handler.checks;
    expect(await restorable?.(picture(), before.finding, pool)).toMatchObject({ is: 'fixed' });
  });

  it('the guard refuses once a load balancer has booked from the wiped pool', async () => {
    await keepLastGood();
    await drill.break(cluster.hands);
    await pass(40);
    const { finding } = await the(look());
    await bookNewLoadBalancer(cluster.hands);
    await pass(2);

    const verdict = await handler.checks.restorable?.(picture(), finding, pool);

    expect(verdict).toMatchObject({ is: 'failed', because: expect.stringContaining('changed') });
  });
});

describe('the last good status', () => {
  it('is kept of a sound pool, and not of a wiped one or of one that was restarted after the wipe', async () => {
    const good = () => handler.lastGood?.good(picture(), pool);
    expect(await good()).toMatchObject({ total: 11, allocated: { '192.168.5.10': 'default/lb1' } });
    await keepLastGood();
    await drill.break(cluster.hands);
    expect(await good()).toBeUndefined();
    await pass(2);
    await restart();
    await pass(2);
    expect(await good()).toBeUndefined();

    kept = [];
    expect(await good()).toBeUndefined();
  });

  it('goes on being kept where somebody claims an address that the pool never booked for him', async () => {
    await keepLastGood();
    await cluster.hands.create({
      apiVersion: pool.apiVersion,
      kind: 'LoadBalancer',
      metadata: { name: 'forged', namespace: 'tenant' },
      spec: { ipam: 'pool', ipPool: 'pool1' },
      status: { allocatedAddress: { ipPool: 'pool1', ip: '192.168.5.15' } },
    });
    await pass(120);

    expect(await handler.lastGood?.good(picture(), pool)).toMatchObject({ total: 11 });
    expect(await the(look())).toMatchObject({ confidence: 'suspected', cause: 'stale-allocation' });
  });
});
