import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine, type Fault } from '../../shared/examine.ts';
import type { ObjectRef, Step } from '../../shared/handler.ts';
import { daemonSets } from '../../shared/playground/actors/daemon-sets.ts';
import { deployments } from '../../shared/playground/actors/deployments.ts';
import { disruption } from '../../shared/playground/actors/disruption.ts';
import { kubelet } from '../../shared/playground/actors/kubelet.ts';
import { heartbeats, nodeLifecycle } from '../../shared/playground/actors/nodes.ts';
import { replicaSets } from '../../shared/playground/actors/replica-sets.ts';
import { scheduler } from '../../shared/playground/actors/scheduler.ts';
import { apiServer } from '../../shared/playground/api/api-server.ts';
import { harvesterBase } from '../../shared/playground/base/harvester.ts';
import { chance } from '../../shared/playground/chance.ts';
import { crdsOf } from '../../shared/playground/crds/index.ts';
import { httpHands } from '../../shared/playground/hands.ts';
import { actorTurn, controllerTurn } from '../../shared/playground/run-actors.ts';
import drill from './drill.ts';
import handler from './handler.ts';

const SYSTEM = 'harvester-system';
const kubevirt: ObjectRef = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', namespace: SYSTEM, name: 'kubevirt' };

/** The pretend cluster with nobody but this drill on it, in a time that the test owns. */
async function pretend() {
  const clock = manualClock('2026-01-15T12:00:00.000Z');
  const api = apiServer({ clock, version: 'v1.31.4+rke2r1', ...chance('pre-drained'), calls: [], hands: () => hands });
  const hands = httpHands({
    now: () => clock.now(),
    send: (method, path, body, contentType) => api.answer({ method, path, body, contentType }),
    say: async () => {},
    vip: () => {},
  });
  const base = harvesterBase('192.168.5.10');
  const namespaces = base.filter(({ kind }) => kind === 'Namespace');
  for (const object of [...crdsOf.harvester, ...namespaces, ...drill.healthy, ...base]) await hands.create(object);
  const controllers = [heartbeats, nodeLifecycle, deployments, replicaSets, daemonSets, scheduler, kubelet, disruption];
  const turns = [
    ...controllers.map((controller) => controllerTurn(api, clock, controller)),
    ...drill.actors.map((actor) => actorTurn(actor, hands)),
  ];
  return {
    hands,
    objects: () => api.store.keys().flatMap((key) => api.store.snapshot(key).objects),
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        clock.advance(1000);
        for (const { act } of turns) await act();
      }
    },
  };
}

let cluster: Awaited<ReturnType<typeof pretend>>;

const picture = () => stillLife({ at: cluster.hands.now(), objects: cluster.objects() });
const look = () => examine(handler, picture());

async function fault(): Promise<Fault> {
  const [first, ...others] = (await look()).faults;
  if (!first || others.length > 0) throw new Error(`expected one fault: ${JSON.stringify(await look())}`);
  return first;
}

const checked = (name: string, { finding }: Fault, target: ObjectRef = kubevirt) =>
  handler.checks[name]?.(picture(), finding, target);

/** Waits for a check as the core does, for so many seconds of the cluster at most. */
async function comesTrue(name: string, of: Fault, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 5) {
    await cluster.pass(5);
    if ((await checked(name, of))?.is === 'fixed') return;
  }
  throw new Error(`${name} did not come true in ${seconds} s: ${(await checked(name, of))?.because}`);
}

const stepsOf = ({ offer }: Fault): readonly Step[] => offer.plans.flatMap(({ steps }) => steps);

const stateOf = async (node: string) => {
  const upgrade = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Upgrade',
    namespace: SYSTEM,
    name: 'hvst-upgrade-kdlvd',
  };
  return Object(Object(Object(await cluster.hands.get(upgrade)).status).nodeStatuses)[node]?.state;
};

beforeEach(async () => {
  cluster = await pretend();
  await cluster.pass(60);
});

describe('the drill of the blocked drain', () => {
  it('begins with a cluster on which nothing is found', async () => {
    expect(await look()).toEqual({ faults: [], refused: [] });
  });

  it('is progress at first, and five minutes after the pre-drain job a fault that is certain', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(180);
    expect(await stateOf('node1')).toBe('Pre-drained');
    expect(await look()).toMatchObject({ faults: [], refused: [{ because: expect.stringContaining('only') }] });

    await cluster.pass(300);

    const found = await fault();
    expect(found).toMatchObject({ cause: 'pdb-virt-api-node-placement', confidence: 'certain' });
    expect(found.finding).toMatchObject({ class: 'P2a', node: 'node1', blocked: [] });
    expect(stepsOf(found).map((step) => step.do)).toEqual(['patch', 'wait', 'wait', 'wait']);
    expect(await checked('placement-still-blocks', found)).toMatchObject({ is: 'fixed' });
  });

  it('does not end by itself, and twenty minutes change neither finding nor plan', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(540);
    const before = await fault();

    await cluster.pass(1200);

    const after = await fault();
    expect(after.finding).toEqual(before.finding);
    expect(after.offer).toEqual(before.offer);
    expect(await stateOf('node1')).toBe('Pre-drained');
  });

  it('is mended by the patch within the deadlines of the plan, and the upgrade goes on', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(900);
    const found = await fault();
    const [patch] = stepsOf(found);
    if (patch?.do !== 'patch' || patch.patch.type !== 'merge')
      throw new Error('the plan does not begin with a merge patch');

    await cluster.hands.merge(patch.target, patch.patch.body);

    expect(await checked('placement-still-blocks', found)).toMatchObject({ is: 'failed' });
    await comesTrue('deployments-rolled-over', found, 300);
    await comesTrue('drain-allowed', found, 120);
    await comesTrue('drain-moved-on', found, 900);
    for (let minute = 0; minute < 30 && (await handler.verify(picture(), found.finding)).is !== 'fixed'; minute++) {
      await cluster.pass(60);
    }
    expect(await handler.verify(picture(), found.finding)).toMatchObject({ is: 'fixed' });
    expect(await checked('upgrade-ended', found)).toMatchObject({ is: 'waiting' });
    await cluster.pass(60);
    expect((await look()).faults).toEqual([]);
  });

  it('lets the placement be taken back once the upgrade is over', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(540);
    const found = await fault();

    await drill.afterwards?.(cluster.hands);
    await cluster.pass(5);

    expect(await checked('upgrade-ended', found)).toMatchObject({ is: 'fixed' });
    expect(await look()).toMatchObject({ faults: [], refused: [{ because: expect.stringContaining('over') }] });
  });

  it('shows what a deleted budget costs: it is made anew, and the VM API is left without a replica', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(540);
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: SYSTEM, name: 'virt-api-pdb' };

    await cluster.hands.remove(budget);
    await cluster.pass(20);

    const api = await cluster.hands.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: SYSTEM,
      name: 'virt-api',
    });
    expect(await cluster.hands.get(budget)).toBeDefined();
    expect(Object(api?.status).availableReplicas ?? 0).toBe(0);
  });
});
