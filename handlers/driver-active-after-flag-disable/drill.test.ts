import { applyPatch } from 'rfc6902';
import { beforeEach, describe, expect, it } from 'vitest';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine, type Fault } from '../../shared/examine.ts';
import type { JsonObject, ObjectRef, Step } from '../../shared/handler.ts';
import { type MemoryHands, memoryHands } from '../../test/simulator/memory-hands.ts';
import drill from './drill.ts';
import handler from './handler.ts';

const management = { apiVersion: 'management.cattle.io/v3' };
const driver: ObjectRef = { ...management, kind: 'NodeDriver', name: 'harvester' };
const harvester: ObjectRef = { ...management, kind: 'Feature', name: 'harvester' };
const EMPTY = [
  'rke-machine.cattle.io/HarvesterMachine',
  'rke-machine.cattle.io/HarvesterMachineTemplate',
  'rke-machine-config.cattle.io/HarvesterConfig',
  'provisioning.cattle.io/Cluster',
  'cluster.x-k8s.io/Machine',
  'management.cattle.io/Node',
  'management.cattle.io/NodeTemplate',
  'apiextensions.k8s.io/CustomResourceDefinition',
];

let cluster: MemoryHands;
const picture = () => stillLife({ at: cluster.hands.now(), objects: cluster.objects(), empty: EMPTY });
const look = () => examine(handler, picture());
const ask = async (check: string, fault: Fault) => handler.checks[check]?.(picture(), fault.finding, driver);

async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    cluster.pass(1000);
    for (const actor of drill.actors) await actor.act(cluster.hands);
  }
}

const release = (value: string) =>
  cluster.hands.merge({ ...management, kind: 'Setting', name: 'server-version' }, { value });

async function broken(): Promise<Fault> {
  await drill.break(cluster.hands);
  await pass(90);
  const [fault, ...others] = (await look()).faults;
  expect(others).toEqual([]);
  if (!fault) throw new Error('no fault was found');
  return fault;
}

/** Carries out one touching step, as the core would: guard first, then the patch. */
async function carryOut(step: Step, fault: Fault) {
  if (step.do !== 'patch') throw new Error(`${step.do} is not a patch`);
  expect(await ask(step.guard ?? '', fault)).toMatchObject({ is: 'fixed' });
  if (step.patch.type === 'merge') return cluster.hands.merge(step.target, step.patch.body);
  const object = structuredClone(await cluster.hands.get(step.target));
  expect(applyPatch(object, [...step.patch.operations]).filter((error) => error !== null)).toEqual([]);
  await cluster.hands.put(Object(object));
}

const stepsOf = (fault: Fault) => fault.offer.plans.flatMap((plan) => plan.steps);

beforeEach(async () => {
  cluster = memoryHands(new Date('2026-01-15T12:00:00Z'));
  for (const object of drill.healthy) await cluster.hands.create(object);
  await pass(60);
});

describe('the drill of the active driver', () => {
  it('begins with a Rancher on which nothing is found', async () => {
    expect(await look()).toMatchObject({ faults: [], refused: [{ because: expect.stringContaining('is on') }] });
  });

  it('is found, mended step by step, and verified once Rancher has taken the definitions away', async () => {
    const fault = await broken();
    expect(fault).toMatchObject({ cause: 'by-design-before-2.11', confidence: 'certain' });
    expect(stepsOf(fault).map(({ do: verb, target }) => `${verb} ${target.name}`)).toEqual([
      'patch harvester-baremetal-container-workload',
      'patch harvester',
    ]);

    for (const step of stepsOf(fault)) {
      await carryOut(step, fault);
      await pass(3);
    }

    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
    await pass(600);
    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
    expect((await look()).faults).toEqual([]);
  });

  it('is not called mended while the definitions still stand', async () => {
    const fault = await broken();
    for (const step of stepsOf(fault)) await carryOut(step, fault);

    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'waiting' });
  });

  it('does not come about from 2.11.0 on, where Rancher follows the flag', async () => {
    await release('v2.11.0');
    await drill.break(cluster.hands);
    await pass(5);

    expect((await look()).faults).toEqual([]);
  });

  it('in 2.11.0-rc5 waits for the bare-metal flag, after which Rancher may be faster than the last step', async () => {
    await release('v2.11.0-rc5');
    const fault = await broken();
    expect(fault).toMatchObject({ cause: 'baremetal-flag-unset-crash', finding: { class: 'panic' } });
    const [first, last] = stepsOf(fault);
    if (!first || !last) throw new Error('two steps were expected');

    await carryOut(first, fault);
    await pass(3);
    await carryOut(last, fault);

    expect(await cluster.hands.get(driver)).toMatchObject({ spec: { active: false } });
    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
  });
});

describe('between the card and each write', () => {
  const machine: JsonObject = {
    apiVersion: 'rke-machine.cattle.io/v1',
    kind: 'HarvesterMachine',
    metadata: { name: 'm-1', namespace: 'fleet-default', labels: { 'cluster.x-k8s.io/cluster-name': 'guest' } },
  };

  it('a first machine of the driver stops the run, and the next look refuses', async () => {
    const fault = await broken();
    await cluster.hands.create(machine);

    for (const step of stepsOf(fault)) {
      const verdict = 'guard' in step && (await ask(step.guard ?? '', fault));
      expect(verdict).toMatchObject({ is: 'failed', because: expect.stringContaining('Cluster fleet-default/guest') });
    }
    const [now] = (await look()).faults;
    expect(now).toMatchObject({ cause: 'driver-in-use-by-clusters', offer: { plans: [] } });
  });

  it('a flag that was turned on again stops the run', async () => {
    const fault = await broken();
    await cluster.hands.merge(harvester, { spec: { value: true } });

    expect(await ask('unused', fault)).toMatchObject({ is: 'failed' });
    expect(await ask('unused-and-off', fault)).toMatchObject({ is: 'failed' });
  });

  it('machines that come and go in a cluster which uses the driver leave the finding as it was', async () => {
    await cluster.hands.create(machine);
    const before = await broken();
    await cluster.hands.create({ ...machine, metadata: { ...Object(machine.metadata), name: 'm-2' } });
    await cluster.hands.merge(driver, { status: { appliedURL: 'again' } });

    expect((await look()).faults[0]).toMatchObject({ finding: before.finding, offer: before.offer });
  });
});

describe("Rancher's minute", () => {
  const written = (time: string) =>
    cluster.hands.merge(harvester, { metadata: { managedFields: [{ manager: 'gleaner', time }] } });

  it('lasts 60 seconds from the last write of a flag', async () => {
    const fault = await broken();
    await written('2026-01-15T12:02:00Z');
    expect(cluster.hands.now().toISOString()).toBe('2026-01-15T12:02:30.000Z');
    expect(await ask('rancher-had-its-minute', fault)).toMatchObject({ is: 'waiting' });

    cluster.pass(30_000);

    expect(await ask('rancher-had-its-minute', fault)).toMatchObject({ is: 'fixed' });
  });

  it('is over as soon as the driver is inactive', async () => {
    const fault = await broken();
    await written('2026-01-15T12:02:29Z');
    await cluster.hands.merge(driver, { spec: { active: false } });

    expect(await ask('rancher-had-its-minute', fault)).toMatchObject({ is: 'fixed' });
  });
});
