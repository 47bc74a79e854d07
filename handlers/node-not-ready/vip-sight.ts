import type { Look, ProbeResult } from '../../shared/handler.ts';
import { ConfigMap, isTrue, Lease, Pod, Service } from '../../shared/kinds.ts';
import { SYSTEM, since } from './nodes.ts';

export const LEASE = { namespace: SYSTEM, name: 'plndr-svcs-lock' } as const;
const LABELS = { 'app.kubernetes.io/name': 'kube-vip' };

/** From this age on a Lease counts as given up: its holder renews it every few seconds. */
export const STALE = 60_000;

/** What is known of the virtual IP. */
export interface VipSight {
  readonly lease: Lease | undefined;
  readonly holder: string | undefined;
  /** The age of the Lease, in milliseconds. */
  readonly age: number | undefined;
  /** The pods of kube-vip; their daemon puts one on each control-plane node. */
  readonly pods: readonly Pod[];
  /** The Service that carries the address: `rke2-traefik` since Harvester v1.9. */
  readonly service: Service | undefined;
  readonly config: ConfigMapOf | undefined;
  readonly probe: ProbeResult | undefined;
}
type ConfigMapOf = { readonly data?: Readonly<Record<string, string>> | undefined };

export async function vipOf(look: Look): Promise<VipSight> {
  const lease = await look.get(Lease, LEASE);
  const service = (name: string) => look.get(Service, { namespace: 'kube-system', name });
  const pods = await look.list(Pod, { namespace: SYSTEM, labels: LABELS });
  return {
    lease,
    holder: lease?.spec?.holderIdentity || undefined,
    age: since(look, lease?.spec?.renewTime),
    pods: pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    service: (await service('ingress-expose')) ?? (await service('rke2-traefik')),
    config: await look.get(ConfigMap, { namespace: SYSTEM, name: 'vip' }),
    probe: await look.probe('vip'),
  };
}

export const isReadyPod = (pod: Pod) => isTrue(pod, 'Ready');

/** The address that the cluster was given, where it is switched on. */
export const wantedAddress = ({ config }: VipSight): string | undefined =>
  config?.data?.enabled === 'false' ? undefined : config?.data?.ip || undefined;

export const givenAddress = ({ service }: VipSight): string | undefined =>
  service?.status?.loadBalancer?.ingress?.map(({ ip }) => ip).find((ip) => ip !== undefined && ip !== '');

const CONFLICT = /address already in use|already found existing address|Re-applying the VIP configuration/;

/** A pod of kube-vip whose log speaks of a port or an address that is taken. */
export async function conflictIn(look: Look, pods: readonly Pod[]): Promise<Pod | undefined> {
  for (const pod of pods) {
    const lines = await look.log({ namespace: SYSTEM, name: pod.metadata.name }, { container: 'kube-vip', tail: 200 });
    if (lines?.some((line) => CONFLICT.test(line))) return pod;
  }
  return undefined;
}
