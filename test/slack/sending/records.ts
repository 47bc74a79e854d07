import { type Card, cardOf } from '../../../shared/card.ts';
import type { Proposal, Stage } from '../../../shared/model.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { paintWorld } from '../../simulator/paint.ts';

/** A record as it stands after its opening at noon of 2026-01-15, of which `records` makes many. */
async function template(): Promise<Proposal> {
  const world = paintWorld();
  const row = await world.store.get('proposal', await world.proposed());
  if (!row) throw new Error('nothing was proposed');
  return row.item;
}

export interface Records {
  /** Opens a proposal of an incident, which names it from then on. `urgent`: it may not wait until morning. */
  open(incident: string, id: string, at: Date, set?: Partial<Proposal> & { urgent?: boolean }): Promise<Proposal>;
  /** Changes a proposal as a hop would, with one stage on its timeline. */
  change(id: string, stage: Stage, set?: Partial<Proposal>): Promise<Proposal>;
}

export async function recordsIn(store: Store): Promise<Records> {
  const first = await template();
  const item = async (id: string) => {
    const row = await store.get('proposal', id);
    if (!row) throw new Error(`there is no proposal ${id}`);
    return row;
  };
  return {
    async open(incident, id, at, { urgent = false, ...set } = {}) {
      const time = at.toISOString();
      const found = {
        ...first.found,
        summary: `node ${incident} is broken`,
        mayWait: { untilMorning: !urgent, because: 'b' },
      };
      const proposal: Proposal = {
        ...{ ...first, id, incident, found, openedAt: time, changedAt: time },
        timeline: [{ at: time, is: 'open', because: found.summary }],
        ...set,
      };
      await store.put('proposal', proposal, 0);
      const row = await store.get('incident', incident);
      const { cluster } = proposal;
      const of = { schema: 1 as const, id: incident, cluster, mode: 'paint', subject: found.subject, since: time };
      await store.put('incident', { ...of, state: 'open', proposal: id }, row?.version ?? 0);
      return proposal;
    },
    async change(id, stage, set = {}) {
      const row = await item(id);
      const timeline = [...row.item.timeline, stage];
      const next = { ...row.item, because: stage.because, changedAt: stage.at, ...set, timeline };
      await store.put('proposal', next, row.version);
      return next;
    },
  };
}

/** Draws as the real world does, for one cluster called lab where two people may approve. */
export const draw = (proposal: Proposal, now: Date): Card =>
  cardOf(proposal, {
    ...{ clusterName: 'lab', modeTitle: 'A node is broken', cause: undefined, observeOnly: false, now },
    deciders: () => ({
      ...{ id: 'policy', approvers: ['slack:U0ADA', 'slack:U0BOB'], quorum: 1 },
      ...{ requesterMayApprove: true, reasonRequired: false },
    }),
  });
