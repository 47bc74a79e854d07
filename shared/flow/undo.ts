import { createPatch } from 'rfc6902';
import { inWords, type Json, nameOf, PatchOperation, type Plan, type Step } from '../handler.ts';
import {
  type Click,
  type Found,
  type Image,
  type Incident,
  imageId,
  isRunning,
  isUndecided,
  type Principal,
  type Proposal,
} from '../model.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Row } from '../ports/store.ts';
import { type Decision, decided, refused } from './decision.ts';
import { dryRunsOf } from './dry-run.ts';
import { fitted } from './fit.ts';
import { canonical, proposalId, revisionOf } from './identity.ts';
import { kept } from './kept.ts';
import { pictureOf } from './picture.ts';
import { opened } from './propose.ts';
import { change } from './transition.ts';
import { clusterOf, type Hop, modeOf, type World } from './world.ts';

/** The plan that was carried out, of the proposal that a run belongs to. */
export const planOf = (proposal: Proposal): Plan | undefined =>
  proposal.found.offer.plans.find((plan) => plan.id === proposal.plan);

/** Why this run cannot be undone now; undefined when it can. */
export async function whyNoUndo(world: World, proposal: Proposal): Promise<string | undefined> {
  const undo = planOf(proposal)?.undo;
  if (!undo || !['fixed', 'failed', 'unknown'].includes(proposal.state)) return 'nothing of it was carried out';
  if (!undo.offered) return undo.because;
  const mode = modeOf(world, proposal.found.mode);
  const cluster = clusterOf(world, proposal.cluster);
  const look = await pictureOf(world, cluster, mode);
  const when = await mode.checks[undo.when]?.(look, proposal.found.finding, proposal.found.subject);
  if (when?.is !== 'fixed') return `not yet: ${when?.because ?? undo.because}`;
  const images = await imagesOf(world, proposal);
  if (!images) return 'what stood there before was not kept for so long';
  const changed = await deviating(cluster, images, 'after');
  return changed === undefined
    ? undefined
    : `${changed} was changed since: what stands there is not what the run wrote`;
}

/** Opens the undo of a run as a proposal of its own, or tells who asked why there is none. */
export const offerUndo: Hop<'undo-asked'> = async (world, { proposal, click }) => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = await world.store.get('proposal', proposal);
    const decision = row ? await proposeUndo(world, row, click) : refused(click, `there is no proposal ${proposal}`);
    if (decision) return kept(world, decision);
  }
  throw new Error(`Proposal ${proposal} kept changing while its undo was worked out`);
};

const ATTEMPTS = 5;

/** A proposal of its own, with its own diff and its own approval. */
async function proposeUndo(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { item } = row;
  const asked = `${click.who} asked for an undo`;
  const incident = await world.store.get('incident', item.incident);
  if (!incident) return refused(click, `its incident ${item.incident} is not in the store`);
  const current =
    incident.item.proposal === undefined ? undefined : await world.store.get('proposal', incident.item.proposal);
  const isOpen = current?.item.undoes === item.id && isUndecided(current.item.state);
  if (item.decidedBy === click.id && !isOpen) return [decided(item.id, click, asked)];

  const id = isOpen
    ? current.item.id
    : await openUndo(world, item, incident, { current: current?.item, requester: click.who });
  if (typeof id !== 'string') return id && refused(click, id.refusal);
  if (item.decidedBy !== click.id) {
    const set = { decidedBy: click.id };
    if (!(await change(world, row, { because: asked, who: click.who, stage: 'undo', set }))) return undefined;
  }
  return [decided(item.id, click, asked), { fact: { event: 'proposed', proposal: id } }];
}

/** The id of the new proposal; undefined: somebody else changed the incident first. Written again by a redelivery, to the same end. */
async function openUndo(
  world: World,
  item: Proposal,
  incident: Row<Incident>,
  { current, requester }: { current: Proposal | undefined; requester: Principal },
): Promise<string | { refusal: string } | undefined> {
  if (current && isRunning(current.state)) return { refusal: `a run of ${current.id} is under way` };
  const refusal = await whyNoUndo(world, item);
  if (refusal !== undefined) return { refusal };
  if (current && isUndecided(current.state)) return { refusal: `${current.id} waits for a decision: reject it first` };
  const found = await undoOf(world, item);
  if (!found) return { refusal: 'nothing that it changed can be put back' };

  const revision = revisionOf(found.finding, found.offer);
  const id = proposalId(item.incident, revision, current?.id);
  const dryRuns = await dryRunsOf(clusterOf(world, item.cluster), found.offer.plans, world.clock.now());
  const at = world.clock.now().toISOString();
  const next = { incident: item.incident, revision, ...fitted(found, dryRuns), at, requester };
  const proposal = opened(world, id, { ...next, ...(current && { follows: current.id }) });
  await world.store.put('proposal', { ...proposal, undoes: item.id }, 0);
  const pointed = await world.store.put('incident', { ...incident.item, proposal: id }, incident.version);
  return pointed.ok ? id : undefined;
}

/** The undo of a run, made of the images that it kept: what it changed goes back, where nobody has changed it since. */
export async function undoOf(world: World, done: Proposal): Promise<Found | undefined> {
  const plan = planOf(done);
  if (!plan) return undefined;
  const steps = ((await imagesOf(world, done)) ?? []).flatMap((image) => stepBack(image) ?? []);
  if (steps.length === 0) return undefined;
  const undo: Plan = {
    ...{ id: 'undo', title: `Undo: ${plan.title}`, risk: plan.risk, stopgap: false },
    does: `Puts back what "${plan.title}" changed: ${steps.map((step) => nameOf(step.target)).join(', ')}.`,
    blastRadius: plan.blastRadius,
    irreversible: null,
    preconditions: ['what the run wrote still stands as it wrote it', plan.undo.because],
    steps,
    onFailure: [],
    undo: { offered: false, because: 'an undo is not undone: diagnose again instead' },
  };
  const ago = inWords(world.clock.now().getTime() - Date.parse(done.changedAt));
  return {
    ...done.found,
    finding: { undoes: done.id },
    summary: `Undo of "${plan.title}"`,
    because: `it was carried out ${ago} ago and somebody asked to put back what it changed`,
    evidence: [],
    offer: { refusal: null, plans: [undo], prevention: null },
  };
}

/** What the patches of a run changed, one image for each object, the last object first; undefined: some are gone. */
async function imagesOf(world: World, { id, run, plan, found }: Proposal): Promise<Image[] | undefined> {
  const steps = found.offer.plans.find((one) => one.id === plan)?.steps ?? [];
  const begun = steps.flatMap(({ do: verb }, step) => (verb === 'patch' && run.steps[step] ? [step] : []));
  const rows = await Promise.all(begun.map((step) => world.store.get('image', imageId(id, step))));
  // An undo of one half would be worse than none.
  if (begun.some((step, nth) => run.steps[step]?.is === 'done' && !rows[nth])) return undefined;
  const images = rows.flatMap((row) => (row && row.item.after !== null ? [row.item] : []));
  const objects = [...Map.groupBy(images, ({ target }) => nameOf(target)).values()];
  return objects
    .flatMap(([first, ...more]) => (first ? [{ ...first, after: (more.at(-1) ?? first).after }] : []))
    .reverse();
}

/** Where a run has written: the places in which its before- and after-image differ. */
const writtenBy = ({ before, after }: Image) => createPatch(settable(after), settable(before)).map(({ path }) => path);

/** The first object that does not stand as the images say it did `when`; undefined when all do. */
async function deviating(
  cluster: Cluster,
  images: readonly Image[],
  when: 'before' | 'after',
): Promise<string | undefined> {
  for (const image of images) {
    const read = await cluster.read(image.target);
    const same = (path: string) =>
      read.is === 'there' && canonical(valueAt(read.object, path)) === canonical(valueAt(image[when], path));
    if (!writtenBy(image).every(same)) return nameOf(image.target);
  }
  return undefined;
}

/** Whether what a run changed stands again as it stood before that run. */
export async function isUndone(world: World, cluster: Cluster, run: string): Promise<boolean> {
  const done = await world.store.get('proposal', run);
  const images = done && (await imagesOf(world, done.item));
  return images !== undefined && (await deviating(cluster, images, 'before')) === undefined;
}

/** One step that puts an object back, guarded by what the run wrote there; undefined where nothing can be put back. */
function stepBack({ target, before, after }: Image): Step | undefined {
  const operations = createPatch(settable(after), settable(before)).flatMap((operation) => {
    const { op, path } = operation;
    if (op !== 'add' && op !== 'remove' && op !== 'replace') return [];
    const stands = valueAt(after, path);
    const test = stands === undefined ? [] : [{ op: 'test' as const, path, value: stands }];
    return [...test, PatchOperation.parse(operation)];
  });
  if (operations.length === 0) return undefined;
  const because = `puts ${nameOf(target)} back to what it was before the run`;
  return { do: 'patch', target, patch: { type: 'json', operations }, because };
}

/** What a client sets of an object: the rest is written by the API server and by controllers. */
function settable(object: Json): Json {
  const { metadata, status, ...rest } = Object(object);
  return { ...rest, metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} } };
}

const valueAt = (object: Json, pointer: string): Json | undefined =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value, key) => Object(value)[key], object);
