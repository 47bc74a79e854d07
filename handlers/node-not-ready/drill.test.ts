import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine, type Fault } from '../../shared/examine.ts';
import type { Step } from '../../shared/handler.ts';
import { daemonSets } from '../../shared/playground/actors/daemon-sets.ts';
import { kubelet } from '../../shared/playground/actors/kubelet.ts';
import { heartbeats, nodeLifecycle } from '../../shared/playground/actors/nodes.ts';
import { scheduler } from '../../shared/playground/actors/scheduler.ts';
import { apiServer } from '../../shared/playground/api/api-server.ts';
import { harvesterBase } from '../../shared/playground/base/harvester.ts';
import { chance } from '../../shared/playground/chance.ts';
import { crdsOf } from '../../shared/playground/crds/index.ts';
import { httpHands } from '../../shared/playground/hands.ts';
import { actorTurn, controllerTurn } from '../../shared/playground/run-actors.ts';
import drill from './drill.ts';
import handler from './handler.ts';

/** The pretend cluster with nobody but this drill on it, in a time that the test owns. */
async function pretend() {
  const clock = manualClock('2026-01-15T12:00:00.000Z');
  const api = apiServer({ clock, version: 'v1.31.4+rke2r1', ...chance('silent'), calls: [], hands: () => hands });
  let answers = true;
  const hands = httpHands({
    now: () => clock.now(),
    send: (method, path, body, contentType) => api.answer({ method, path, body, contentType }),
    say: async () => {},
    vip: (yes) => {
      answers = yes;
    },
  });
  const base = harvesterBase('192.168.5.10');
  const namespaces = base.filter(({ kind }) => kind === 'Namespace');
  for (const object of [...crdsOf.harvester, ...namespaces, ...drill.healthy, ...base]) await hands.create(object);
  const turns = [
    ...[heartbeats, nodeLifecycle, daemonSets, scheduler, kubelet].map((one) => controllerTurn(api, clock, one)),
    ...drill.actors.map((actor) => actorTurn(actor, hands)),
  ];
  return {
    hands,
    answers: () => answers,
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

const picture = () => {
  const vip = { ok: cluster.answers(), because: cluster.answers() ? '200' : 'no answer within 5 s' };
  const probes = { vip, readyz: { ok: true, because: '200' } };
  return stillLife({ at: cluster.hands.now(), objects: cluster.objects(), probes });
};
const look = () => examine(handler, picture());

async function fault(): Promise<Fault> {
  const [first, ...others] = (await look()).faults;
  if (!first || others.length > 0) throw new Error(`expected one fault: ${JSON.stringify(await look())}`);
  return first;
}

const stepsOf = ({ offer }: Fault): readonly Step[] => offer.plans.flatMap(({ steps }) => steps);
const checked = (name: string, { finding, subject }: Fault) => handler.checks[name]?.(picture(), finding, subject);

beforeEach(async () => {
  cluster = await pretend();
  await cluster.pass(60);
});

describe('the drill of the silent kube-vip', () => {
  it('begins with a cluster on which nothing is found, also while time passes', async () => {
    expect((await look()).faults).toEqual([]);

    await cluster.pass(300);

    expect((await look()).faults).toEqual([]);
  });

  it('is told once the Lease is a minute old and the address does not answer', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(90);

    const found = await fault();

    expect(found).toMatchObject({ confidence: 'certain', finding: { fault: 'silent-leader', hasStandby: true } });
    expect(stepsOf(found).map((step) => step.do)).toEqual(['delete', 'wait', 'wait']);
    expect(await checked('leader-still-silent', found)).toMatchObject({ is: 'fixed' });
    expect(await handler.verify(picture(), found.finding)).toMatchObject({ is: 'waiting' });
  });

  it('does not end by itself, and twenty minutes change neither finding nor plan', async () => {
    await drill.break(cluster.hands);
    await cluster.pass(90);
    const before = await fault();

    await cluster.pass(1200);

    const after = await fault();
    expect(after.finding).toEqual(before.finding);
    expect(after.offer).toEqual(before.offer);
  });

  it("is mended by the deletion of the leader's pod, whose successor leads", async () => {
    await drill.break(cluster.hands);
    await cluster.pass(90);
    const found = await fault();
    const [step] = stepsOf(found);
    if (step?.do !== 'delete') throw new Error('the plan does not begin with a deletion');

    await cluster.hands.remove(step.target);
    await cluster.pass(60);

    expect(await checked('lease-renewed', found)).toMatchObject({ is: 'fixed' });
    expect(await checked('vip-answers', found)).toMatchObject({ is: 'fixed' });
    expect(await checked('leader-still-silent', found)).toMatchObject({ is: 'failed' });
    expect(await handler.verify(picture(), found.finding)).toMatchObject({ is: 'fixed' });
    expect((await look()).faults).toEqual([]);
  });

  it('is not told where the address answers although nobody renews the Lease', async () => {
    await drill.break(cluster.hands);
    cluster.hands.vip(true);
    await cluster.pass(90);

    const found = await fault();

    expect(found.confidence).toBe('suspected');
    expect(stepsOf(found).map((step) => step.do)).toEqual(['ask']);
  });
});
