import { type Examined, examine, type Fault, STORM } from '../examine.ts';
import { type Look, type Mode, milliseconds } from '../handler.ts';
import { type Fact, type Incident, isRunning, isUndecided, type Outgoing, type Principal } from '../model.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Row } from '../ports/store.ts';
import { answered } from './decision.ts';
import { isMeant } from './diagnose.ts';
import { dryRunsOf } from './dry-run.ts';
import { cut, fitted } from './fit.ts';
import { canonical, incidentId, revisionOf } from './identity.ts';
import { keepLastGood, pictureOf } from './picture.ts';
import { mayFollow } from './propose.ts';
import { silenceOf } from './silence.ts';
import { offerUndo } from './undo.ts';
import { clusterOf, type Hop, modeOf, type World } from './world.ts';

/** A fault that is gone must stay away at least this long before its card is withdrawn: a flapping object is one incident. */
const CLEAR_AFTER = milliseconds('60s');

/** What looks at a cluster and touches nothing: it recognises faults, and works out what an undo would do. */
export const classify: Hop<'observed' | 'undo-asked'> = (world, event) =>
  event.event === 'observed' ? lookAt(world, event) : offerUndo(world, event);

/** Looks at one mode on one cluster: recognises, holds for the settle window, asks for dry runs, and tells what is gone. */
const lookAt: Hop<'observed'> = async (world, event) => {
  const mode = modeOf(world, event.mode);
  const cluster = clusterOf(world, event.cluster);
  const look = await pictureOf(world, cluster, mode);
  const examined = await examine(mode, look);
  const { faults } = examined;
  await keepLastGood(world, cluster, mode, look);

  const said: Said[] = [];
  const present = new Set<string>();
  for (const fault of faults) {
    const id = incidentId(cluster.id, mode.id, fault.subject);
    present.add(id);
    said.push(await sighted(world, { cluster, mode, fault, id, requester: event.asked?.who }));
  }
  const storm = faults.find(({ finding }) => canonical(finding) === canonical(STORM));
  const sees = await seesAll(mode, look);
  for (const row of await world.store.current('incident', { cluster: cluster.id })) {
    const { item } = row;
    if (item.mode !== mode.id || present.has(item.id)) continue;
    if (storm) said.push(await swallowed(world, row, storm, said[0]?.after === undefined));
    else if (sees) said.push(await missed(world, row));
  }
  return [
    ...said.flatMap(({ facts }) => facts.map((fact) => ({ fact }))),
    ...lookAgain(mode, cluster, said),
    ...(event.asked ? [answered(event.asked, inShort(mode, examined, event.asked.what))] : []),
  ];
};

/** How many sentences a person who asked gets of each mode. */
const SENTENCES = 5;

/** What a look saw, for who asked: the faults, and of the others why not. */
function inShort(mode: Mode, { faults, refused }: Examined, what: string | undefined): string {
  const said = [
    ...faults.filter(({ subject }) => isMeant(what, subject)).map(({ summary, because }) => `${summary}: ${because}`),
    ...refused.filter(({ subject }) => isMeant(what, subject)).map(({ because }) => because),
  ];
  const more = said.length > SENTENCES ? `; and ${said.length - SENTENCES} more` : '';
  return cut(`${mode.title}? ${said.slice(0, SENTENCES).join('; ') || 'nothing of that kind is there'}${more}`, 1_500);
}

/** What one incident makes of a look: what is to be told, and after how long (milliseconds) to look again. */
interface Said {
  readonly facts: readonly Fact[];
  readonly after?: number;
}

/** One more look for all of them: each would see the same picture. */
function lookAgain(mode: Mode, cluster: Cluster, said: readonly Said[]): Outgoing[] {
  const after = Math.min(...said.map((one) => one.after ?? Number.POSITIVE_INFINITY));
  if (!Number.isFinite(after)) return [];
  const because = 'something must hold, or stay away, for a while';
  return [{ fact: { event: 'observed', cluster: cluster.id, mode: mode.id, because, objects: [] }, after }];
}

/** Whether what is not in the picture is not in the cluster: not where a watched kind was refused or cannot be read. */
async function seesAll(mode: Mode, look: Look): Promise<boolean> {
  for (const { kind } of mode.triggers) {
    if (!(await look.captured(kind))) return false;
  }
  return true;
}

/** A fault that a look saw, as an incident; `requester` asked for the look. */
interface Sighting {
  readonly cluster: Cluster;
  readonly mode: Mode;
  readonly fault: Fault;
  readonly id: string;
  readonly requester: Principal | undefined;
}

async function sighted(world: World, { cluster, mode, fault, id, requester }: Sighting): Promise<Said> {
  const now = world.clock.now();
  const row = await world.store.get('incident', id);
  const known = row && row.item.state !== 'closed' ? row.item : undefined;
  const since = known?.since ?? now.toISOString();
  const { goneSince, ...rest } = known ?? { proposal: row?.item.proposal };
  const incident: Incident = {
    ...{ schema: 1, id, cluster: cluster.id, mode: mode.id, subject: fault.subject, state: 'sighted', since },
    ...rest,
  };
  if (!known || goneSince) {
    const put = await world.store.put('incident', incident, row?.version ?? 0);
    if (!put.ok) throw new Error(`Incident ${id} was changed by somebody else while it was classified`);
  }
  const remaining = milliseconds(mode.settle) - (now.getTime() - Date.parse(since));
  if (remaining > 0) return { facts: [], after: remaining };

  const revision = revisionOf(fault.finding, fault.offer);
  if (!(await mayOpen(world, incident, revision))) return { facts: [] };
  const dryRuns = await dryRunsOf(cluster, fault.offer.plans, now);
  const found = fitted({ ...fault, cluster: cluster.id }, dryRuns);
  return { facts: [{ event: 'found', incident: id, revision, ...found, ...(requester && { requester }) }] };
}

/** A silence opens no card, and lets one that is open follow its fault. */
async function mayOpen(world: World, incident: Incident, revision: string): Promise<boolean> {
  const { proposal } = incident;
  const current = proposal === undefined ? undefined : (await world.store.get('proposal', proposal))?.item;
  if (!mayFollow(world, incident, current, revision)) return false;
  const isOpen = current !== undefined && isUndecided(current.state);
  return isOpen || (await silenceOf(world, incident)) === undefined;
}

async function isUnderWay(world: World, { proposal }: Incident): Promise<boolean> {
  const row = proposal === undefined ? undefined : await world.store.get('proposal', proposal);
  return row !== undefined && isRunning(row.item.state);
}

async function missed(world: World, { item, version }: Row<Incident>): Promise<Said> {
  const now = world.clock.now();
  if (item.state === 'sighted') {
    await world.store.put('incident', { ...item, state: 'closed', closedAt: now.toISOString() }, version);
    return { facts: [] };
  }
  if (await isUnderWay(world, item)) return { facts: [] };
  const goneSince = item.goneSince ?? now.toISOString();
  if (!item.goneSince) await world.store.put('incident', { ...item, goneSince }, version);
  const remaining = CLEAR_AFTER - (now.getTime() - Date.parse(goneSince));
  if (remaining > 0) return { facts: [], after: remaining };
  return { facts: [{ event: 'cleared', incident: item.id, because: 'the fault went away by itself' }] };
}

/** Once a storm is on a card of its own, those of its objects make way; until then they wait for what becomes of it. */
async function swallowed(world: World, { item, version }: Row<Incident>, storm: Fault, holds: boolean): Promise<Said> {
  if (!holds || (await isUnderWay(world, item))) return { facts: [] };
  const goneSince = item.goneSince ?? world.clock.now().toISOString();
  if (!item.goneSince) await world.store.put('incident', { ...item, goneSince }, version);
  return { facts: [{ event: 'cleared', incident: item.id, because: `it is one of many by now: ${storm.summary}` }] };
}
