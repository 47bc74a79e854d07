import { createHash } from 'node:crypto';
import type { AuditLine } from './ports/store.ts';

/** What stands before the first line. */
export const GENESIS = '';

/** The hash of a line: SHA-256 (hex) over everything that it says and the hash of the line before it. */
export const hashOf = ({ sequence, at, kind, text, previous }: Omit<AuditLine, 'hash'>) =>
  createHash('sha256')
    .update(JSON.stringify([sequence, at, kind, text, previous]))
    .digest('hex');

/** What a line says of something that happened: all of it, without the addresses that take an answer from whoever knows them. */
export const lineOf = (happened: object): string =>
  JSON.stringify(happened, (key, value: unknown) => (key === 'reply' ? undefined : value));

/** One end of a stretch of the chain. */
export type Link = Pick<AuditLine, 'sequence' | 'hash'>;

/** How far a chain holds and its last hash, or the first line at which it does not hold. */
export type Verified =
  | { readonly ok: true; readonly lines: number; readonly head: string }
  | { readonly ok: false; readonly sequence: number; readonly because: string };

/**
 * Checks lines in their order: nothing changed, nothing missing, nothing put between. `after` is where they begin, the
 * very first line unless named. That the newest lines were cut off shows only against `head`, the last line as it was
 * noted apart from the lines.
 *
 * Who can write the whole log, its head included, can also write another one that holds. Only a head that was kept out
 * of their reach (a report, another machine) tells.
 */
export function verifyChain(lines: Iterable<AuditLine>, known: { after?: Link; head?: Link } = {}): Verified {
  let { sequence, hash } = known.after ?? { sequence: 0, hash: GENESIS };
  for (const line of lines) {
    sequence += 1;
    if (line.sequence !== sequence) return { ok: false, sequence, because: `line ${sequence} is missing` };
    if (line.previous !== hash)
      return { ok: false, sequence, because: `line ${sequence} does not follow the line before it` };
    if (line.hash !== hashOf(line)) return { ok: false, sequence, because: `line ${sequence} was changed` };
    hash = line.hash;
  }
  return atHead({ sequence, hash }, known.head);
}

function atHead({ sequence, hash }: Link, head: Link | undefined): Verified {
  if (head && head.sequence > sequence)
    return {
      ok: false,
      sequence: sequence + 1,
      because: `the log ended with line ${head.sequence}: the end is missing`,
    };
  if (head && head.sequence < sequence)
    return {
      ok: false,
      sequence: head.sequence + 1,
      because: `the log ended with line ${head.sequence}: more was added`,
    };
  if (head && head.hash !== hash)
    return { ok: false, sequence, because: `line ${sequence} is not the one with which the log ended` };
  return { ok: true, lines: sequence, head: hash };
}
