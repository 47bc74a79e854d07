import { beforeEach, describe, expect, it } from 'vitest';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import type { Hands } from '../../shared/drill.ts';
import { examine, type Fault } from '../../shared/examine.ts';
import { type JsonObject, milliseconds, nameOf, type ObjectRef, type Step } from '../../shared/handler.ts';
import { type MemoryHands, memoryHands } from '../../test/simulator/memory-hands.ts';
import drill from './drill.ts';
import handler from './handler.ts';

const SYSTEM = 'harvester-system';
const STORAGE_NETWORK: ObjectRef = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name: 'storage-network' };
const machine = (name: string): ObjectRef => ({
  ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace: 'default', name },
});
const EMPTY = [
  'kubevirt.io/VirtualMachineInstance',
  'kubevirt.io/VirtualMachineInstanceMigration',
  'harvesterhci.io/VirtualMachineBackup',
];

let cluster: MemoryHands;
let hands: Hands;
let logs: Map<string, readonly string[]>;

const picture = () =>
  stillLife({ at: hands.now(), objects: cluster.objects(), empty: EMPTY, logs: Object.fromEntries(logs) });
const look = () => examine(handler, picture());
const ask = async (check: string, fault: Fault, target: ObjectRef) =>
  handler.checks[check]?.(picture(), fault.finding, target);

/** The hands of memory, with what this drill needs beside: label selectors and logs. */
function handsOn(memory: MemoryHands): Hands {
  return {
    ...memory.hands,
    async list(kind, where = {}) {
      const wanted = Object.entries(where.labels ?? {});
      const all = await memory.hands.list(kind, where);
      return all.filter((one) => wanted.every(([key, value]) => Object(Object(one.metadata).labels)[key] === value));
    },
    async say({ namespace, name }, container, lines, previous) {
      logs.set(`${namespace}/${name}/${container}${previous ? ' previous' : ''}`, lines);
    },
  };
}

let made = 0;
/** Plays the controllers of Deployments and the kubelet: one pod each that runs, and a new one for each that goes. */
async function keepPods() {
  for (const deployment of await hands.list({ apiVersion: 'apps/v1', kind: 'Deployment' })) {
    const { name } = Object(deployment.metadata);
    const { metadata, spec } = Object(deployment.spec).template;
    const pods = await hands.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: SYSTEM, labels: metadata.labels });
    const ready = pods.filter((pod) => Object(pod.status).containerStatuses?.[0]?.ready === true).length;
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: SYSTEM, name };
    await hands.merge(ref, { spec: { replicas: 1 }, status: { availableReplicas: ready } });
    if (pods.length === 0)
      await hands.create(podOf(`${name}-5c4f7f555c-${String(++made).padStart(5, 'x')}`, metadata, spec));
  }
}

function podOf(name: string, { labels }: { labels: JsonObject }, spec: JsonObject): JsonObject {
  const startedAt = hands.now().toISOString();
  const container = { name: Object(Object(spec.containers)[0]).name, ready: true, restartCount: 0 };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: SYSTEM, labels },
    spec,
    status: { phase: 'Running', containerStatuses: [{ ...container, state: { running: { startedAt } } }] },
  };
}

async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    cluster.pass(1000);
    await keepPods();
    for (const actor of drill.actors) await actor.act(hands);
  }
}

async function broken(): Promise<Fault> {
  await drill.break(hands);
  await pass(150);
  const [fault, ...others] = (await look()).faults;
  expect(others).toEqual([]);
  if (!fault) throw new Error('no fault was found');
  return fault;
}

const planOf = (fault: Fault) => {
  const [plan] = fault.offer.plans;
  if (!plan) throw new Error(`no plan: ${fault.offer.refusal?.because}`);
  return plan;
};

async function call({ target, subresource, body }: Extract<Step, { do: 'call' }>): Promise<number | undefined> {
  const served = drill.calls?.find(({ resource }) => resource === `virtualmachines/${subresource}`);
  const { namespace = '', name } = target;
  return (await served?.answer(hands, { namespace, name }, Object(body)))?.code;
}

/** Carries one step out as the core would: guard and goal first, and a wait until its check holds. */
async function carryOut(step: Step, fault: Fault): Promise<string> {
  if ('guard' in step && step.guard !== undefined) {
    const guard = await ask(step.guard, fault, step.target);
    if (guard?.is !== 'fixed') return `not touched: ${guard?.because}`;
  }
  switch (step.do) {
    case 'call': {
      if ((await ask(step.goal, fault, step.target))?.is === 'fixed') return 'already so';
      return `${await call(step)}`;
    }
    case 'patch':
      if (step.patch.type !== 'merge') throw new Error('only merge patches were expected');
      await hands.merge(step.target, step.patch.body);
      return 'patched';
    case 'wait':
      for (let waited = 0; waited <= milliseconds(step.deadline); waited += 10_000) {
        const verdict = await ask(step.until, fault, step.target);
        if (verdict?.is !== 'waiting') return `${verdict?.is}`;
        await pass(10);
      }
      return 'waited in vain';
    default:
      throw new Error(`${step.do} was not expected`);
  }
}

async function carryOutAll(steps: readonly Step[], fault: Fault): Promise<string[]> {
  const said: string[] = [];
  for (const step of steps) {
    said.push(`${step.do} ${nameOf(step.target)}: ${await carryOut(step, fault)}`);
    await pass(1);
  }
  return said;
}

const statusOf = async (name: string) => Object(Object(await hands.get(machine(name))).status).printableStatus;

beforeEach(async () => {
  cluster = memoryHands(new Date('2026-01-15T12:00:00Z'));
  logs = new Map();
  hands = handsOn(cluster);
  for (const object of drill.healthy) await hands.create(object);
  await pass(400);
});

describe('the drill of the blocked Harvester', () => {
  it('begins with a Harvester that serves', async () => {
    expect(await look()).toMatchObject({ faults: [], refused: [{ because: expect.stringContaining('runs for 5') }] });
  });

  it('is found once the pod has ended twice, with both VMs by name', async () => {
    const fault = await broken();

    expect(fault).toMatchObject({ cause: 'storage-network-setting-vs-running-vm', confidence: 'certain' });
    expect(fault.summary).toContain('default/edge-router, default/orders-db');
  });

  it('gives the same finding and plan over twenty minutes of restarts', async () => {
    const { finding, offer } = await broken();
    for (let minute = 0; minute < 20; minute++) {
      await pass(60);
      expect((await look()).faults).toMatchObject([{ finding, offer }]);
    }
  });

  it('is mended step by step, with the VMs running again as before, and verified', async () => {
    const fault = await broken();

    const said = await carryOutAll(planOf(fault).steps, fault);

    expect(said).toEqual([
      'call VirtualMachine default/edge-router: 202',
      'patch VirtualMachine default/orders-db: patched',
      'wait VirtualMachine default/edge-router: fixed',
      'wait VirtualMachine default/orders-db: fixed',
      `wait Deployment ${SYSTEM}/harvester: fixed`,
      'wait Setting storage-network: fixed',
      `wait Deployment ${SYSTEM}/harvester: fixed`,
      'call VirtualMachine default/edge-router: 202',
      'patch VirtualMachine default/orders-db: patched',
      'wait VirtualMachine default/edge-router: fixed',
      'wait VirtualMachine default/orders-db: fixed',
    ]);
    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
    expect(await hands.get(machine('orders-db'))).toMatchObject({ spec: { runStrategy: 'Always' } });
    await pass(600);
    expect(await handler.verify(picture(), fault.finding)).toMatchObject({ is: 'fixed' });
    expect((await look()).faults).toEqual([]);
  });

  it('is not verified while a VM that was stopped does not run', async () => {
    const fault = await broken();
    const { steps } = planOf(fault);
    await carryOutAll(steps.slice(0, 7), fault);

    expect(await handler.verify(picture(), fault.finding)).toMatchObject({
      is: 'waiting',
      because: expect.stringContaining('default/edge-router'),
    });
  });

  it('starts again what it stopped when the run ends after the stops', async () => {
    const fault = await broken();
    const plan = planOf(fault);
    await carryOutAll(plan.steps.slice(0, 2), fault);

    const said = await carryOutAll(plan.onFailure, fault);

    expect(said.filter((line) => line.includes('in vain') || line.includes('409'))).toEqual([]);
    expect([await statusOf('edge-router'), await statusOf('orders-db')]).toEqual(['Running', 'Running']);
  });

  it('does not start a VM anew whose stop never took effect', async () => {
    const fault = await broken();
    const starts = planOf(fault).onFailure.filter(({ do: verb }) => verb === 'call');

    expect(await carryOutAll(starts, fault)).toEqual(['call VirtualMachine default/edge-router: already so']);
  });

  it('stops nothing once another VM runs that nobody approved', async () => {
    const fault = await broken();
    const [template] = drill.healthy.filter(({ kind }) => kind === 'VirtualMachine');
    await hands.create({ ...template, metadata: { name: 'late', namespace: 'default' } });

    const [first] = planOf(fault).steps;
    expect(first && (await carryOut(first, fault))).toMatch(/VM default\/late runs too/);
  });

  it('stops nothing once the setting was created meanwhile', async () => {
    const fault = await broken();
    await hands.create({ ...STORAGE_NETWORK, metadata: { name: 'storage-network' }, value: '' });

    const [first] = planOf(fault).steps;
    expect(first && (await carryOut(first, fault))).toMatch(/not blocked any more/);
  });

  it('is not mended by a restart of the pods alone', async () => {
    await broken();
    for (const pod of await hands.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: SYSTEM })) {
      const { name } = Object(pod.metadata);
      await hands.remove({ apiVersion: 'v1', kind: 'Pod', namespace: SYSTEM, name });
    }
    await pass(150);

    expect((await look()).faults).toHaveLength(1);
    expect(await hands.get(STORAGE_NETWORK)).toBeUndefined();
  });
});
