import { describe, expect, it } from 'vitest';
import type { Opened, Source } from '../ports/source.ts';
import { type Readers, run } from './main.ts';

const AT = new Date('2026-01-15T12:00:00Z');

/** The command line over a source of the test's: what it printed where, its exit code, and how it was opened. */
async function gleaner(argv: readonly string[], opened: Opened | Error = source()) {
  const said = { out: '', err: '' };
  const asked: unknown[] = [];
  const open = async (...options: unknown[]) => {
    asked.push(options);
    if (opened instanceof Error) throw opened;
    return opened;
  };
  const readers = async (): Promise<Readers> => ({ modes: [], openFiles: open, openCluster: open });
  const code = await run(
    argv,
    {
      version: '1.2.3',
      terminal: { width: 100, colours: false },
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
    },
    readers,
  );
  return { code, asked, ...said };
}

function source(changes: Partial<Source> = {}): Opened {
  const all: Source = {
    what: 'context prod',
    at: AT,
    look: async () => {
      throw new Error('nobody looks');
    },
    notCaptured: async () => [],
    warnings: () => [],
    close: async () => {},
    ...changes,
  };
  return { ok: true, source: all };
}

describe('The command line', () => {
  it('tells its version and its commands', async () => {
    expect(await gleaner(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n', err: '' });
    expect(await gleaner(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('diagnose'), err: '' });
  });

  it('writes the report as JSON, and nothing else to standard output', async () => {
    const { code, out, err } = await gleaner(['diagnose', '-o', 'json', 'a.yaml']);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual({ at: AT.toISOString(), findings: [], refused: [], notCaptured: [], warnings: [] });
  });

  it('prints the context of a live cluster to standard error', async () => {
    expect(await gleaner(['diagnose', '-o', 'json'])).toMatchObject({ code: 0, err: 'context prod\n' });
  });

  it('hands the kubeconfig, the context and the moment on', async () => {
    const live = await gleaner(['diagnose', '--kubeconfig', 'k', '--context', 'c']);
    const file = await gleaner(['diagnose', 'a.yaml', '--at', '2026-01-15T12:00:00Z']);

    expect(live.asked).toEqual([[{ kubeconfig: 'k', context: 'c', reads: [] }]]);
    expect(file.asked).toEqual([['a.yaml', { at: AT, reads: [] }]]);
  });

  it.each([
    [
      'input that cannot be used',
      ['diagnose', 'a.yaml'],
      { ok: false, because: 'a.yaml is\nempty\u001b[2J' } as const,
      'gleaner: a.yaml is empty [2J\n',
    ],
    [
      'both a path and a cluster',
      ['diagnose', 'a.yaml', '--kubeconfig', 'k'],
      source(),
      'gleaner: give either PATH (a.yaml) or a cluster, not both\n',
    ],
    ['a format that is none', ['diagnose', '-o', 'xml'], source(), /^error: .*'xml' is invalid.*\n$/],
    ['a moment that is none', ['diagnose', '--at', 'noon', 'a.yaml'], source(), /^error: .*'noon' is invalid.*\n$/],
    ['an option that is none', ['diagnose', '--nope'], source(), /^error: unknown option '--nope'\n/],
    ['a command that is none', ['nope'], source(), /^error: unknown command 'nope'\n/],
  ])('answers %s with one line and exit code 2', async (_what, argv, opened, line) => {
    const { code, out, err } = await gleaner(argv, opened);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toEqual(typeof line === 'string' ? line : expect.stringMatching(line));
  });

  it('closes the source, also where a look breaks', async () => {
    let closed = 0;
    const broken = source({
      notCaptured: async () => {
        throw new Error('the disk is gone');
      },
      close: async () => {
        closed++;
      },
    });

    await expect(gleaner(['diagnose', 'a.yaml'], broken)).rejects.toThrow('the disk is gone');

    expect(closed).toBe(1);
  });
});
