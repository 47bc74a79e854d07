import { type Json, type Look, type Mode, nameOf, type ObjectRef } from './handler.ts';
import type { Found } from './model.ts';

/** A recognised fault with its offer, before a cluster is named. */
export type Fault = Omit<Found, 'cluster'>;

/** What one mode says of one picture: the faults, and of every other subject why not. */
export interface Examined {
  readonly faults: readonly Fault[];
  readonly refused: readonly { readonly subject: ObjectRef; readonly because: string }[];
}

/** The finding of a storm. Which objects it holds is evidence and not part of the revision, for they come and go. */
export const STORM: Json = { storm: true };

/** The subject of a storm: the cluster, by the namespace whose uid is its id. */
const CLUSTER: ObjectRef = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };

/** Asks one mode about every subject of a picture. As many faults at once as `mode.storm` says become one, without a fix. */
export async function examine(mode: Mode, look: Look): Promise<Examined> {
  const faults: Fault[] = [];
  const refused: { subject: ObjectRef; because: string }[] = [];
  for (const subject of await mode.subjects(look)) {
    const said = await mode.diagnose(look, subject);
    if (!said.is) {
      refused.push({ subject, because: said.because });
      continue;
    }
    const { is, since, mayWait, evidence, ...rest } = said;
    const offer = mode.plan(rest.finding);
    faults.push({
      ...rest,
      mode: mode.id,
      subject,
      mayWait: { ...mayWait },
      evidence: [...evidence],
      offer,
      ...(since && { since: since.toISOString() }),
    });
  }
  const isStorm = mode.storm !== undefined && faults.length >= mode.storm;
  return { faults: isStorm ? [asStorm(mode, faults)] : faults, refused };
}

/** What a storm's faults have in common: the one cause that any of them could name. */
function oneCauseOf(faults: readonly Fault[]): string {
  const [cause = 'unknown', ...others] = new Set(
    faults.map((fault) => fault.cause).filter((each) => each !== 'unknown'),
  );
  return others.length === 0 ? cause : 'unknown';
}

function asStorm(mode: Mode, faults: readonly Fault[]): Fault {
  const names = faults.map((fault) => nameOf(fault.subject));
  const since = faults.map((fault) => fault.since).filter((time) => time !== undefined);
  const because = `${faults.length} at once point to one common cause (network, storage, power, the API server): mend that first, a fix for each would hide it or make it worse`;
  return {
    mode: mode.id,
    subject: CLUSTER,
    finding: STORM,
    cause: oneCauseOf(faults),
    confidence: 'certain',
    summary: `${mode.title}: ${faults.length} at once (${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and more' : ''})`,
    because,
    users: faults[0]?.users ?? '',
    mayWait: {
      untilMorning: false,
      because: 'a fault that spreads over several objects is still growing, or has taken the redundancy',
    },
    ...(since.length > 0 && { since: since.reduce((a, b) => (a < b ? a : b)) }),
    evidence: faults.flatMap((fault) => fault.evidence.slice(0, 1)),
    offer: { refusal: { because }, plans: [], prevention: null },
  };
}
