import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import drill from '../../../handlers/driver-active-after-flag-disable/drill.ts';
import { at } from '../../../shared/playground/json.ts';
import { type FurnishedBed, furnishBed } from './furnished-bed.ts';
import { type Following, follow, states } from './gleaner-on-bed.ts';

const driver = { apiVersion: 'management.cattle.io/v3', kind: 'NodeDriver', name: 'harvester' };

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

describe('a node driver that stayed active', () => {
  it('is deactivated after one approval', async () => {
    await drill.break(stage.hands);

    const card = await person.card(drill.mode);
    const said = await person.approve(card);
    const end = await person.ended(card);

    const forms = await stage.hands.get({ ...driver, kind: 'DynamicSchema', name: 'nodeconfig' });
    expect(card.dryRuns['deactivate-driver']).toContainEqual({
      is: 'would-change',
      differences: [{ path: '/spec/active', before: true, after: false }],
    });
    expect(await person.gleaner.desk.clusters()).toMatchObject([{ blind: undefined }]);
    expect(said).toMatchObject({ ok: true });
    expect(states(end)).toEqual(['open', 'approved', 'applying', 'applied', 'fixed']);
    expect(await stage.hands.get(driver)).toMatchObject({ spec: { active: false } });
    expect(at(forms, 'spec', 'resourceFields', 'harvesterConfig')).toBeUndefined();
    expect(end.found.offer.plans[0]?.undo).toMatchObject({ offered: false });
  });
});
