import type { Json, JsonObject } from '../../handler.ts';
import { apiVersionOf, type Resource } from './resource.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Subresources beside `status`: of `pods` alone. */
const OF_PODS: readonly JsonObject[] = [
  { name: 'pods/binding', kind: 'Binding', verbs: ['create'] },
  { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  { name: 'pods/log', kind: 'Pod', verbs: ['get'] },
];

const REVIEWS: Readonly<Record<string, readonly Json[]>> = {
  'authorization.k8s.io/v1': [
    {
      name: 'selfsubjectaccessreviews',
      singularName: '',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    },
  ],
  'authentication.k8s.io/v1': [
    { name: 'selfsubjectreviews', singularName: '', namespaced: false, kind: 'SelfSubjectReview', verbs: ['create'] },
  ],
};

/** An aggregated API's subresources: `{ group: 'subresources.kubevirt.io', resource: 'virtualmachines/stop' }`. */
export interface Aggregated {
  readonly group: string;
  readonly resource: string;
}

/** What is served where, as clients ask for it: `/api`, `/apis`, `/api/v1`, `/apis/GROUP`, `/apis/GROUP/VERSION`. */
export function discovery(
  resources: readonly Resource[],
  aggregated: readonly Aggregated[],
  path: string,
): JsonObject | undefined {
  const [root, group, version, more] = path.split('/').filter(Boolean);
  if (more !== undefined) return undefined;
  if (root === 'api') return core(resources, group, version);
  if (root !== 'apis') return undefined;
  const versions = versionsOf(resources, aggregated);
  if (group === undefined) {
    const groups = [...versions].filter(([name]) => name !== '').map(([name, all]) => groupOf(name, all));
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  const all = versions.get(group);
  if (!all) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, all) };
  if (!all.has(version)) return undefined;
  const calls = aggregated.filter((each) => each.group === group);
  return calls.length > 0 ? callList(group, calls) : resourceList(resources, `${group}/${version}`);
}

function core(
  resources: readonly Resource[],
  group: string | undefined,
  version: string | undefined,
): JsonObject | undefined {
  if (group === undefined) return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  return group === 'v1' && version === undefined ? resourceList(resources, 'v1') : undefined;
}

function versionsOf(resources: readonly Resource[], aggregated: readonly Aggregated[]): Map<string, Set<string>> {
  const reviews = Object.keys(REVIEWS).map((apiVersion) => ({ group: apiVersion.split('/')[0] ?? '', version: 'v1' }));
  const calls = aggregated.map(({ group }) => ({ group, version: 'v1' }));
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of [...resources, ...calls, ...reviews]) {
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  }
  return versions;
}

function groupOf(name: string, versions: ReadonlySet<string>): JsonObject {
  const served = [...versions].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: served, preferredVersion: served[0] ?? null };
}

const listOf = (groupVersion: string, resources: readonly Json[]): JsonObject => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources,
});

function resourceList(resources: readonly Resource[], groupVersion: string): JsonObject {
  const rows = resources
    .filter((each) => apiVersionOf(each) === groupVersion)
    .flatMap(({ plural, kind, namespaced, shortNames, status }): Json[] => {
      const singularName = kind.toLowerCase();
      const main = {
        name: plural,
        singularName,
        namespaced,
        kind,
        verbs: VERBS,
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
      };
      const own = { name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
      return status ? [main, own] : [main];
    });
  const ofPods =
    groupVersion === 'v1' ? OF_PODS.map((each): Json => ({ ...each, singularName: '', namespaced: true })) : [];
  return listOf(groupVersion, REVIEWS[groupVersion] ?? [...rows, ...ofPods]);
}

function callList(group: string, calls: readonly Aggregated[]): JsonObject {
  return listOf(
    `${group}/v1`,
    calls.map(({ resource }) => ({
      name: resource,
      singularName: '',
      namespaced: true,
      kind: 'VirtualMachine',
      verbs: ['update'],
    })),
  );
}
