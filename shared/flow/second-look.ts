import { createPatch } from 'rfc6902';
import { examine, STORM } from '../examine.ts';
import { type Json, nameOf, type Plan } from '../handler.ts';
import type { Found, Proposal } from '../model.ts';
import { canonical, contentOf, incidentId, revisionOf } from './identity.ts';
import { pictureOf } from './picture.ts';
import { undoOf, whyNoUndo } from './undo.ts';
import { clusterOf, modeOf, type World } from './world.ts';

/** What stands now in place of what was approved: the plan, worked out afresh, or why it is no longer that one. */
export type Again = { readonly is: 'same'; readonly plan: Plan } | { readonly is: 'stale'; readonly because: string };

/** Looks at the cluster again and works out finding and plan anew. What runs is this, never what was stored. */
export async function lookAgain(world: World, proposal: Proposal): Promise<Again> {
  if (proposal.undoes !== undefined) return undoAgain(world, proposal, proposal.undoes);
  const mode = modeOf(world, proposal.found.mode);
  const look = await pictureOf(world, clusterOf(world, proposal.cluster), mode);
  const { faults, refused } = await examine(mode, look);
  const fault = faults.find((one) => incidentId(proposal.cluster, mode.id, one.subject) === proposal.incident);
  if (!fault) {
    const storm = faults.find(({ finding }) => canonical(finding) === canonical(STORM));
    if (storm) return { is: 'stale', because: `it is one of many by now: ${storm.summary}` };
    const subject = proposal.found.subject;
    const [twin] = [...faults, ...refused].filter((one) => nameOf(one.subject) === nameOf(subject));
    if (twin && twin.subject.uid !== subject.uid) {
      return { is: 'stale', because: `${nameOf(subject)} was deleted and made again since: that is another object` };
    }
    const why = refused.find((one) => nameOf(one.subject) === nameOf(subject));
    return { is: 'stale', because: `it is no longer so: ${why?.because ?? 'the fault is not seen any more'}` };
  }
  return compare(proposal, { ...fault, cluster: proposal.cluster });
}

async function undoAgain(world: World, proposal: Proposal, undoes: string): Promise<Again> {
  const done = await world.store.get('proposal', undoes);
  const because = done ? await whyNoUndo(world, done.item) : 'what it undoes is not in the store';
  const found = done && (await undoOf(world, done.item));
  if (because !== undefined || !found) return { is: 'stale', because: because ?? 'there is nothing to put back' };
  return compare(proposal, found);
}

/** The plan of a run that has begun. The cluster has changed by the run itself, so the approved finding speaks. */
export async function approvedPlan(world: World, proposal: Proposal): Promise<Again> {
  if (proposal.undoes !== undefined) {
    const done = await world.store.get('proposal', proposal.undoes);
    const found = done && (await undoOf(world, done.item));
    return found ? compare(proposal, found) : { is: 'stale', because: 'what it undoes is not in the store' };
  }
  const mode = world.modes.find(({ id }) => id === proposal.found.mode);
  if (!mode) return { is: 'stale', because: `this Gleaner knows no failure mode ${proposal.found.mode}` };
  try {
    return compare(proposal, { ...proposal.found, offer: mode.plan(proposal.found.finding) });
  } catch (error) {
    // `plan` is pure: what it throws once it always throws.
    return { is: 'stale', because: `this Gleaner cannot read what was approved: ${error}` };
  }
}

/** The plan as the approvers saw it, from the record; undefined where that is not what the revision was made of. */
export function shownPlan(proposal: Proposal): Plan | undefined {
  const shown = compare(proposal, proposal.found);
  return shown.is === 'same' ? shown.plan : undefined;
}

function compare(proposal: Proposal, now: Found): Again {
  const plan = now.offer.plans.find((one) => one.id === proposal.plan);
  const { finding, offer } = proposal.found;
  const isSame = contentOf(now.finding, now.offer) === contentOf(finding, offer);
  if (plan && isSame && revisionOf(finding, offer) === proposal.revision) return { is: 'same', plan };
  const changes = differences(proposal.found.finding, now.finding);
  const what = changes.length > 0 ? changes.join('; ') : 'the same finding now asks for another plan';
  return { is: 'stale', because: `the cluster is no longer what was approved: ${what}` };
}

/** The differences of two findings in words, the first few. */
function differences(before: Json, after: Json): string[] {
  const said = createPatch(before, after).map((change) => {
    const path = change.path.split('/').slice(1).join('.') || 'the finding';
    if (change.op === 'remove') return `${path} is gone`;
    return `${path} is now ${'value' in change ? shorten(JSON.stringify(change.value)) : 'another'}`;
  });
  return said.length > 4 ? [...said.slice(0, 4), `and ${said.length - 4} more`] : said;
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 77)}…` : text);
