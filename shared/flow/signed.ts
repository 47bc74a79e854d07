import { milliseconds } from '../handler.ts';
import type { Proposal, StepRecord } from '../model.ts';
import type { Seal } from '../ports/seal.ts';
import { canonical, contentOf } from './identity.ts';
import type { World } from './world.ts';

/** An approval is for now: a run that could not begin for this long needs another one. */
const BEGINS_WITHIN = milliseconds('1h');

/** The seal of a world. Throws where it was put together without one: then nothing is approved, and nothing is applied. */
export function sealOf({ seal }: Pick<World, 'seal'>): Seal {
  if (seal) return seal;
  throw new Error('This Gleaner was put together without a seal for decisions: see shared/worlds/');
}

/** After this moment a run that has not begun needs another approval. */
export const beginsUntil = ({ decision, changedAt }: Pick<Proposal, 'decision' | 'changedAt'>): string =>
  decision?.until ?? endOf(changedAt);

const endOf = (at: string) => new Date(Date.parse(at) + BEGINS_WITHIN).toISOString();

type Content = Pick<Proposal, 'id' | 'cluster' | 'incident' | 'revision' | 'found'>;
type Approved = Content & Pick<Proposal, 'plan' | 'approvals'>;

/** What a decision is about. The whole content stands for the revision, which is too short to be signed alone. */
const about = ({ id, cluster, incident, revision, found }: Content) => ({
  ...{ cluster, proposal: id, incident, revision, mode: found.mode },
  content: contentOf(found.finding, found.offer),
});

/** What is signed of an approval. The first line keeps one kind of text from being taken for another. */
function approvalText(item: Approved, until: string): string {
  const { plan = '' } = item;
  const approvals = item.approvals
    .filter((approval) => approval.plan === plan)
    .map(({ click, who, at, policy }) => ({ click, who, at, policy }));
  return `gleaner approval 1\n${canonical({ ...about(item), plan, approvals, until })}`;
}

/** The decision that stands on a proposal from its approval on, signed. */
export async function decisionOn(world: World, item: Approved, at: string): Promise<Proposal['decision']> {
  const until = endOf(at);
  return { until, signature: await sealOf(world).sign(approvalText(item, until)) };
}

/** Why the record is not what was decided; undefined when it is. */
export async function unproven(world: World, item: Proposal): Promise<string | undefined> {
  const text = approvalText(item, beginsUntil(item));
  if (await sealOf(world).verify(text, item.decision?.signature)) return undefined;
  return item.decision === undefined
    ? 'no signature of a decision stands on it: who only writes the record cannot approve'
    : 'the signature on it is of another decision: somebody changed the record';
}

const doneText = (item: Approved, part: 'steps' | 'recovery', index: number, because: string) =>
  `gleaner done 1\n${canonical({ ...about(item), plan: item.plan ?? '', part, step: index, because })}`;

/** Signs that a person says of a step that it is done. */
export const signatureOfDone = (
  world: World,
  item: Proposal,
  part: 'steps' | 'recovery',
  index: number,
  because: string,
) => sealOf(world).sign(doneText(item, part, index, because));

/** Whether a person has said of a step that it is done. */
export const isSaidDone = async (
  { verify }: Seal,
  item: Proposal,
  part: 'steps' | 'recovery',
  index: number,
  record: StepRecord | undefined,
): Promise<boolean> =>
  record?.is === 'done' && (await verify(doneText(item, part, index, record.because), record.signature));
