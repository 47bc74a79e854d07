import { createHash } from 'node:crypto';
import { type Json, nameOf, type ObjectRef, type Offer } from '../handler.ts';

/** JSON with its keys in order, so that equal values have equal texts. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
    .join(',')}}`;
}

const digest = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** A short digest of any JSON value: equal values have equal ones. */
export const digestOf = (value: Json) => digest(canonical(value)).slice(0, 16);

/** An incident is one subject's fault of one mode on one cluster, over all revisions. */
export const incidentId = (cluster: string, mode: string, subject: ObjectRef) =>
  digest(cluster, mode, subject.uid ?? nameOf(subject)).slice(0, 12);

/** What was approved: the finding and the plans made of it. The words of a refusal may count what comes and goes. */
export const contentOf = (finding: Json, { plans }: Offer) =>
  digest(canonical(finding), canonical(JSON.parse(JSON.stringify(plans))));

/** A content in short, as people and records name it. */
export const revisionOf = (finding: Json, offer: Offer) => contentOf(finding, offer).slice(0, 16);

/** Chained by its predecessor, so that a redelivered event finds the proposal that it made before. */
export const proposalId = (incident: string, revision: string, predecessor: string | undefined) =>
  `${incident}-${digest(incident, revision, predecessor ?? '').slice(0, 6)}`;
