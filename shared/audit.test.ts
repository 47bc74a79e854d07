import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GENESIS, hashOf, verifyChain } from './audit.ts';
import type { AuditLine } from './ports/store.ts';

function chain(texts: readonly string[]): AuditLine[] {
  let previous = GENESIS;
  return texts.map((text, index) => {
    const line = { sequence: index + 1, at: '2026-01-15T12:00:00.000Z', kind: 'touch', text, previous };
    previous = hashOf(line);
    return { ...line, hash: previous };
  });
}
const headOf = (lines: readonly AuditLine[]) => lines.at(-1) ?? { sequence: 0, hash: GENESIS };
const Texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 12 });

describe('The chain of the audit log', () => {
  it('has hashes that another program can compute: SHA-256 over a JSON list of what the line says', () => {
    const [line] = chain(['one']);

    // printf '%s' '[1,"2026-01-15T12:00:00.000Z","touch","one",""]' | sha256sum
    expect(line?.hash).toBe('a8a938f79b6cb755baa824a60107cc68321c9f22defa1b7b2180d4fb1895242c');
  });

  it('holds over any texts, as a whole and in stretches', () => {
    fc.assert(
      fc.property(Texts, fc.nat(), (texts, cut) => {
        const lines = chain(texts);
        const head = headOf(lines);
        const at = cut % lines.length;
        const after = headOf(lines.slice(0, at));

        expect(verifyChain(lines, { head })).toEqual({ ok: true, lines: lines.length, head: head.hash });
        expect(verifyChain(lines.slice(at), { after, head })).toEqual({
          ok: true,
          lines: lines.length,
          head: head.hash,
        });
      }),
    );
  });

  it('breaks at the line in which anything was changed', () => {
    const Part = fc.constantFrom('at' as const, 'kind' as const, 'text' as const, 'previous' as const, 'hash' as const);
    fc.assert(
      fc.property(Texts, fc.nat(), Part, (texts, pick, part) => {
        const lines = chain(texts);
        const at = pick % lines.length;
        const forged = lines.map((line, index) => (index === at ? { ...line, [part]: `${line[part]}x` } : line));

        expect(verifyChain(forged)).toMatchObject({ ok: false, sequence: at + 1 });
      }),
    );
  });

  it('breaks at the gap where lines were taken out, also when the others were numbered anew', () => {
    fc.assert(
      fc.property(Texts, fc.nat(), fc.boolean(), (texts, pick, renumber) => {
        const lines = chain([...texts, 'last']);
        const at = pick % texts.length;
        const rest = lines.filter((_line, index) => index !== at);
        const given = renumber ? rest.map((line, index) => ({ ...line, sequence: index + 1 })) : rest;

        expect(verifyChain(given)).toMatchObject({ ok: false, sequence: at + 1 });
      }),
    );
  });

  it('tells that its end was cut off, by the head that was noted apart', () => {
    const lines = chain(['one', 'two', 'three']);
    const head = headOf(lines);

    expect(verifyChain(lines.slice(0, 1), { head })).toEqual({
      ok: false,
      sequence: 2,
      because: 'the log ended with line 3: the end is missing',
    });
    expect(verifyChain([], { head })).toMatchObject({ ok: false, sequence: 1 });
    expect(verifyChain(lines, { head: headOf(lines.slice(0, 2)) })).toMatchObject({ ok: false, sequence: 3 });
    expect(verifyChain(chain(['one', 'two', 'other']), { head })).toMatchObject({ ok: false, sequence: 3 });
  });
});
