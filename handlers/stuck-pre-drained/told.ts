import type { Confidence, Evidence, ObjectRef } from '../../shared/handler.ts';
import type { Phase } from './finding.ts';
import { MINUTE } from './sight.ts';
import type { CauseName } from './upstream.ts';

/** What a rule says of a stall. */
export interface Told {
  readonly class: Phase;
  readonly cause: CauseName;
  readonly confidence: Confidence;
  readonly because: string;
  readonly evidence: readonly Evidence[];
  /** What a person has to look at: sorted, and no generated pods. */
  readonly objects: readonly ObjectRef[];
  /** How long the node must have been Pre-drained before this is said, in milliseconds. */
  readonly patience: number;
}

/** A budget that blocks, or an error of the drain, is said after five minutes. */
export const HARD = 5 * MINUTE;
/** What may still be progress is said after fifteen. */
export const SOFT = 15 * MINUTE;
/** A stall that this old is no progress any more. */
export const LONG = 30 * MINUTE;
