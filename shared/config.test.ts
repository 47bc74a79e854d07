import { describe, expect, it } from 'vitest';
import { type Config, personOf, policyFor, readConfig } from './config.ts';

function config(text: string): Config {
  const read = readConfig(text);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

describe('gleaner.yaml', () => {
  it('may be empty: nobody may approve then, and no cluster is touched', () => {
    const empty = config('');

    expect(policyFor(empty, { cluster: 'c', mode: 'm', risk: 'low' }).approvers).toEqual([]);
    expect(config('clusters: [{ name: lab }]').clusters).toMatchObject([{ name: 'lab', mode: 'observe' }]);
  });

  it('tells every problem at once, each with its key', () => {
    const read = readConfig(`
clusters: [{ name: lab, mod: apply }, { name: lab, servers: [nowhere] }]
policy: { low: { quorum: 0, expiry: soon }, hihg: {} }
people: { ann: [ann] }
page: { port: 99999 }
`);

    expect(read).toMatchObject({ ok: false });
    const text = read.ok ? '' : read.problems.join('\n');
    for (const key of [
      'clusters.0',
      'clusters.1.servers.0',
      'policy.low.quorum',
      'policy.low.expiry',
      'policy',
      'people.ann.0',
      'page.port',
    ]) {
      expect(text).toContain(`${key}: `);
    }
  });

  it.each([
    ['a page on another address without TLS', 'page: { host: 0.0.0.0 }', /page\.host: .*not loopback/],
    ['two clusters of one name', 'clusters: [{ name: a }, { name: a }]', /clusters\.1\.name: there are two clusters a/],
    [
      'one principal of two people',
      'people: { ann: [local:a], bob: [local:a] }',
      /people\.bob\.0: local:a is ann already/,
    ],
    ['text that is no YAML', 'a: [', /it is no YAML/],
    ['a list', '- a', /expected object/i],
  ])('refuses %s', (_what, text, problem) => {
    const read = readConfig(text);

    expect(read.ok ? '' : read.problems.join('\n')).toMatch(problem);
  });

  it('lays the first override that fits over the tier', () => {
    const given = config(`
policy:
  low: { approvers: [local:ann] }
  overrides:
    - { clusters: [prod], modes: [m1], low: { quorum: 2 } }
    - { clusters: [prod], low: { approvers: [slack:U1], expiry: 1h } }
`);

    expect(policyFor(given, { cluster: 'prod', mode: 'm1', risk: 'low' })).toMatchObject({
      quorum: 2,
      approvers: ['local:ann'],
      expiry: '24h',
    });
    expect(policyFor(given, { cluster: 'prod', mode: 'm2', risk: 'low' })).toMatchObject({
      quorum: 1,
      approvers: ['slack:U1'],
      expiry: '1h',
    });
    expect(policyFor(given, { cluster: 'lab', mode: 'm1', risk: 'high' })).toMatchObject({
      quorum: 2,
      approvers: [],
      reasonRequired: true,
    });
  });

  it('knows one person under all their names', () => {
    const given = config('people: { ann: [local:ann, slack:U1] }');

    expect(personOf(given, 'slack:U1')).toBe(personOf(given, 'local:ann'));
    expect(personOf(given, 'slack:U2')).toBe('slack:U2');
  });
});
