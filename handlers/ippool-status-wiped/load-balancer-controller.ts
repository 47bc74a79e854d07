import type { Actor, Hands } from '../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../shared/handler.ts';
import { Deployment } from '../../shared/kinds.ts';
import { IPPool, LoadBalancer } from './kinds.ts';
import { type Ranges, rangesOf } from './ranges.ts';

const POOL_FINALIZER = 'wrangler.cattle.io/harvester-ipam-controller';
const LB_FINALIZER = 'wrangler.cattle.io/harvester-lb-controller';
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

const poolRef = (name: string): ObjectRef => ({ apiVersion: IPPool.apiVersion, kind: IPPool.kind, name });

/**
 * Plays load-balancer-harvester v1.5.0 (pkg/controller/ippool, pkg/controller/loadbalancer, pkg/ipam): it initialises a
 * pool's status only for a pool that is new to its process or whose ranges changed, with what `allocated` holds then;
 * puts a lost finalizer back with a typed write; books for new load balancers without looking at Ready or at others;
 * and never books again for one that has an address.
 */
export function loadBalancerController(): Actor {
  /** By the uid of its Deployment, so that one actor can serve several clusters. */
  const processes = new Map<string, Process>();

  return {
    name: 'load-balancer controller',
    plays:
      'load-balancer-harvester v1.5.0: pkg/controller/ippool/controller.go OnChange, pkg/ipam/store Reserve, Release',
    async act(hands) {
      const pools = (await hands.list(IPPool)).map((object) => IPPool.schema.parse(object));
      const { deployment, startedAt } = await rolloutOf(hands);
      const running = processes.get(deployment);
      // When a drill begins, the controller has been running for long: it knows the pools that are there.
      const known = running ? [] : pools;
      const process =
        running?.startedAt === startedAt
          ? running
          : { startedAt, allocators: new Map(known.map((pool) => [pool.metadata.uid ?? '', checksumOf(pool)])) };
      processes.set(deployment, process);

      for (const pool of pools) await keepPool(hands, pool, process);
      for (const object of await hands.list(LoadBalancer)) await serve(hands, LoadBalancer.schema.parse(object));
    },
  };
}

/** What the controller has in memory: the checksum of spec.ranges by the uid of each pool that it made an allocator for. */
interface Process {
  readonly startedAt: string;
  readonly allocators: Map<string, string>;
}

const checksumOf = ({ spec }: IPPool) => JSON.stringify(spec.ranges);

/** What makes the process another one: a rollout of its Deployment. */
async function rolloutOf(hands: Hands): Promise<{ deployment: string; startedAt: string }> {
  const { apiVersion, kind } = Deployment;
  const object = await hands.get({ apiVersion, kind, namespace: 'harvester-system', name: 'harvester-load-balancer' });
  const template = Object(Object(Object(object).spec).template);
  return {
    deployment: String(Object(Object(object).metadata).uid ?? ''),
    startedAt: String(Object(Object(template.metadata).annotations)[RESTARTED_AT] ?? ''),
  };
}

async function keepPool(hands: Hands, pool: IPPool, { allocators }: Process): Promise<void> {
  if (pool.metadata.deletionTimestamp) return;
  if (!pool.metadata.finalizers.includes(POOL_FINALIZER)) await addFinalizer(hands, pool);
  const uid = pool.metadata.uid ?? '';
  const ranges = rangesOf(pool.spec.ranges);
  if (allocators.get(uid) === checksumOf(pool) || typeof ranges === 'string') return;
  await initialise(hands, pool, ranges);
  allocators.set(uid, checksumOf(pool));
}

/** wrangler's OnRemove adapter updates the typed object, and a Go struct writes its zero values. */
async function addFinalizer(hands: Hands, { metadata, status }: IPPool): Promise<void> {
  await hands.merge(poolRef(metadata.name), {
    metadata: { finalizers: [...metadata.finalizers, POOL_FINALIZER] },
    ...(status ? {} : { status: { total: 0, available: 0, lastAllocated: '' } }),
  });
}

async function initialise(hands: Hands, { metadata, status }: IPPool, { total }: Ranges): Promise<void> {
  const taken = Object.keys(status?.allocated ?? {}).length;
  const condition = { type: 'Ready', status: 'True', lastUpdateTime: hands.now().toISOString() };
  await hands.merge(poolRef(metadata.name), {
    status: {
      total,
      available: total - taken,
      lastAllocated: status?.lastAllocated ?? '',
      conditions: [condition],
    },
  });
}

async function serve(hands: Hands, lb: LoadBalancer): Promise<void> {
  if (lb.spec?.ipam === 'dhcp') return;
  if (lb.metadata.deletionTimestamp) return release(hands, lb);
  if (lb.status?.allocatedAddress?.ipPool) return;
  const name = lb.spec?.ipPool;
  const object = name ? await hands.get(poolRef(name)) : undefined;
  if (object) await book(hands, lb, IPPool.schema.parse(object));
}

const idOf = ({ metadata }: LoadBalancer) => `${metadata.namespace}/${metadata.name}`;

/** Reserve: the address it had before, else the next free one behind the last; the pool is written first. */
async function book(hands: Hands, lb: LoadBalancer, pool: IPPool): Promise<void> {
  const ranges = rangesOf(pool.spec.ranges);
  if (typeof ranges === 'string') return;
  const { allocated = {}, allocatedHistory = {}, lastAllocated = '', available = 0, total = 0 } = pool.status ?? {};
  const before = Object.entries(allocatedHistory).find(([, id]) => id === idOf(lb))?.[0];
  const all = [...ranges.each()];
  const behind = all.indexOf(lastAllocated) + 1;
  const ip = before ?? [...all.slice(behind), ...all.slice(0, behind)].find((one) => allocated[one] === undefined);
  if (ip === undefined) return;
  await hands.merge(poolRef(pool.metadata.name), {
    status: {
      total,
      available: available - 1,
      lastAllocated: ip,
      allocated: { [ip]: idOf(lb) },
      ...(before !== undefined && { allocatedHistory: { [before]: null } }),
    },
  });
  await hands.merge(lbRef(lb), { status: addressed(ip, pool, hands.now()) });
}

const lbRef = ({ metadata }: LoadBalancer): ObjectRef => ({
  apiVersion: LoadBalancer.apiVersion,
  kind: LoadBalancer.kind,
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  name: metadata.name,
});

const addressed = (ip: string, { metadata, spec }: IPPool, now: Date): JsonObject => ({
  address: ip,
  allocatedAddress: {
    ipPool: metadata.name,
    ip,
    mask: '255.255.255.0',
    gateway: spec.ranges[0]?.gateway ?? '',
  },
  conditions: [{ type: 'Ready', status: 'True', lastUpdateTime: now.toISOString() }],
});

/** Release: only an address that is booked for it; after a wipe there is nothing to do. */
async function release(hands: Hands, lb: LoadBalancer): Promise<void> {
  const { ip = '', ipPool = '' } = lb.status?.allocatedAddress ?? {};
  const object = ipPool ? await hands.get(poolRef(ipPool)) : undefined;
  const status = object && IPPool.schema.parse(object).status;
  if (status?.allocated[ip] === idOf(lb)) {
    await hands.merge(poolRef(ipPool), {
      status: {
        available: (status.available ?? 0) + 1,
        allocated: { [ip]: null },
        allocatedHistory: { [ip]: idOf(lb) },
      },
    });
  }
  const finalizers = lb.metadata.finalizers.filter((one) => one !== LB_FINALIZER);
  if (finalizers.length < lb.metadata.finalizers.length) await hands.merge(lbRef(lb), { metadata: { finalizers } });
}
