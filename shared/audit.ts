import { createHash } from 'node:crypto';
import type { AuditLine } from './ports/store.ts';

/** What stands before the first line. */
export const GENESIS = '';

/** The hash of a line: SHA-256 over everything it says and the hash of the line before it. */
export const hashOf = ({ sequence, at, kind, text, previous }: Omit<AuditLine, 'hash'>) =>
  createHash('sha256')
    .update(JSON.stringify([sequence, at, kind, text, previous]))
    .digest('hex');

/** How far a chain holds, or the first line at which it does not. */
export type Verified =
  | { readonly ok: true; readonly lines: number; readonly head: string }
  | { readonly ok: false; readonly sequence: number; readonly because: string };

/**
 * Checks lines in their order: nothing changed, nothing missing between the first and the last. That the newest lines
 * were cut off shows only against a `head` that was kept elsewhere.
 */
export function verifyChain(
  lines: Iterable<AuditLine>,
  after: { sequence: number; hash: string } = { sequence: 0, hash: GENESIS },
): Verified {
  let { sequence, hash } = after;
  for (const line of lines) {
    sequence += 1;
    if (line.sequence !== sequence) return { ok: false, sequence, because: `line ${sequence} is missing` };
    if (line.previous !== hash)
      return { ok: false, sequence, because: `line ${sequence} does not follow the line before it` };
    if (line.hash !== hashOf(line)) return { ok: false, sequence, because: `line ${sequence} was changed` };
    hash = line.hash;
  }
  return { ok: true, lines: sequence, head: hash };
}
