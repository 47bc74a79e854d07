import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { plainYaml } from './plain-yaml.ts';
import { UNFAMILIAR } from './scalar.ts';

/** What the library makes of a text; undefined where it refuses it. */
function byLibrary(text: string): unknown {
  try {
    return { value: parse(text, { logLevel: 'silent' }) };
  } catch {
    return undefined;
  }
}

const POD = `apiVersion: v1
kind: Pod
metadata:
  annotations:
    a/b: '{"networks":[{"name":"k8s"}], "it''s": ""}'
    "quoted key": "tab\\there and \\u00e9"
  creationTimestamp: "2026-01-15T11:00:00Z"
  labels: {}
  name: p-0
spec:
  containers:
  - args:
    - -c
    - |
      while true; do
       sleep 1

      done
    - |-
      no break at the end
    command: []
    ports:
    - containerPort: 8080
      weight: 0.5
    -
      containerPort: 8081
  terminationGracePeriodSeconds: 30
status:
  message: 'the node was low on resource: ephemeral-storage. Threshold quantity:
    1234, available: 1000'
  note: plain text that was folded
    because it is long

    and has a second paragraph
  reason: "a backslash at the end \\
    swallows the break"
  empty:
  ready: true
  nothing: null
`;

describe('The reader of plain YAML', () => {
  it('reads what kubectl writes as the library does', () => {
    expect(plainYaml(POD)).toEqual(parse(POD));
  });

  it.each([
    ['an anchor', 'a: &x 1\nb: *x\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a flow collection', 'a: [1, 2]\n'],
    ['a comment behind a value', 'a: 1 # one\n'],
    ['a folded scalar', 'a: >\n  text\n'],
    ['a duplicate key', 'a: 1\na: 2\n'],
    ['a merge key', '<<: 1\n'],
    ['a tab as indentation', 'a:\n\tb: 1\n'],
    ['a mapping that is indented wrongly', 'a: 1\n  b: 2\n'],
    ['a number of another base', 'a: 0x1f\n'],
    ['prototype pollution', '__proto__:\n  a: 1\n'],
    ['a document of text', 'hello world\n'],
    ['an open quote', 'a: "b\n'],
  ])('leaves %s to the library', (_what, text) => {
    expect(plainYaml(text)).toBe(UNFAMILIAR);
  });

  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('a', ' ', ':', '#', '-', "'", '"', '\\', '\n', '{', '|', '0', '.', '~'),
      maxLength: 10,
    }),
    fc.lorem({ maxCount: 30 }),
    fc.constantFrom(
      'null',
      'true',
      '1e3',
      '0o17',
      '-',
      '? a',
      '- a',
      'a: b',
      'x #y',
      '2026-01-15T11:00:00Z',
      'é\u2028',
    ),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  })).map;
  const layout = fc.record({
    indentSeq: fc.boolean(),
    lineWidth: fc.constantFrom(0, 40, 80),
    blockQuote: fc.constantFrom<'literal' | true>('literal', true),
    singleQuote: fc.boolean(),
  });

  it('agrees with the library on whatever it reads', () => {
    fc.assert(
      fc.property(json, layout, (value, options) => {
        const text = stringify(value, { ...options, aliasDuplicateObjects: false });
        const read = plainYaml(text);
        if (read !== UNFAMILIAR) expect(read).toEqual(parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees with the library on broken text, and reads none that the library refuses', () => {
    const cut = fc.record({
      at: fc.nat(POD.length),
      drop: fc.nat(20),
      put: fc.string({ unit: fc.constantFrom(' ', '\n', ':', '-', "'", '"', '|', 'a', '#', '\\', '\t'), maxLength: 4 }),
    });
    fc.assert(
      fc.property(cut, ({ at, drop, put }) => {
        const text = POD.slice(0, at) + put + POD.slice(at + drop);
        const read = plainYaml(text);
        if (read !== UNFAMILIAR) expect({ value: read }).toEqual(byLibrary(text));
      }),
      { numRuns: 3000 },
    );
  });
});
