import type { DryRun, Event, Found } from '../../model.ts';

type FoundEvent = Extract<Event, { event: 'found' }>;
type ObservedEvent = Extract<Event, { event: 'observed' }>;

/** How much of one value and how many pieces are kept, from the mildest cut to the hardest. */
const CUTS = [
  { value: 1_000, pieces: 50 },
  { value: 200, pieces: 50 },
  { value: 200, pieces: 10 },
  { value: 0, pieces: 3 },
] as const;
type Cut = (typeof CUTS)[number];

/**
 * The event, cut as little as needed until `fits`, each cut marked where it was made; undefined where nothing helps.
 * Evidence and differences are for people, who find them on the cluster. Finding and plan are what is approved, and are
 * never cut: another revision would come of it.
 */
export function trimmed(event: Event, fits: (event: Event) => boolean): Event | undefined {
  if (fits(event)) return event;
  if (event.event !== 'found' && event.event !== 'observed') return undefined;
  for (const cut of CUTS) {
    const shorter = event.event === 'found' ? shortFound(event, cut) : shortObserved(event, cut);
    if (fits(shorter)) return shorter;
  }
  return undefined;
}

function shortFound(event: FoundEvent, cut: Cut): FoundEvent {
  const { found, dryRuns } = event;
  const short = Object.entries(dryRuns).map(([plan, runs]) => [plan, runs.map((run) => shortRun(run, cut))] as const);
  return { ...event, found: { ...found, evidence: shortEvidence(found, cut) }, dryRuns: Object.fromEntries(short) };
}

function shortEvidence({ evidence, subject }: Found, cut: Cut): Found['evidence'] {
  const kept = evidence.slice(0, cut.pieces).map((one) => ({ ...one, value: marked(one.value, cut.value) }));
  const left = evidence.length - kept.length;
  if (left === 0) return kept;
  const because = `${left} more pieces of evidence were left out: the event was larger than the bus takes`;
  return [...kept, { object: subject, field: '(left out)', value: null, because }];
}

function shortRun(run: DryRun, cut: Cut): DryRun {
  if (run.is !== 'would-change') return run;
  const kept = run.differences.slice(0, cut.pieces).map(({ path, before, after }) => ({
    path,
    ...(before !== undefined && { before: marked(before, cut.value) }),
    ...(after !== undefined && { after: marked(after, cut.value) }),
  }));
  const left = run.differences.length - kept.length;
  return { ...run, differences: left === 0 ? kept : [...kept, { path: `(${left} more differences were left out)` }] };
}

/** A value of at most so many characters of JSON, or the mark that it was left out. */
function marked<V>(value: V, most: number): V | string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= most
    ? value
    : `… (${text.length} characters left out: the event was larger than the bus takes)`;
}

/** The objects are a hint: the look finds the others. */
const shortObserved = (event: ObservedEvent, { pieces }: Cut): ObservedEvent => ({
  ...event,
  because: event.because.length > 600 ? `${event.because.slice(0, 599)}…` : event.because,
  objects: event.objects.slice(0, pieces),
});
