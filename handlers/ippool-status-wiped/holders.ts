import type { Look } from '../../shared/handler.ts';
import { type Of, Service } from '../../shared/kinds.ts';
import type { Blocked } from './finding.ts';
import { type IPPool, LoadBalancer } from './kinds.ts';
import type { Ranges } from './ranges.ts';

/** How long an object may be new: pools, load balancers and their statuses are written one after the other. */
export const YOUNG = 60_000;

/** A load balancer that takes its address from a pool. */
export interface Holder {
  /** `namespace/name`, as pools book it. */
  readonly id: string;
  readonly namespace: string;
  readonly created: string | undefined;
  /** Where its address is and of which pool, as it says itself; undefined: it says nothing. */
  readonly own: { readonly pool: string; readonly ip: string } | undefined;
  /** Why it has no address yet, in the controller's words. */
  readonly complaint: string | undefined;
}

/** Who holds addresses, and what could not be found out about it. */
export interface Holders {
  readonly all: ReadonlyMap<string, Holder>;
  /** Whether every load balancer was seen. */
  readonly seen: boolean;
  readonly blocked: readonly Blocked[];
}

const NOWHERE = '0.0.0.0';
const isAddress = (ip: string | undefined): ip is string => ip !== undefined && ip !== '' && ip !== NOWHERE;

/**
 * Reads which load balancers hold addresses of a pool. Each tells it in its status; one that has lost its status, too,
 * is told by the Service of its name (a VM's), or by `status.address` (a guest cluster's).
 */
export async function holdersOf(look: Look, pool: IPPool, ranges: Ranges): Promise<Holders> {
  const all = new Map<string, Holder>();
  const blocked: Blocked[] = [];
  for (const lb of await look.list(LoadBalancer)) {
    // With DHCP the address is of no pool: 0.0.0.0 of pool "".
    if (lb.spec?.ipam === 'dhcp') continue;
    const namespace = lb.metadata.namespace ?? '';
    const id = `${namespace}/${lb.metadata.name}`;
    const own = saidByItself(lb) ?? (await saidElsewhere(look, lb, pool, ranges));
    if (own === 'unseen') blocked.push({ why: 'services-unseen', what: id });
    // Only the Service inside the guest cluster knows it now (kube-vip.io/loadbalancerIPs), and that is out of sight.
    if (own === undefined && isOfGuest(lb) && hasLostItsStatus(look, lb) && mayBeOf(lb, pool)) {
      blocked.push({ why: 'address-unknown', what: id });
    }
    all.set(id, {
      id,
      namespace,
      created: lb.metadata.creationTimestamp,
      own: own === 'unseen' ? undefined : own,
      complaint: lb.status?.conditions.find((one) => one.type === 'Ready' && one.status !== 'True')?.message,
    });
  }
  const seen = await look.captured(LoadBalancer);
  if (!seen) blocked.push({ why: 'load-balancers-unseen', what: pool.metadata.name });
  return { all, seen, blocked };
}

/** Whether who was booked still lives, and says nothing else of itself: it may have been made anew, with another address. */
export const stillHolds = (holder: Holder | undefined, pool: string, ip: string) =>
  holder !== undefined && (!holder.own || (holder.own.pool === pool && holder.own.ip === ip));

function saidByItself({ status }: LoadBalancer): Holder['own'] {
  const { ip, ipPool } = status?.allocatedAddress ?? {};
  return isAddress(ip) && ipPool ? { ip, pool: ipPool } : undefined;
}

/** The address of a load balancer without one in its status; `unseen`: its Service would tell, and was not captured. */
async function saidElsewhere(look: Look, lb: LoadBalancer, pool: IPPool, ranges: Ranges) {
  const ofThisPool = (ip: string | undefined): Holder['own'] =>
    isAddress(ip) && mayBeOf(lb, pool) && (lb.spec?.ipPool || ranges.holds(ip))
      ? { ip, pool: pool.metadata.name }
      : undefined;
  if (isOfGuest(lb)) return ofThisPool(lb.status?.address);
  const { namespace, name } = lb.metadata;
  const service = await look.get(Service, { namespace, name });
  if (service) return ofThisPool(addressOf(service));
  return hasLostItsStatus(look, lb) && mayBeOf(lb, pool) && !(await look.captured(Service, namespace))
    ? 'unseen'
    : undefined;
}

function addressOf({ metadata, spec, status }: Of<typeof Service>): string | undefined {
  if (metadata.labels['loadbalancer.harvesterhci.io/servicelb'] !== 'true') return undefined;
  return isAddress(spec?.loadBalancerIP) ? spec.loadBalancerIP : status?.loadBalancer?.ingress?.[0]?.ip;
}

/** No status at all, and no longer new: one that waits for an address has a Ready condition that says so. */
const hasLostItsStatus = ({ at }: Look, { status, metadata }: LoadBalancer) =>
  (status?.conditions ?? []).length === 0 &&
  !isAddress(status?.address) &&
  at.getTime() - Date.parse(metadata.creationTimestamp ?? '') >= YOUNG;

const isOfGuest = ({ spec }: LoadBalancer) => spec?.workloadType === 'cluster';

const mayBeOf = ({ spec }: LoadBalancer, { metadata }: IPPool) => !spec?.ipPool || spec.ipPool === metadata.name;
