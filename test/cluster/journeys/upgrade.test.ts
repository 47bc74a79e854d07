import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import drill from '../../../handlers/stuck-pre-drained/drill.ts';
import { at } from '../../../shared/playground/json.ts';
import { until } from '../bed/until.ts';
import { type FurnishedBed, furnishBed } from './furnished-bed.ts';
import { type Following, follow, inTime, states } from './gleaner-on-bed.ts';

const placement = async () => at(await stage.hands.get(kubeVirt), 'spec', 'infra', 'nodePlacement');

/** A stall tells nothing for minutes: each poll lets this much of them pass. */
const slowly = { step: 5_000, withinMs: 90_000 };

const kubeVirt = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', namespace: 'harvester-system', name: 'kubevirt' };
const operator = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'harvester-system', name: 'virt-operator' };

let stage: FurnishedBed;
let person: Following;

beforeAll(async () => {
  stage = await furnishBed({ drills: [drill] });
  person = await follow(stage);
});

afterAll(async () => {
  await person?.stop();
  await stage?.bed.stop();
});

describe('an upgrade that stands still at its first node', () => {
  it('goes on after one approval, and gives the placement back when it has ended', async () => {
    await drill.break(stage.hands);

    const card = await person.card(drill.mode, slowly);
    const said = await person.approve(card);
    const end = await person.ended(card, slowly);
    const early = await person.click(end, 'undo');
    await drill.afterwards?.(stage.hands);
    await inTime(stage.clock, 'the undo is offered', async () => (await person.click(end, 'undo')).ok || undefined);
    const back = await person.card(drill.mode);
    await person.approve(back);
    const undone = await person.ended(back);

    expect(card.found.offer.plans.map(({ id }) => id)).toEqual(['set-node-placement']);
    expect(early).toMatchObject({ ok: false });
    expect(said).toMatchObject({ ok: true });
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    expect(undone).toMatchObject({ state: 'fixed', undoes: end.id });
    expect(await placement()).toBeUndefined();
  });

  it('offers to delete the budgets on a card of its own, once the placement came to nothing', async () => {
    await drill.break(stage.hands);
    const card = await person.card(drill.mode, slowly);

    // virt-operator is away before it sees the placement.
    stage.pause(true);
    await person.approve(card);
    await until('the placement is set', placement);
    await stage.hands.merge(operator, { spec: { replicas: 0 } });
    await until('virt-operator is gone', async () => {
      return at(await stage.hands.get(operator), 'status', 'availableReplicas') === undefined || undefined;
    });
    stage.pause(false);
    const end = await person.ended(card, slowly);
    const later = await person.card(drill.mode, slowly);

    expect(card.found.offer.plans.map(({ id }) => id)).toEqual(['set-node-placement']);
    expect(end).toMatchObject({ state: 'failed', plan: 'set-node-placement' });
    expect(later.found.offer.plans).toMatchObject([{ id: 'delete-budgets', risk: 'high', stopgap: true }]);
    expect(later.approvals).toEqual([]);
  });
});
