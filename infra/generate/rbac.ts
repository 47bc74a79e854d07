import { stringify } from 'yaml';
import { groupOf, type Mode, type Right } from '../../shared/handler.ts';
import { ConfigMap, Namespace, Node, RancherSetting, Setting } from '../../shared/kinds.ts';

/** A rule of RBAC. */
interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export type Flavour = Mode['on'];

/** Where Gleaner's own accounts live. */
export const HOME = 'gleaner';
const READ = ['get', 'list', 'watch'];

/** What every picture needs beside the modes' rights: the cluster's id, the releases, the address of the VIP. */
const ALWAYS: Readonly<Record<Flavour, readonly Right[]>> = {
  harvester: [
    { kind: Namespace, names: ['kube-system'] },
    { kind: Node },
    { kind: Setting, names: ['server-version'] },
    { kind: RancherSetting, names: ['server-version'] },
    { kind: ConfigMap, namespace: 'harvester-system', names: ['vip'] },
  ],
  rancher: [
    { kind: Namespace, names: ['kube-system'] },
    { kind: Node },
    { kind: RancherSetting, names: ['server-version'] },
  ],
};

/** One right of a role: on a resource, in a namespace or everywhere, on all objects or on named ones. */
export interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly names: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

export const grantOn =
  (verbs: readonly string[]) =>
  ({ kind, namespace, names }: Right): Grant => ({
    group: groupOf(kind.apiVersion),
    resource: kind.plural,
    namespace,
    names,
    verbs,
  });

/** Manifests of the account that only reads: it watches, and classifies what it sees. */
export function watcherOf(flavour: Flavour, modes: readonly Mode[]): string {
  const own = modes.filter((mode) => mode.on === flavour);
  const grants = [
    ...[...ALWAYS[flavour], ...own.flatMap(({ rights }) => rights.read)].map(grantOn(READ)),
    ...own
      .flatMap(({ rights }) => rights.logs ?? [])
      .map((namespace) => ({ group: '', resource: 'pods/log', namespace, names: undefined, verbs: ['get'] })),
  ];
  const documents = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOME } },
    ...manifests('gleaner-watcher', grants, ['gleaner-watcher', 'gleaner-applier']),
  ];
  return text(documents, [
    `What Gleaner may read in a ${flavour} cluster, from the rights of handlers/*/handler.ts.`,
    'A list or watch of a right with resourceNames passes only with the field selector metadata.name.',
  ]);
}

/** Manifests of the account that touches. It needs the watcher's rights too, for it looks again before each touch. */
export function applierOf(flavour: Flavour, modes: readonly Mode[]): string {
  const own = modes.filter((mode) => mode.on === flavour).map(({ rights }) => rights);
  const grants = [
    ...own.flatMap(({ patch = [] }) => patch.map(grantOn(['patch']))),
    ...own.flatMap((rights) => (rights.delete ?? []).map(grantOn(['delete']))),
    ...own.flatMap(({ call = [] }) =>
      call.map(({ group, resource }) => ({
        group,
        resource,
        namespace: undefined,
        names: undefined,
        verbs: ['update'],
      })),
    ),
  ];
  return text(manifests('gleaner-applier', grants, ['gleaner-applier']), [
    `What Gleaner may change in a ${flavour} cluster, from the rights of handlers/*/handler.ts.`,
    'A server-side dry run needs the same verb as the touch itself: give this account to whatever dry-runs or applies.',
    "RBAC cannot narrow these rights further; that only approved plans use them is the core's to hold.",
  ]);
}

/** An account with one cluster role, one role per namespace, and their bindings to `accounts`. */
export function manifests(name: string, grants: readonly Grant[], accounts: readonly string[]) {
  const needed = grants.filter((grant) => !grants.some((other) => other !== grant && isWider(other, grant)));
  const scopes = Map.groupBy(needed, ({ namespace }) => namespace);
  const sorted = [...scopes].sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const subjects = accounts.map((account) => ({ kind: 'ServiceAccount', name: account, namespace: HOME }));
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: HOME } },
    ...sorted.flatMap(([namespace, some]) => {
      const prefix = namespace === undefined ? 'Cluster' : '';
      const metadata = { name, ...(namespace !== undefined && { namespace }) };
      const apiGroup = 'rbac.authorization.k8s.io';
      const apiVersion = `${apiGroup}/v1`;
      return [
        { apiVersion, kind: `${prefix}Role`, metadata, rules: rulesOf(some) },
        {
          apiVersion,
          kind: `${prefix}RoleBinding`,
          metadata,
          roleRef: { apiGroup, kind: `${prefix}Role`, name },
          subjects,
        },
      ];
    }),
  ];
}

/** Whether one right holds all that another does. */
const isWider = (wide: Grant, narrow: Grant) =>
  wide.group === narrow.group &&
  wide.resource === narrow.resource &&
  narrow.verbs.every((verb) => wide.verbs.includes(verb)) &&
  wide.names === undefined &&
  (wide.namespace === undefined || wide.namespace === narrow.namespace) &&
  (narrow.names !== undefined || wide.namespace !== narrow.namespace);

/** The shortest sorted list of rules: named objects each for themselves, whole resources together by group. */
function rulesOf(grants: readonly Grant[]): Rule[] {
  const unique = (texts: readonly string[]) => [...new Set(texts)].sort();
  const named = grants.filter(({ names }) => names !== undefined);
  const whole = grants.filter(({ names }) => names === undefined);
  const byGroup = Map.groupBy(whole, ({ group, verbs }) => `${group} ${verbs}`);
  const byResource = Map.groupBy(named, ({ group, resource, verbs }) => `${group} ${resource} ${verbs}`);
  const rule = (some: readonly Grant[]): Rule => ({
    apiGroups: unique(some.map(({ group }) => group)),
    resources: unique(some.map(({ resource }) => resource)),
    verbs: some[0]?.verbs ?? [],
  });
  const rules = [
    ...[...byGroup.values()].map(rule),
    ...[...byResource.values()].map((some) => {
      const { apiGroups, resources, verbs } = rule(some);
      return { apiGroups, resources, resourceNames: unique(some.flatMap(({ names }) => names ?? [])), verbs };
    }),
  ];
  const order = ({ apiGroups, resources, resourceNames }: Rule) =>
    JSON.stringify([apiGroups, resources, resourceNames]);
  return rules.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

export function text(documents: readonly object[], says: readonly string[]): string {
  const head = ['Generated by `npm run generate`. A new right must show in review.', ...says].map(
    (line) => `# ${line}\n`,
  );
  const options = { lineWidth: 0, aliasDuplicateObjects: false };
  return head.join('') + documents.map((document) => `---\n${stringify(document, options)}`).join('');
}
