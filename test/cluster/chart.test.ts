import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { findHelm, LEAST, lint, template } from '../../infra/watcher/helm.ts';
import { FLAVOURS, manifestsOf, pathOf } from '../../infra/watcher/manifests.ts';
import { type Bed, startBed } from './bed/start-bed.ts';
import { apply } from './watchers/watched-bed.ts';

const helm = findHelm();
const program = 'program' in helm ? helm.program : '';
if ('lacks' in helm) {
  if (process.env.CI) throw new Error(helm.lacks);
  console.warn(`The chart is not tested: ${helm.lacks}`);
}

const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

const rendered = (values: readonly string[], namespace?: string) => {
  const { ok, out, err } = template(program, [...LEAST, ...values], namespace);
  if (!ok) throw new Error(err);
  return parseAllDocuments(out).flatMap((document) => Manifest.nullable().parse(document.toJS()) ?? []);
};
const named = (values: readonly string[], kind: string) =>
  rendered(values)
    .filter((one) => one.kind === kind)
    .map(({ metadata }) => metadata.name);

describe.skipIf('lacks' in helm)("The watcher's chart", () => {
  it.each([[[]], [['flavour=rancher']], [['apply.enabled=true', 'direct.enabled=true', 'networkPolicy.enabled=true']]])(
    'is sound: helm lint --strict %j',
    (values) => {
      expect(lint(program, [...LEAST, ...values])).toMatchObject({ ok: true });
    },
  );

  it.each(FLAVOURS)('renders the plain manifests that are kept for %s', (flavour) => {
    expect(existsSync(pathOf(flavour)) && readFileSync(pathOf(flavour), 'utf8')).toBe(manifestsOf(program, flavour));
  });

  it.each([
    ['cluster.name=', /name/],
    ['send.ingest.url=', /say where to send to/],
    ['send.ingest.url=http://gleaner.example.com/', /url/],
    ['send.ingest.existingSecret=', /name the Secret/],
    ['send.eventBridge.bus=b', /say one of the two/],
    ['flavour=k3s', /flavour/],
    ['sepnd.x=1', /sepnd/],
    ['image.digest=latest', /digest/],
    ['replicas=0', /replicas/],
  ])('refuses %s, and says why', (value, why) => {
    const { ok, err } = template(program, [...LEAST, value]);

    expect(ok).toBe(false);
    expect(err).toMatch(why);
  });

  it('renders no account but the one that follows, until one is asked for', () => {
    expect(named([], 'ServiceAccount')).toEqual(['gleaner-follower']);
    expect(named(['direct.enabled=true'], 'ServiceAccount').sort()).toEqual(['gleaner-follower', 'gleaner-watcher']);
    expect(named(['apply.enabled=true'], 'ServiceAccount').sort()).toEqual(['gleaner-applier', 'gleaner-follower']);
    const verbs = (values: readonly string[]) => [
      ...new Set(
        rendered(values).flatMap(({ rules }) =>
          z
            .array(z.looseObject({ verbs: z.array(z.string()) }))
            .catch([])
            .parse(rules)
            .flatMap((rule) => rule.verbs),
        ),
      ),
    ];
    expect(verbs(['direct.enabled=true']).sort()).toEqual(['create', 'get', 'list', 'patch', 'watch']);
    expect(verbs(['apply.enabled=true'])).toContain('delete');
  });

  it('binds no right to an account that it does not render, and keeps to its namespace', () => {
    for (const values of [[], ['direct.enabled=true'], ['apply.enabled=true']]) {
      const all = rendered(values, 'elsewhere');
      const accounts = all.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
      const subjects = all.flatMap(({ subjects: some }) =>
        z
          .array(z.object({ name: z.string(), namespace: z.string() }))
          .catch([])
          .parse(some),
      );

      expect(subjects.length).toBeGreaterThan(0);
      expect(subjects.filter(({ name, namespace }) => !accounts.includes(name) || namespace !== 'elsewhere')).toEqual(
        [],
      );
      expect(all.filter(({ metadata }) => metadata.namespace === 'gleaner')).toEqual([]);
    }
  });

  it('claims no volume, holds up no drain, and writes nowhere', () => {
    const all = rendered(['networkPolicy.enabled=true', 'apply.enabled=true']);

    expect(all.filter(({ kind }) => /PersistentVolumeClaim|PodDisruptionBudget|Secret/.test(kind))).toEqual([]);
    expect(JSON.stringify(all)).not.toMatch(/hostPath|hostNetwork|emptyDir|"privileged"/);
  });
});

describe.skipIf('lacks' in helm)('A real API server', () => {
  let bed: Bed;
  beforeAll(async () => {
    bed = await startBed({ controllers: [], scheduler: false });
  });
  afterAll(() => bed?.stop());

  it.each([
    ['harvester', []],
    ['rancher', []],
    ['harvester', ['apply.enabled=true', 'direct.enabled=true', 'networkPolicy.enabled=true']],
    [
      'rancher',
      [
        'apply.enabled=true',
        'send.ingest.url=',
        'send.eventBridge.bus=gleaner',
        'send.eventBridge.region=eu-central-1',
        'send.eventBridge.existingSecret=aws',
      ],
    ],
  ])('takes what is rendered for %s with %j, strictly checked and without a warning', async (flavour, values) => {
    // Names of the whole cluster are taken once each.
    for (const kind of ['clusterroles', 'clusterrolebindings'])
      for (const name of ['gleaner-follower', 'gleaner-watcher', 'gleaner-applier'])
        await bed.request('DELETE', `/apis/rbac.authorization.k8s.io/v1/${kind}/${name}`);
    await bed.request('DELETE', '/apis/scheduling.k8s.io/v1/priorityclasses/gleaner-watcher');
    const namespace = `${flavour}-${values.length}`;
    const { out } = template(program, [...LEAST, `flavour=${flavour}`, ...values], namespace);
    const own = out.replaceAll(
      /^ {2}namespace: (?!harvester-\d|rancher-\d)(\S+)$/gm,
      `  namespace: $1-${values.length}`,
    );

    await apply(bed, own);

    const { body } = await bed.request('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/gleaner-watcher`);
    const { spec } = Object(body).spec.template;
    expect(spec.tolerations.map((one: { tolerationSeconds: number }) => one.tolerationSeconds)).toEqual([30, 30]);
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.containers[0].securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    expect(spec.containers[0].resources).toEqual({
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '256Mi' },
    });
  });

  it('admits the pod where only restricted pods may run', async () => {
    await apply(
      bed,
      readFileSync(pathOf('harvester'), 'utf8')
        .split(/^---\n/m)
        .filter((text) => /^kind: Namespace/m.test(text))
        .join('---\n'),
    );
    const [deployment] = rendered([]).filter(({ kind }) => kind === 'Deployment');
    const { spec, metadata } = Object(deployment).spec.template;
    const { priorityClassName: _none, ...rest } = spec;

    const { code, body } = await bed.request('POST', '/api/v1/namespaces/gleaner/pods?fieldValidation=Strict', {
      metadata: { name: 'watcher', labels: metadata.labels },
      spec: rest,
    });

    expect({ code, message: Object(body).message }).toEqual({ code: 201, message: undefined });
  });
});
