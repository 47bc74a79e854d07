import { BlockList, isIPv6 } from 'node:net';
import * as z from 'zod';
import { cautionsOf } from '../adapters/kubernetes/cautions.ts';
import type { Installer } from '../adapters/kubernetes/install.ts';
import type { Tell } from '../cli/connect.ts';
import { type JsonObject, nameOf } from '../handler.ts';
import type { Registered } from '../model.ts';
import { HOME, INSTALLED, NAMESPACE, rightsOf } from './connect-rights.ts';

const Named = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
});

export function called(object: JsonObject): string {
  const { apiVersion, kind, metadata } = Named.parse(object);
  return nameOf({ apiVersion, kind, ...metadata });
}
const homeOf = (object: JsonObject) => Named.parse(object).metadata.namespace ?? '';

/** Makes the namespace, the accounts and their rights. */
export async function furnish(
  cluster: Installer,
  about: Pick<Registered, 'flavour' | 'does'>,
  { isTrial, tell }: { readonly isTrial: boolean; readonly tell: Tell },
): Promise<void> {
  const homeless = new Set<string>();
  for (const object of [NAMESPACE, ...rightsOf(about)]) {
    const namespace = homeOf(object);
    if (homeless.has(namespace)) continue;
    if ((await put(cluster, object, { isTrial, tell })) === 'homeless') homeless.add(namespace);
  }
}

/** Makes one object, and tells what became of it: whether it is there, or its namespace is not. */
export async function put(
  cluster: Installer,
  object: JsonObject,
  { isTrial, tell }: { readonly isTrial: boolean; readonly tell: Tell },
): Promise<'there' | 'homeless'> {
  const what = called(object);
  const namespace = homeOf(object);
  const ensured = await cluster.ensure(object, isTrial);
  if (ensured.is === 'kept-by')
    throw new Error(
      `${what} is kept by ${ensured.whom} and differs: remove it there (the chart: direct.enabled=false and apply.enabled=false), then run this again`,
    );
  // Its own namespace is not there in a trial alone: it was not made.
  const is = ensured.is === 'homeless' && namespace === HOME ? 'made' : ensured.is;
  switch (is) {
    case 'made':
    case 'changed':
    case 'same':
      tell({ is, what });
      return 'there';
    case 'homeless':
      tell({
        ...{ is: 'skipped', what: `the rights in namespace ${namespace}` },
        because: 'this cluster has none of that name: connect it again if it gets one',
      });
      return 'homeless';
  }
}

/** Removes what was installed once and is not wanted any more; Secrets have a time of their own. */
export async function prune(
  cluster: Installer,
  wanted: Pick<Registered, 'flavour' | 'does'> | undefined,
  { isTrial, tell }: { readonly isTrial: boolean; readonly tell: Tell },
): Promise<void> {
  const stays = new Set(wanted ? rightsOf(wanted).map(called) : []);
  const kinds = wanted ? INSTALLED.filter(({ kind }) => kind !== 'Secret') : INSTALLED;
  for (const kind of kinds)
    for (const object of await cluster.installed(kind)) {
      if (stays.has(called(object))) continue;
      await cluster.remove(object, isTrial);
      tell({ is: 'ended', what: called(object) });
    }
}

const Vip = z.object({ data: z.object({ ip: z.string() }) });

/** Why the address at which functions reach the cluster may fail them. */
export async function cautionsFor(cluster: Pick<Installer, 'read'>, server: string): Promise<readonly string[]> {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'harvester-system', name: 'vip' };
  const read = await cluster.read(ref);
  const vip = read.is === 'there' ? Vip.safeParse(read.object).data?.data.ip : undefined;
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isInside = host === 'localhost' || PRIVATE.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  return [
    ...cautionsOf([url], vip),
    ...(isInside ? [`${server} is an address of a private network: functions on AWS must have a way into it`] : []),
  ];
}

/** Loopback, RFC 1918, RFC 4193 and links. */
const PRIVATE = new BlockList();
for (const [net, bits, family] of [
  ['127.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['::1', 128, 'ipv6'],
] as const)
  PRIVATE.addSubnet(net, bits, family);
