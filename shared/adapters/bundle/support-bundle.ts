import { groupOf, isObject, type Json, type Kind } from '../../handler.ts';
import { keyOf } from './harvest.ts';
import { later, momentOf } from './moment.ts';

/**
 * A bundle of Harvester's support-bundle-kit. It lists the cluster-scoped kinds, and the namespaced ones of some
 * namespaces; an empty list writes no file, so there a missing file means "none", unless `bundleGenerationError.log`
 * names its URL. (rancher/support-bundle-kit pkg/manager/cluster.go, pkg/manager/collectors, pkg/manager/client)
 */
export interface Layout {
  /** The folder of the bundle inside of what was given: empty, or with a slash at its end. */
  readonly root: string;
  readonly namespaces: ReadonlySet<string>;
  readonly hasCluster: boolean;
  /** Whether its paths name API versions. Older bundles hold a few chosen kinds only: there, absence means nothing. */
  readonly isComplete: boolean;
}

/** Recognises bundles by their folders; there may be none, or several in one folder. */
export function layoutsOf(names: readonly string[]): Layout[] {
  const roots = new Map<string, { namespaces: Set<string>; hasCluster: boolean; isComplete: boolean }>();
  for (const name of names) {
    const match = /^((?:[^/]+\/)*?)yamls\/(?:(cluster)|namespaced\/([^/]+))\/(v1\/)?/.exec(name);
    if (!match) continue;
    const [, root = '', cluster, namespace, core] = match;
    const known = roots.get(root) ?? { namespaces: new Set<string>(), hasCluster: false, isComplete: false };
    if (core) known.isComplete = true;
    if (cluster) known.hasCluster = true;
    if (namespace) known.namespaces.add(namespace);
    roots.set(root, known);
  }
  return [...roots].map(([root, found]) => ({ root, ...found }));
}

/** What the bundle's `metadata.yaml` tells. Some versions write the Go field names in lower case. */
export interface About {
  readonly at: Date | undefined;
  readonly kubernetes: string | undefined;
}

export function aboutOf(metadata: Json | undefined): About {
  if (!isObject(metadata)) return { at: undefined, kubernetes: undefined };
  const version = metadata.kubernetesVersion ?? metadata.kubernetesversion;
  return {
    at: later(momentOf(metadata.bundleCreatedAt), momentOf(metadata.bundlecreatedat)),
    kubernetes: typeof version === 'string' ? version : undefined,
  };
}

/** A list that the collector could not read, by the URL that its error log names. */
export interface Unread {
  readonly url: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly because: string;
}

/** `Failed to get /apis/apps/v1/namespaces/ns/deployments: …`, and the same of an answer that it could not parse. */
export function unreadOf(log: string): Unread[] {
  const line = /^Failed to (?:get|parse objects received from) (\/apis?\/([^\s:]+)): (.*)$/gm;
  return [...log.matchAll(line)].flatMap(([, url = '', path = '', because = '']) => {
    const parts = path.split('/');
    const group = url.startsWith('/api/') ? '' : (parts.shift() ?? '');
    const [, first, second, third] = parts;
    const isNamespaced = first === 'namespaces' && third !== undefined;
    const plural = isNamespaced ? third : first;
    const namespace = isNamespaced ? second : undefined;
    return plural === undefined ? [] : [{ url, group, plural, namespace, because: because.slice(0, 200) }];
  });
}

/** Never in a bundle, or only in part. (pkg/util/supportbundle/util.go of harvester/harvester) */
const LEFT_OUT = new Set([
  '/Secret',
  ...['AuthConfig', 'Token', 'SamlToken', 'User'].map((kind) => `management.cattle.io/${kind}`),
]);

/** Whether a bundle listed the kind completely (in that namespace, where given; else in all that exist). */
export function isListed(
  layout: Layout,
  unread: readonly Unread[],
  kind: Kind,
  namespace: string | undefined,
  existing: readonly string[] | undefined,
): boolean {
  const failed = unread.some(
    (list) =>
      list.plural === kind.plural &&
      list.group === groupOf(kind.apiVersion) &&
      (namespace === undefined || list.namespace === undefined || list.namespace === namespace),
  );
  if (failed || LEFT_OUT.has(keyOf(kind))) return false;
  if (!kind.namespaced) return layout.hasCluster;
  if (namespace !== undefined) return layout.namespaces.has(namespace);
  return existing?.every((one) => layout.namespaces.has(one)) ?? false;
}
