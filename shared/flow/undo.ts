import { createPatch } from 'rfc6902';
import { inWords, type Json, nameOf, PatchOperation, type Plan, type Step } from '../handler.ts';
import { type Click, type Found, type Image, isRunning, type Proposal } from '../model.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Row } from '../ports/store.ts';
import { type Decision, decided, refused } from './decision.ts';
import { dryRunsOf } from './dry-run.ts';
import { canonical, proposalId, revisionOf } from './identity.ts';
import { pictureOf } from './picture.ts';
import { opened } from './propose.ts';
import { change } from './transition.ts';
import { clusterOf, modeOf, type World } from './world.ts';

/** The plan that was carried out, of the proposal that a run belongs to. */
export const planOf = (proposal: Proposal): Plan | undefined =>
  proposal.found.offer.plans.find((plan) => plan.id === proposal.plan);

/** Why this run cannot be undone now; undefined when it can. */
export async function whyNoUndo(world: World, proposal: Proposal): Promise<string | undefined> {
  const undo = planOf(proposal)?.undo;
  if (!undo || !(proposal.state === 'fixed' || proposal.state === 'failed'))
    return 'nothing of it was carried out and verified';
  if (!undo.offered) return undo.because;
  const mode = modeOf(world, proposal.found.mode);
  const cluster = clusterOf(world, proposal.cluster);
  const look = await pictureOf(world, cluster, mode);
  const when = await mode.checks[undo.when]?.(look, proposal.found.finding, proposal.found.subject);
  if (when?.is !== 'fixed') return `not yet: ${when?.because ?? undo.because}`;
  const changed = await deviating(cluster, await imagesOf(world, proposal), 'after');
  return changed === undefined
    ? undefined
    : `${changed} was changed since: what stands there is not what the run wrote`;
}

/** Opens the undo of a run as a proposal of its own, with its own diff and its own approval. */
export async function proposeUndo(world: World, row: Row<Proposal>, click: Click): Promise<Decision> {
  const { item } = row;
  const because = await whyNoUndo(world, item);
  if (because !== undefined) return refused(click, because);
  const found = await undoOf(world, item);
  if (!found) return refused(click, 'nothing that it changed can be put back');
  const incident = await world.store.get('incident', item.incident);
  if (!incident) return refused(click, `its incident ${item.incident} is not in the store`);
  const current = incident.item.proposal;
  const running = current === undefined ? undefined : await world.store.get('proposal', current);
  if (running && isRunning(running.item.state)) return refused(click, `a run of ${running.item.id} is under way`);

  const revision = revisionOf(found.finding, found.offer);
  const id = proposalId(item.incident, revision, item.id);
  const cluster = clusterOf(world, item.cluster);
  const dryRuns: Proposal['dryRuns'] = {};
  for (const plan of found.offer.plans) dryRuns[plan.id] = await dryRunsOf(cluster, plan, world.clock.now());
  const proposal = opened(world, id, { incident: item.incident, revision, found, dryRuns });
  await world.store.put('proposal', { ...proposal, undoes: item.id }, 0);
  const pointed = await world.store.put('incident', { ...incident.item, proposal: id }, incident.version);
  if (!pointed.ok) return undefined;
  const asked = `${click.who} asked for an undo`;
  if (!(await change(world, row, { because: asked, who: click.who, stage: 'undo' }))) return undefined;
  return [decided(item.id, click, asked), { fact: { event: 'proposed', proposal: id } }];
}

/** The undo of a run, made of the images that it kept: what it changed goes back, where nobody has changed it since. */
export async function undoOf(world: World, done: Proposal): Promise<Found | undefined> {
  const plan = planOf(done);
  if (!plan) return undefined;
  const steps = (await imagesOf(world, done)).flatMap((image) => stepBack(image) ?? []);
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

/** The images of a run's patches that can be put back, last step first. */
async function imagesOf(world: World, { id, cluster }: Pick<Proposal, 'id' | 'cluster'>): Promise<Image[]> {
  const rows = await world.store.list('image', { cluster });
  const images = rows.map(({ item }) => item).filter(({ proposal, after }) => proposal === id && after !== null);
  return images.sort((a, b) => b.step - a.step);
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
  const images = await imagesOf(world, { id: run, cluster: cluster.id });
  return (await deviating(cluster, images, 'before')) === undefined;
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
