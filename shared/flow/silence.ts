import { isDuration, milliseconds, type ObjectRef } from '../handler.ts';
import type { Click, Outgoing, Silence } from '../model.ts';
import { answered, refused } from './decision.ts';
import { concerns } from './diagnose.ts';
import { clusterMeant, notAllowedThere } from './everywhere.ts';
import { cut } from './fit.ts';
import { digestOf } from './identity.ts';
import { looksAt, type World } from './world.ts';

/** Nobody forgets a fault for longer than a day. */
const LONGEST = milliseconds('24h');

const idOf = (cluster: string, what: string) => digestOf([cluster, what.toLowerCase()]);

/** Keeps a mode or an object of a cluster from opening cards and sending reminders for a while. Counted from the click. */
export async function silence(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  const { what, lasts } = click;
  if (what === undefined || lasts === undefined || !isDuration(lasts))
    return refused(click, 'say what and for how long, such as: silence Node/node1 2h replacing its disk');
  const because = notNamed(world, what);
  if (because !== undefined) return refused(click, because);
  const span = milliseconds(lasts);
  if (span <= 0 || span > LONGEST) return refused(click, `${lasts} is not between 1s and 24h: silence it again later`);
  const cluster = await clusterMeant(world, click);
  if (!cluster.ok) return refused(click, cluster.because);
  // One after the other: whoever silences an object silences every mode about it, and decides for each of them.
  for (const mode of silencedBy(world, cluster.id, what)) {
    const refusal = await notAllowedThere(world, cluster.id, click, [mode]);
    if (refusal !== undefined) return refused(click, refusal);
  }
  const until = Date.parse(at) + span;
  if (until <= world.clock.now().getTime()) return refused(click, 'the time for which you asked is over');

  const row = await world.store.get('silence', idOf(cluster.id, what));
  if (row && at < row.item.at) return refused(click, `${row.item.who} decided otherwise since`);
  const silenced: Silence = {
    ...{ schema: 1, id: idOf(cluster.id, what), cluster: cluster.id, what, who: click.who, at },
    ...{ until: new Date(until).toISOString(), because: cut(click.reason ?? 'no reason given') },
  };
  const put = await world.store.put('silence', silenced, row?.version ?? 0);
  if (!put.ok) throw new Error(`The silence of ${what} was changed by somebody else at the same time`);
  const told = `${what} opens no card and sends no reminder until ${silenced.until}; an open card stays`;
  return [{ fact: { event: 'silenced', silence: silenced } }, answered(click, told)];
}

/** Ends a silence before its time. */
export async function unsilence(world: World, click: Click, at: string): Promise<readonly Outgoing[]> {
  const what = click.what ?? '';
  const cluster = await clusterMeant(world, click);
  if (!cluster.ok) return refused(click, cluster.because);
  const refusal = await notAllowedThere(world, cluster.id, click, silencedBy(world, cluster.id, what));
  if (refusal !== undefined) return refused(click, refusal);
  const row = await world.store.get('silence', idOf(cluster.id, what));
  const isCopy = row !== undefined && row.item.until === at;
  if (!row || at < row.item.at || (row.item.until <= at && !isCopy))
    return refused(click, `${what || 'it'} is not silenced`);
  const ended: Silence = { ...row.item, until: at };
  const put = await world.store.put('silence', ended, row.version);
  if (!put.ok) throw new Error(`The silence of ${what} was changed by somebody else at the same time`);
  const known = world.known.get(cluster.id);
  return [
    { fact: { event: 'unsilenced', silence: ended, who: click.who } },
    answered(click, `${what} is heard again`),
    ...(known ? looksAt(world, known, 'a silence ended') : []),
  ];
}

const isMode = ({ modes }: World, what: string) => modes.some(({ id }) => id === what);

/** The modes that tell no more of something: the one that is named, or those that read its kind; all, where none is known to. */
function silencedBy({ modes, known }: World, cluster: string, what: string): readonly string[] {
  const there = modes.filter(({ on }) => on === (known.get(cluster)?.flavour ?? on));
  const concerned = there.filter((mode) => concerns(mode, what));
  return (concerned.length > 0 ? concerned : there).map(({ id }) => id);
}

/** Why a text names neither a mode nor an object. */
function notNamed(world: World, what: string): string | undefined {
  if (isMode(world, what) || /^[A-Za-z]+\/[^\s/]+(\/[^\s/]+)?$/.test(what)) return undefined;
  return `${cut(what, 80)} is no failure mode (${world.modes.map(({ id }) => id).join(', ')}) and no object such as Node/node1`;
}

/** What is in force now for a mode and an object of a cluster; undefined: it is heard. */
export async function silenceOf(
  world: World,
  { cluster, mode, subject }: { cluster: string; mode: string; subject: ObjectRef },
): Promise<Silence | undefined> {
  const now = world.clock.now().toISOString();
  const names = [mode, ...namesOf(subject)].map((name) => name.toLowerCase());
  const rows = await world.store.list('silence', { cluster });
  return rows.map(({ item }) => item).find(({ what, until }) => until > now && names.includes(what.toLowerCase()));
}

const namesOf = ({ kind, namespace, name }: ObjectRef) => [
  `${kind}/${name}`,
  ...(namespace === undefined ? [] : [`${kind}/${namespace}/${name}`]),
];
