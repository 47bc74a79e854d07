import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import template from '../../handlers/_template/handler.ts';
import { followerOf } from '../../infra/generate/follower.ts';
import { trigger } from '../../shared/handler.ts';
import { Lease, Pod, Setting } from '../../shared/kinds.ts';

const folder = join(import.meta.dirname, '..', '..', 'infra', 'watcher', 'rbac');
const files = ['harvester', 'rancher'].flatMap((flavour) =>
  ['follower', 'watcher', 'applier'].map((what) => `${flavour}-${what}.yaml`),
);
const Rule = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
  verbs: z.array(z.string()),
});
const Document = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ namespace: z.string().optional() }),
  rules: z.array(Rule).optional(),
});
const documents = (text: string) => parseAllDocuments(text).map((document) => Document.parse(document.toJS()));
const rulesIn = (text: string) => documents(text).flatMap(({ rules = [] }) => rules);

describe('The rights that are generated', () => {
  it.each(files)('of %s name no secret, nothing that installs charts, and nothing that grants rights', (file) => {
    const rules = rulesIn(readFileSync(join(folder, file), 'utf8'));

    const FORBIDDEN =
      /^(secrets|helmcharts|helmchartconfigs|(cluster)?roles|(cluster)?rolebindings|serviceaccounts.*|\*)$/;
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.flatMap(({ resources }) => resources).filter((name) => FORBIDDEN.test(name))).toEqual([]);
    expect(
      rules
        .flatMap(({ apiGroups, verbs }) => [...apiGroups, ...verbs])
        .filter((name) => /^(\*|impersonate|escalate|bind)$/.test(name)),
    ).toEqual([]);
    expect(
      rules.filter(({ resources }) => resources.some((name) => /\/(exec|attach|portforward|proxy|token)$/.test(name))),
    ).toEqual([]);
  });

  it('let who follows list and watch what wakes a mode, and hold its own Lease', () => {
    const mode = {
      ...template,
      triggers: [
        trigger({ kind: Setting, where: { fields: { 'metadata.name': 'a' } }, fields: () => null }),
        trigger({ kind: Pod, where: { namespace: 'n', labels: { app: 'x' } }, fields: () => null }),
        trigger({ kind: Pod, where: { namespace: 'n' }, fields: () => null }),
      ],
    };

    const all = documents(followerOf('harvester', [mode, { ...mode, on: 'rancher' }]));

    const rules = (namespace?: string) =>
      all.filter(({ metadata }) => metadata.namespace === namespace).flatMap(({ rules: some = [] }) => some);
    expect(rules()).toEqual([
      { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
      { apiGroups: ['harvesterhci.io'], resources: ['settings'], resourceNames: ['a'], verbs: ['list', 'watch'] },
    ]);
    expect(rules('n')).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }]);
    expect(rules('gleaner')).toEqual([
      {
        apiGroups: ['coordination.k8s.io'],
        resources: [Lease.plural],
        resourceNames: ['gleaner-watcher'],
        verbs: ['get', 'patch'],
      },
      { apiGroups: ['coordination.k8s.io'], resources: [Lease.plural], verbs: ['create'] },
    ]);
  });
});
