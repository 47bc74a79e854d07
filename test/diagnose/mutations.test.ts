import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modes } from '../../handlers/index.ts';
import { openFiles } from '../../shared/adapters/bundle/open.ts';
import { run } from '../../shared/cli/main.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleaner-mutations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const YAML = readFileSync(join(import.meta.dirname, '..', 'package', 'wiped-pool.yaml'), 'utf8');
const JSON_TEXT = JSON.stringify(parse(YAML), null, 4);

async function diagnose(bytes: Buffer | string, args: readonly string[] = []) {
  const path = join(folder, 'input');
  writeFileSync(path, bytes);
  const said = { out: '', err: '' };
  const around = {
    version: '0',
    terminal: { width: 100, colours: false },
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  const openCluster = async () => ({ ok: false, because: 'there is none' }) as const;
  const code = await run(['diagnose', '-o', 'json', path, ...args], around, async () => ({
    modes,
    openFiles,
    openCluster,
  }));
  return { code, ...said };
}

/** Whatever the input is: it is diagnosed, or refused in one line; and no mode falls over it. */
async function holds(bytes: Buffer | string) {
  const { code, out, err } = await diagnose(bytes);
  if (code === 2) return expect(err).toMatch(/^gleaner: [^\n]+\n$/);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { warnings } = JSON.parse(out);
  expect(warnings.filter(({ because }: { because: string }) => because.startsWith('could not be asked'))).toEqual([]);
}

const scalar = fc.constantFrom<unknown>(
  null,
  '',
  'x',
  0,
  -1,
  true,
  [],
  {},
  [null],
  { a: 1 },
  '2026-13-45T99:00:00Z',
  '::1',
);

/** Puts another value where one stands in an object, at the place that the numbers lead to. */
function replaced(value: unknown, way: readonly number[], by: unknown): unknown {
  const [first = 0, ...rest] = way;
  if (typeof value !== 'object' || value === null || way.length === 0) return by;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return by;
  const inner = replaced(Reflect.get(value, key), rest, by);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

describe('gleaner diagnose', () => {
  it('exits with 1 for a finding only where --exit-code asks for it', async () => {
    expect((await diagnose(YAML)).code).toBe(0);
    expect((await diagnose(YAML, ['--exit-code'])).code).toBe(1);
  });

  it('says the same of YAML and of JSON', async () => {
    expect((await diagnose(JSON_TEXT)).out).toBe((await diagnose(YAML)).out);
  });

  it('neither crashes nor guesses, wherever its input is cut off', async () => {
    for (const text of [YAML, JSON_TEXT]) {
      for (let end = 0; end < text.length; end += 13) await holds(text.slice(0, end));
    }
  });

  it('neither crashes nor guesses, whatever bytes are changed', async () => {
    const change = fc.record({ at: fc.nat(YAML.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        const bytes = Buffer.from(YAML);
        for (const { at, byte } of changes) bytes[at] = byte;
        await holds(bytes);
      }),
      { numRuns: 300 },
    );
  });

  it('neither crashes nor guesses, whatever stands where something else belongs', async () => {
    const way = fc.array(fc.nat(20), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(way, scalar), { minLength: 1, maxLength: 3 }), async (changes) => {
        const value = changes.reduce<unknown>((whole, [at, by]) => replaced(whole, at, by), parse(YAML));
        await holds(JSON.stringify(value) ?? '');
      }),
      { numRuns: 500 },
    );
  });
});
