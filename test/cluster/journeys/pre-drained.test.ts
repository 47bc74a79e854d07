import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../../shared/playground/json.ts';
import type { Bed } from '../bed/start-bed.ts';
import { startBed } from '../bed/start-bed.ts';
import { until } from '../bed/until.ts';
import { arrangePreDrained, type PreDrained } from '../scenarios/pre-drained.ts';
import { components, namespace } from '../scenarios/pre-drained-objects.ts';
import { rancher, succeed, virtOperator } from '../scenarios/upgrade-goes-on.ts';
import { recordUpgrade } from '../scenarios/upgrade-records.ts';
import { act, handsOn } from './furnished-bed.ts';
import { type Following, follow, inTime, type Stage, states } from './gleaner-on-bed.ts';
import { shiftedClock } from './shifted-clock.ts';

const MODE = 'stuck-pre-drained';
const kubeVirt = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', namespace, name: 'kubevirt' };
/** A stall tells nothing for minutes: each poll lets this much of them pass. */
const slowly = { step: 5_000 };

let bed: Bed;
let stage: Stage;
let incident: PreDrained;
let person: Following;

beforeAll(async () => {
  bed = await startBed();
  await bed.installCrds();
  const clock = shiftedClock();
  incident = await arrangePreDrained(bed, () => clock.now());
  await recordUpgrade(bed);
  const hands = handsOn(bed, incident.agent, clock, () => {});
  await hands.create(operator);
  stage = { bed, clock, hands, flavour: 'harvester' };
  act(bed, [virtOperator, rancher(incident)], hands);
  person = await follow(stage);
});

afterAll(async () => {
  await person?.stop();
  await bed?.stop();
});

const labels = { 'kubevirt.io': 'virt-operator' };
const operator = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name: 'virt-operator', labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'virt-operator', image: 'virt-operator:1.3.1' }] } },
  },
};

/** The pods of a component on the node that is drained. */
const held = async (component: (typeof components)[number]) =>
  (await incident.pods(component)).filter(({ node }) => node === incident.node);

describe('a drain that KubeVirt pinned to its node', () => {
  it('goes on after one approval, with nothing faked but the agents of the nodes', async () => {
    const [kept] = await held('virt-api');
    const before = await incident.evict(kept?.name ?? '');

    const card = await person.card(MODE, slowly);
    const said = await person.approve(card);
    const end = await person.ended(card, slowly);

    expect(before.code).toBe(429);
    expect(await incident.disruptionsAllowed('virt-api')).toBe(1);
    expect(card.found).toMatchObject({ cause: 'pdb-virt-api-node-placement', confidence: 'certain' });
    expect(card.dryRuns['set-node-placement']?.[0]).toMatchObject({
      is: 'would-change',
      differences: [expect.objectContaining({ path: expect.stringContaining('/spec/infra') })],
    });
    expect(said).toMatchObject({ ok: true });
    expect(end.state).toBe('fixed');
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    for (const component of components) expect(await held(component)).toEqual([]);
  });

  it('passes evictions again', async () => {
    const [any] = await incident.pods('virt-api');

    const { code } = await incident.evict(any?.name ?? '');

    expect(code).toBe(201);
    await until(
      'virt-api is whole again',
      async () => (await incident.disruptionsAllowed('virt-api')) === 1 || undefined,
    );
  });

  it('gives the placement back, approved once more, after the upgrade has ended', async () => {
    const [done] = (await person.proposals(MODE)).filter(({ state }) => state === 'fixed');
    if (!done) throw new Error('nothing was fixed');
    const early = await person.click(done, 'undo');
    await succeed(stage.hands);

    const asked = await inTime(stage.clock, 'the undo is offered', async () => {
      const answer = await person.click(done, 'undo');
      return answer.ok ? answer : undefined;
    });
    const card = await person.card(MODE);
    await person.approve(card);
    const undone = await person.ended(card);

    expect(early).toMatchObject({ ok: false });
    expect(asked).toMatchObject({ ok: true });
    expect(undone).toMatchObject({ state: 'fixed', undoes: done.id });
    expect((await person.proposals(MODE)).find(({ id }) => id === done.id)?.state).toBe('reverted');
    expect(at(Object(await stage.hands.get(kubeVirt)), 'spec', 'infra', 'nodePlacement')).toBeUndefined();
  });
});
