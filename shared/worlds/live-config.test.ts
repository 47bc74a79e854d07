import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../adapters/clock/manual.ts';
import { liveConfig } from './live-config.ts';
import { load, settings } from './settings.ts';

const silent = { info() {}, warn() {}, error() {} };
const low = { cluster: 'id-1', mode: 'm', risk: 'low' } as const;

function live(text: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'gleaner-')), 'gleaner.yaml');
  writeFileSync(file, text);
  const clock = manualClock('2026-01-15T12:00:00Z');
  const config = liveConfig(load(file), file, clock, silent);
  const rules = config.rules(() => 'lab');
  return {
    ...{ file, config, rules },
    /** What it says once the file was looked at again. */
    after(change: () => void) {
      change();
      clock.advance(5_000);
    },
  };
}

describe('A configuration that is followed', () => {
  it('is in force as soon as the file has changed', () => {
    const { file, rules, after } = live('policy: { low: { approvers: [local:ann] } }');
    expect(rules.policy(low).approvers).toEqual(['local:ann']);

    after(() => writeFileSync(file, 'policy: { low: { approvers: [local:ann, local:bob] } }'));

    expect(rules.policy(low).approvers).toEqual(['local:ann', 'local:bob']);
  });

  it.each([
    [
      'is wrong',
      (file: string) => writeFileSync(file, 'policy: { low: { approvers: everybody } }'),
      /policy\.low\.approvers/,
    ],
    ['is no YAML', (file: string) => writeFileSync(file, 'policy: ['), /no YAML/],
    ['is gone', (file: string) => rmSync(file), /cannot be read/],
  ])('stays as it was while the file %s, and says so', (_what, spoil, because) => {
    const { file, config, rules, after } = live('policy: { low: { approvers: [local:ann] } }');

    after(() => spoil(file));

    expect(rules.policy(low).approvers).toEqual(['local:ann']);
    expect(config.trouble()).toMatch(/is not in force/);
    expect(config.trouble()).toMatch(because);

    after(() => writeFileSync(file, 'policy: { low: { approvers: [local:bob] } }'));
    expect(config.trouble()).toBeUndefined();
    expect(rules.policy(low).approvers).toEqual(['local:bob']);
  });

  it('says that other clusters need a new start', () => {
    const { file, config, after } = live('clusters: [{ name: lab, kubeconfig: a.yaml }]');

    after(() => writeFileSync(file, 'clusters: [{ name: lab, kubeconfig: b.yaml }]'));

    expect(config.trouble()).toMatch(/start Gleaner again/);
    expect(config.current().clusters[0]?.kubeconfig).toBe('a.yaml');
  });
});

describe('A cluster that is followed', () => {
  const named = (mode: string) => `clusters: [{ name: lab, kubeconfig: a.yaml, mode: ${mode} }]`;

  it('is only observed as soon as the file says so, and touched after a new start only', () => {
    const { file, config, after } = live(named('apply'));
    const lab = config.held({ name: 'lab', does: 'apply' as const });
    expect(lab.does).toBe('apply');

    after(() => writeFileSync(file, named('observe')));
    expect([lab.does, config.trouble()]).toEqual(['observe', undefined]);
    after(() => writeFileSync(file, named('apply')));
    expect([lab.does, config.trouble()]).toEqual(['apply', undefined]);
  });

  it('is only observed where the file names it no more', () => {
    const { file, config, after } = live(named('apply'));
    const lab = config.held({ name: 'lab', does: 'apply' as const });

    after(() => writeFileSync(file, 'clusters: []'));

    expect(lab.does).toBe('observe');
    expect(config.trouble()).toMatch(/start Gleaner again/);
  });

  it('may be named by the policy though only the command line names it, and not otherwise than it does', () => {
    const policy = (cluster: string) => `policy: { overrides: [{ clusters: [${cluster}], low: { quorum: 1 } }] }`;
    const started = (cluster: string) => {
      const file = join(mkdtempSync(join(tmpdir(), 'gleaner-')), 'gleaner.yaml');
      writeFileSync(file, policy(cluster));
      return () => settings({ config: file, kubeconfig: ['conf/prod.yaml'] }, {});
    };

    expect(started('prod')()).toMatchObject({ config: { clusters: [{ name: 'prod' }] } });
    expect(started('prd')).toThrow(/policy\.overrides\.0\.clusters\.0: prd is none of prod/);
  });
});

describe('What is followed', () => {
  it('is a playground when nothing was named, whatever kubeconfig lies around', () => {
    expect(settings({}, { KUBECONFIG: '/tmp/prod.yaml', HOME: '/root' })).toMatchObject({
      isPlayground: true,
      config: { clusters: [] },
    });
  });

  it('is only observed when the command line alone names it', () => {
    const { config, isPlayground } = settings(
      { kubeconfig: ['conf/prod.yaml', 'lab'], server: ['https://10.0.0.11:6443'] },
      {},
    );

    expect(isPlayground).toBe(false);
    expect(config.clusters).toMatchObject([
      { name: 'prod', kubeconfig: 'conf/prod.yaml', mode: 'observe', servers: ['https://10.0.0.11:6443'] },
      { name: 'lab', kubeconfig: 'lab', mode: 'observe' },
    ]);
  });

  it("is the pod's own cluster inside one, only observed", () => {
    const { config, isPlayground } = settings({}, { KUBERNETES_SERVICE_HOST: '10.43.0.1' });

    expect(isPlayground).toBe(false);
    expect(config.clusters).toMatchObject([{ mode: 'observe' }]);
  });

  it('is refused with every problem of the file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'gleaner-')), 'gleaner.yaml');
    writeFileSync(file, 'clusters: [{ name: 7 }]\npolcy: {}\n');

    expect(() => settings({ config: file }, {})).toThrow(/clusters\.0\.name[\s\S]*polcy/);
  });
});
