import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import drill from '../../../handlers/blocked-harvester-pod/drill.ts';
import { isObject } from '../../../shared/objects.ts';
import { at } from '../../../shared/playground/json.ts';
import { type FurnishedBed, furnishBed } from './furnished-bed.ts';
import { type Following, follow, inTime, states, YOU } from './gleaner-on-bed.ts';
import { startKillable } from './killable.ts';

const kubevirt = { apiVersion: 'kubevirt.io/v1', namespace: 'default' };
/** The machines of the drill, with the run strategies that they have before and must have after. */
const machines = [
  { name: 'edge-router', strategy: 'RerunOnFailure' },
  { name: 'orders-db', strategy: 'Always' },
];
/** A plan that waits for minutes: each poll lets this much of them pass. */
const slowly = { step: 5_000, withinMs: 90_000 };

let stage: FurnishedBed;
let person: Following | undefined;

beforeAll(async () => {
  stage = await furnishBed({ drills: [drill] });
});

beforeEach(() => drill.break(stage.hands));

afterEach(async () => {
  await person?.stop();
  person = undefined;
});

afterAll(() => stage?.bed.stop());

const instanceOf = (name: string) => stage.hands.get({ ...kubevirt, kind: 'VirtualMachineInstance', name });

/** Whether every machine is down at this moment. */
async function allDown(): Promise<true | undefined> {
  const instances = await Promise.all(machines.map(({ name }) => instanceOf(name)));
  return instances.every((one) => one === undefined) || undefined;
}

/** What each machine is asked to be, and what it is. */
const standing = () =>
  Promise.all(
    machines.map(async ({ name }) => {
      const vm = await stage.hands.get({ ...kubevirt, kind: 'VirtualMachine', name });
      return { name, strategy: at(vm, 'spec', 'runStrategy'), is: at(vm, 'status', 'printableStatus') };
    }),
  );
const asBefore = machines.map((machine) => ({ ...machine, is: 'Running' }));

const setting = () =>
  stage.hands.get({ apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name: 'storage-network' });

describe('a Harvester that virtual machines keep from starting', () => {
  it('starts after one approval, and the machines that were stopped for it run again as before', async () => {
    person = await follow(stage);

    const card = await person.card(drill.mode);
    const said = await person.approve(card);
    const end = await person.ended(card, slowly);

    expect(card.found).toMatchObject({ confidence: 'certain' });
    expect(card.found.offer.plans[0]?.does).toContain('default/edge-router, default/orders-db');
    expect(card.dryRuns['stop-and-start']).toContainEqual({
      is: 'would-change',
      differences: expect.arrayContaining([{ path: '/spec/runStrategy', before: 'Always', after: 'Halted' }]),
    });
    expect(said).toMatchObject({ ok: true });
    expect(end.state).toBe('fixed');
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    expect(isObject(await setting())).toBe(true);
    expect(await standing()).toEqual(asBefore);
  });

  it('gives back the machines that it stopped when somebody pulls the emergency stop', async () => {
    person = await follow(stage);
    const card = await person.card(drill.mode);
    await person.approve(card);
    await inTime(stage.clock, 'both machines are down', allDown);

    const stopped = await person.gleaner.desk.click(YOU, { choice: 'stop', cluster: card.cluster });
    const end = await person.ended(card, slowly);

    expect(stopped).toMatchObject({ ok: true });
    expect(end.state).toBe('failed');
    expect(end.because).toContain('stopped');
    expect(await standing()).toEqual(asBefore);
    expect(end.run.recovery.map(({ is }) => is)).not.toContain('failed');
  });

  it('gives back the machines that it stopped, though it was killed while they were down', async () => {
    const state = join(stage.bed.folder, 'killed.sqlite');
    const first = await startKillable(stage, state);
    const card = await first.card(drill.mode);
    first.approve(card);
    await inTime({ advance: first.advance }, 'both machines are down', allDown);

    await first.kill();
    person = await follow(stage, { state });
    const end = await person.ended(card, slowly);

    expect(end.state).toBe('fixed');
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    expect(await standing()).toEqual(asBefore);
    expect(await person.proposals(drill.mode)).toHaveLength(1);
  });
});
