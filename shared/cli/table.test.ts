import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding, Report } from './report.ts';
import { table } from './table.ts';
import { harmless, wrap } from './terminal.ts';

const NODE = { apiVersion: 'v1', kind: 'Node', name: 'node1' };

const FINDING: Finding = {
  mode: 'a-mode',
  cause: 'a-cause',
  confidence: 'certain',
  subject: NODE,
  summary: 'Node node1 is labelled broken',
  because:
    'the label is set, which nothing but a person does, and it stays until a person takes it away again, however long that is',
  users: 'nothing',
  mayWait: { untilMorning: false, because: 'it grows' },
  since: '2026-01-15T09:55:00Z',
  evidence: [
    { object: NODE, field: 'metadata.labels', value: { broken: 'x'.repeat(300) }, because: 'the label is set' },
  ],
  upstream: [{ issue: 'https://github.com/o/r/issues/1', affected: 'v1.0 to v1.2', fixedIn: 'v1.3' }],
  refusal: null,
  plans: [
    {
      id: 'remove-label',
      title: 'Remove the label',
      risk: 'low',
      stopgap: true,
      does: 'Removes one label.',
      blastRadius: 'One label of one node.',
      irreversible: null,
      preconditions: [],
      steps: [
        {
          do: 'patch',
          target: NODE,
          patch: { type: 'merge', body: { metadata: { labels: { broken: null } } } },
          because: 'without it the node counts as sound',
        },
        { do: 'wait', target: NODE, because: 'it takes a moment', until: 'sound', deadline: '5m' },
        {
          do: 'ask',
          target: NODE,
          because: 'a machine cannot',
          what: 'Look at the machine',
          command: 'uptime',
          deadline: '1h',
        },
      ],
      onFailure: [{ do: 'restart', target: { ...NODE, kind: 'Deployment', namespace: 'd' }, because: 'it must run' }],
      undo: { offered: false, because: 'it would bring the fault back' },
    },
  ],
  prevention: 'Do not label nodes.',
};

const REPORT: Report = {
  at: '2026-01-15T12:00:00.000Z',
  findings: [FINDING],
  refused: ['node2', 'node3'].map((name) => ({
    mode: 'a-mode',
    subject: { ...NODE, name },
    because: 'the label is not set',
  })),
  notCaptured: ['IPPool', 'Pod'],
  warnings: [{ where: 'a.yaml', because: 'is empty' }],
};

const plain = { width: 100, colours: false };

describe('The table', () => {
  it('reads like this on a terminal of 100 columns', () => {
    expect(table(REPORT, 'file a.yaml', plain)).toMatchInlineSnapshot(`
      "file a.yaml at 2026-01-15 12:00:00 UTC: 1 fault recognised

      1. CERTAIN a-mode / a-cause
         What       Node node1 is labelled broken
         Where      Node node1
         Since      2026-01-15 09:55:00 UTC (2 h 5 min before the picture)
         Users      nothing
         Act now    it grows
         Why        the label is set, which nothing but a person does, and it stays until a person takes
                    it away again, however long that is
         Evidence   - the label is set
                      Node node1 metadata.labels = {"broken":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
         Upstream   https://github.com/o/r/issues/1; affects v1.0 to v1.2; fixed in v1.3
         Plan       Remove the label (risk low, stopgap: the cause stays)
         Does       Removes one label.
         Moves      One label of one node.
         Undo       not offered: it would bring the fault back
         Steps      1. patch Node node1: without it the node counts as sound
                       $ kubectl patch node/node1 --type=merge -p '{"metadata":{"labels":{"broken":null}}}'
                    2. wait, at most 5m, for Node node1: it takes a moment
                    3. somebody: Look at the machine (a machine cannot)
                       $ uptime
         On failure 1. restart Deployment d/node1: it must run
                       $ kubectl rollout restart deployment/node1 -n d
         Prevent    Do not label nodes.

      Not this   a-mode: Node node2: the label is not set (and 1 more)
      Not read   IPPool, Pod: not captured, so the rules that need them say less
      Warning    a.yaml: is empty
      "
    `);
  });

  it('keeps every line but the commands to copy within the width', () => {
    const lines = table(REPORT, 'file a.yaml', plain).split('\n');

    expect(lines.filter((line) => line.length > 100 && !line.trimStart().startsWith('$'))).toEqual([]);
  });

  it('says that nothing was recognised', () => {
    expect(table({ ...REPORT, findings: [], refused: [], notCaptured: [], warnings: [] }, 'file a.yaml', plain)).toBe(
      'file a.yaml at 2026-01-15 12:00:00 UTC: nothing recognised\n\n',
    );
  });

  it('colours only where it is asked to, and cuts long lists of warnings', () => {
    const warnings = Array.from({ length: 30 }, (_, n) => ({ where: `f${n}`, because: 'is empty' }));

    expect(table(REPORT, 'x', plain)).not.toContain('\u001b');
    expect(table(REPORT, 'x', { ...plain, colours: true })).toContain('\u001b[');
    expect(table({ ...REPORT, warnings }, 'x', plain)).toContain('and 18 more, which -o json lists');
  });

  it('never lets a text of the cluster draw on the terminal, nor hide its direction', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const evil = { ...FINDING, summary: `\u001b[2J${text}`, subject: { ...NODE, name: `\u202e${text}\r` } };

        const shown = table({ ...REPORT, findings: [evil] }, `\u0007${text}`, plain);

        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('Wrapping', () => {
  it('loses no word and makes no line longer than it may be', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '\n', '-'), maxLength: 200 }),
        fc.integer({ min: 5, max: 40 }),
        (text, width) => {
          const lines = wrap(text, width);

          expect(lines.every((line) => line.length <= width)).toBe(true);
          expect(lines.join('').replaceAll(' ', '')).toBe(harmless(text).replaceAll(' ', ''));
        },
      ),
    );
  });
});
