import { inWords } from '../handler.ts';
import type { Click, Outgoing, Proposal } from '../model.ts';
import type { World } from './world.ts';

/** What a decision says of a proposal; undefined: somebody else was faster, look again. */
export type Decision = readonly Outgoing[] | undefined;

export const refused = (click: Click, because: string, see?: string): Outgoing[] => [
  { fact: { event: 'refused', click, because, ...(see !== undefined && { see }) } },
];
export const answered = (click: Click, because: string): Outgoing => ({ fact: { event: 'answered', click, because } });
export const decided = (proposal: string, click: Click, because: string): Outgoing => ({
  fact: { event: 'decided', proposal, click, because },
});

/** Why an undecided proposal was wanted and this one is none, in the words that a clicker is told. */
export function whyNot(world: World, { state, changedAt, timeline, because }: Proposal): string {
  const ago = inWords(world.clock.now().getTime() - Date.parse(changedAt));
  const decides = (is: string) => is === 'approved' || is === 'rejected' || is === state;
  const who = timeline.findLast((stage) => stage.who !== undefined && decides(stage.is))?.who;
  if (state === 'superseded') return `a newer proposal took its place ${ago} ago: read that one`;
  if (state === 'expired') return `it expired ${ago} ago: diagnose it again`;
  if (state === 'withdrawn') return `it was withdrawn ${ago} ago: ${because}`;
  return `it was already decided: ${state}${who ? ` by ${who}` : ''} ${ago} ago`;
}

/** The proposal that its incident names now, where that is another one. */
export async function successor(world: World, { id, incident }: Proposal): Promise<string | undefined> {
  const current = (await world.store.get('incident', incident))?.item.proposal;
  return current === id ? undefined : current;
}
