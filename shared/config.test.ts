import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Config, personOf, policyFor, readConfig } from './config.ts';

function config(text: string): Config {
  const read = readConfig(text);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

const problemsOf = (text: string, known = {}) => {
  const read = readConfig(text, known);
  return read.ok ? [] : read.problems;
};

describe('gleaner.yaml', () => {
  it.each(['', '# nothing yet', 'policy: {}', 'policy: { low: {} }'])(
    'may be empty (%j): nobody may approve then, and the page is on loopback',
    (text) => {
      const empty = config(text);

      for (const risk of ['low', 'medium', 'high'] as const)
        expect(policyFor(empty, { cluster: 'c', mode: 'm', risk }).approvers).toEqual([]);
      expect(empty).toMatchObject({ clusters: [], page: { host: '127.0.0.1', as: 'local:operator' } });
    },
  );

  it('touches no cluster before it says so', () => {
    expect(config('clusters: [{ name: lab }]').clusters).toMatchObject([{ name: 'lab', mode: 'observe' }]);
  });

  it('is read as the README writes it', () => {
    const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
    const written = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);

    expect(written.length).toBeGreaterThan(0);
    for (const text of written) expect(problemsOf(text)).toEqual([]);
  });

  it('tells every problem at once, each with its key, also where two sections contradict each other', () => {
    const problems = problemsOf(`
clusters: [{ name: lab, mod: apply, mode: aply }, { name: lab, servers: [nowhere] }]
policy:
  low: { quorum: 0, expiry: soon, remind: 0s, approvers: [ann] }
  hihg: {}
people: { ann: [ann], bob: [local:b], eve: [local:b, slack-group:S1] }
page: { port: 99999, as: slack:U1 }
pge: {}
`);

    expect(problems.map((text) => text.split(': ')[0]).sort()).toEqual(
      [
        'clusters.0.mod',
        'clusters.0.mode',
        'clusters.1.servers.0',
        'page.as',
        'page.port',
        'people.ann.0',
        'pge',
        'policy.hihg',
        'policy.low.approvers.0',
        'policy.low.expiry',
        'policy.low.quorum',
        'policy.low.remind',
      ].sort(),
    );
  });

  it('tells of the contradictions of one section though another cannot be read', () => {
    expect(problemsOf('page: { port: no }\npeople: { bob: [local:b], eve: [local:b, slack-group:S1] }')).toEqual([
      expect.stringMatching(/^page\.port: /),
      'people.eve.0: local:b is bob already: one principal is one person',
      'people.eve.1: slack-group:S1 is a group, and no name of one person',
    ]);
  });

  it('tells of what contradicts itself beside a key that is misspelt', () => {
    expect(problemsOf('policy: { hihg: {}, low: { approvers: [local:a], quorum: 2 } }')).toEqual([
      expect.stringMatching(/^policy\.hihg: there is no such key/),
      expect.stringMatching(/^policy\.low: 2 people must approve and 1 can/),
    ]);
  });

  it.each([
    ['a page on another address without TLS', 'page: { host: 0.0.0.0 }', /^page\.host: 0\.0\.0\.0 is not loopback/],
    ['half of TLS', 'page: { host: 10.0.0.1, tls: { cert: c.pem } }', /^page\.tls\.key: /],
    [
      'two clusters of one name',
      'clusters: [{ name: a, kubeconfig: a }, { name: a, kubeconfig: b }]',
      /clusters\.1\.name/,
    ],
    ['two clusters around it', 'clusters: [{ name: a }, { name: b }]', /^clusters\.1\.kubeconfig: only one cluster/],
    ['a context of nothing', 'clusters: [{ name: a, context: x }]', /^clusters\.0\.context: /],
    ['a person with a colon', 'people: { "slack:U1": [local:a] }', /^people\.slack:U1: .*no colon/],
    ['a person who would vanish', 'people: { __proto__: [local:a, slack:U1] }', /^people\.__proto__: /],
    ['a key that would vanish', '__proto__: { a: 1 }', /^__proto__: there is no such key/],
    ['a key twice', 'state: a\nstate: b', /no YAML: Map keys must be unique/],
    ['an expiry of centuries', 'policy: { low: { expiry: 99999d } }', /^policy\.low\.expiry: .*between 1s and 30d/],
    [
      'a quorum that nobody fills',
      'policy: { low: { approvers: [local:a], quorum: 2 } }',
      /^policy\.low: 2 people .* 1 can/,
    ],
    [
      'a quorum of one person under two names',
      'people: { ann: [local:a, slack:U1] }\npolicy: { high: { approvers: [local:a, slack:U1] } }',
      /^policy\.high: 2 people must approve and 1 can/,
    ],
    [
      'a misspelt cluster of an override',
      'clusters: [{ name: prod }]\npolicy: { overrides: [{ clusters: [prd], low: { approvers: [local:a] } }] }',
      /^policy\.overrides\.0\.clusters\.0: prd is none of prod$/,
    ],
    [
      'an override for no cluster at all',
      'policy: { overrides: [{ clusters: [], low: { quorum: 1 } }] }',
      /^policy\.overrides\.0\.clusters: name at least one/,
    ],
    [
      'an override that another one keeps from ever holding',
      'policy: { overrides: [{ modes: [m1, m2], low: {} }, { clusters: [prod], modes: [m2], high: { quorum: 3 } }] }',
      /^policy\.overrides\.1: it never holds, for policy\.overrides\.0 fits/,
    ],
    ['text that is no YAML', 'a: [', /^it is no YAML: .*line 1/],
    ['two documents', 'state: a\n---\nstate: b', /^it is no YAML: /],
    ['a bomb of aliases', bomb(), /^it is no YAML: .*alias/i],
    ['a list', '- a', /^\(top\): .*expected object/i],
    ['a number where an object belongs', 'policy: 7', /^policy: .*expected object/i],
  ])('refuses %s', (_what, text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(problem)]);
  });

  it('refuses an override for a failure mode that there is not, where it is told which there are', () => {
    const text = 'policy: { overrides: [{ modes: [m1, m3], low: { reasonRequired: true } }] }';

    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text, { modes: ['m1', 'm2'] })).toEqual(['policy.overrides.0.modes.1: m3 is none of m1, m2']);
  });

  it('is a configuration or a list of problems, and never a crash, whatever the text', () => {
    const Words = fc.constantFrom(
      'clusters',
      'policy',
      'low',
      ':',
      '-',
      '{',
      '}',
      '[',
      ']',
      '\n',
      ' ',
      '&a',
      '*a',
      '!!',
      '7',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(Words).map((words) => words.join(' ')),
        ),
        (text) => {
          const read = readConfig(text);

          if (!read.ok) expect(read.problems.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('The policy of gleaner.yaml', () => {
  it('ships what a small team can keep', () => {
    const given = config('policy: { high: { approvers: [local:ann, local:bob] } }');

    expect(policyFor(given, { cluster: 'lab', mode: 'm', risk: 'low' })).toEqual({
      ...{ approvers: [], quorum: 1, requesterMayApprove: true, reasonRequired: false },
      ...{ expiry: '24h', remind: '4h' },
    });
    expect(policyFor(given, { cluster: 'lab', mode: 'm', risk: 'high' })).toMatchObject({
      ...{ approvers: ['local:ann', 'local:bob'], quorum: 2, reasonRequired: true, expiry: '4h' },
    });
  });

  it('lays the first override that fits over the tier', () => {
    const given = config(`
clusters: [{ name: prod }]
policy:
  low: { approvers: [local:ann, local:bob] }
  overrides:
    - { clusters: [prod], modes: [m1], low: { quorum: 2 } }
    - { clusters: [prod], low: { approvers: [slack:U1], expiry: 1h } }
    - { modes: [m3], low: { approvers: [] } }
`);
    const low = (cluster: string, mode: string) => policyFor(given, { cluster, mode, risk: 'low' });

    expect(low('prod', 'm1')).toMatchObject({ quorum: 2, approvers: ['local:ann', 'local:bob'] });
    expect(low('prod', 'm2')).toMatchObject({ quorum: 1, approvers: ['slack:U1'], expiry: '1h' });
    expect(low('lab', 'm1')).toMatchObject({ quorum: 1, approvers: ['local:ann', 'local:bob'], expiry: '24h' });
    expect(low('lab', 'm3').approvers).toEqual([]);
  });

  it('takes a group for as many people as the quorum asks', () => {
    expect(problemsOf('policy: { high: { approvers: [slack-group:S1] } }')).toEqual([]);
  });

  it('knows one person under all their names, and nobody else under them', () => {
    const given = config('people: { ann: [local:ann, slack:U1] }');

    expect(personOf(given, 'slack:U1')).toBe(personOf(given, 'local:ann'));
    expect(personOf(given, 'slack:U2')).toBe('slack:U2');
    expect(personOf(given, 'local:ann2')).not.toBe(personOf(given, 'local:ann'));
  });
});

/** Ten levels of ten aliases each. */
function bomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_each, n) => `k${n + 1}: &k${n + 1} [${Array(10).fill(`*k${n}`).join(', ')}]`,
  );
  return ['k0: &k0 [x]', ...levels].join('\n');
}
