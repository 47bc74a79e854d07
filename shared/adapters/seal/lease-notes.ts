import * as z from 'zod';
import { milliseconds } from '../../duration.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Lease, LeaseRecord } from '../../ports/lease.ts';
import type { NotedRun, RunNotes } from '../../ports/seal.ts';

/** A run is given up after two days; a decision can begin one for an hour. What is older can happen no more. */
const KEPT = milliseconds('30d');
/** As many runs as a note holds: some 100 bytes each, and an object's annotations have 256 KiB. */
const MOST = 1_000;
const TRIES = 5;

const Note = z.object({
  schema: z.literal(1),
  /** By proposal: how far it has come, and when that was noted last. */
  runs: z.record(
    z.string(),
    z.object({ mark: z.number().nonnegative(), until: z.iso.datetime(), at: z.iso.datetime() }),
  ),
});
type Note = z.infer<typeof Note>;

export interface LeaseNotesOptions {
  /** One that is for this alone, in Gleaner's own namespace of the cluster. Throws where the cluster is not reached from here. */
  readonly leaseOf: (cluster: string) => Pick<Lease, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Notes in a Lease of the cluster: one small object, written by compare-and-set, that only who applies there may write. */
export function leaseNotes({ leaseOf, clock }: LeaseNotesOptions): RunNotes {
  async function read(cluster: string): Promise<{ record: LeaseRecord | undefined; note: Note }> {
    const found = await leaseOf(cluster).read();
    switch (found.is) {
      case 'absent':
        return { record: undefined, note: { schema: 1, runs: {} } };
      case 'there':
        return { record: found.record, note: noteIn(found.record, cluster) };
      case 'unreadable':
        throw new Error(`What cluster ${cluster} remembers of its runs cannot be read now: ${found.because}`);
    }
  }

  async function write({ cluster }: NotedRun, note: Note, over: LeaseRecord | undefined): Promise<boolean> {
    const written = await leaseOf(cluster).write(
      {
        ...{ holder: 'gleaner', seconds: 60, renewedAt: clock.now(), acquiredAt: undefined, transitions: 0 },
        note: JSON.stringify(note),
      },
      over,
    );
    if (written.is === 'written' || written.is === 'beaten') return written.is === 'written';
    throw new Error(`Cluster ${cluster} did not take the note of a run: ${written.because}`);
  }

  return {
    async reached({ cluster, proposal }) {
      const { note } = await read(cluster);
      return note.runs[keyOf(proposal)]?.mark;
    },
    async raise(run, to) {
      for (let tried = 0; tried < TRIES; tried++) {
        const { record, note } = await read(run.cluster);
        const before = note.runs[keyOf(run.proposal)]?.mark;
        if (before !== undefined && before >= to) return before;
        const at = clock.now();
        const runs = remembered(note, at, before !== undefined);
        runs[keyOf(run.proposal)] = { mark: to, until: run.until, at: at.toISOString() };
        if (await write(run, { schema: 1, runs }, record)) return before;
      }
      throw new Error(`The notes of cluster ${run.cluster} kept changing while a run was noted`);
    },
  };
}

/** A key that no object has of its own accord: the id comes from a store that is not believed. */
const keyOf = (proposal: string) => `run ${proposal}`;

/** Without those of which nothing can come any more. Refuses a new one rather than to forget one, which could be done twice then. */
function remembered({ runs }: Note, now: Date, isKnown: boolean): Note['runs'] {
  const isOver = ({ until, at }: Note['runs'][string]) =>
    now.getTime() - Math.max(Date.parse(until), Date.parse(at)) > KEPT;
  const kept = Object.entries(runs).filter(([, run]) => !isOver(run));
  if (!isKnown && kept.length >= MOST)
    throw new Error(`${MOST} runs within ${KEPT / 86_400_000} days are noted: no more can begin`);
  return Object.fromEntries(kept);
}

function noteIn({ note }: LeaseRecord, cluster: string): Note {
  // A note that says nothing is not an empty one: forgetting is what it is there to prevent.
  try {
    return Note.parse(JSON.parse(note ?? ''));
  } catch {
    throw new Error(
      `The Lease in which cluster ${cluster} remembers its runs cannot be read: look who changed it, and delete it when no decision of the last hour is open`,
    );
  }
}
