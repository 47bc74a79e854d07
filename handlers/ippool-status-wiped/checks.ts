import type { Check, Look, Verdict } from '../../shared/handler.ts';
import { diagnose } from './diagnose.ts';
import { Finding } from './finding.ts';
import { IPPool, LoadBalancer, NetworkAttachmentDefinition } from './kinds.ts';
import { available, sightOf, WEBHOOK } from './sight.ts';

const fixed = (because: string): Verdict => ({ is: 'fixed', because });
const waiting = (because: string): Verdict => ({ is: 'waiting', because });
const failed = (because: string): Verdict => ({ is: 'failed', because });

/** Whether the pool is still what was approved, and the API server will take the status. */
const restorable: Check<Finding> = async (look, finding) => {
  if (!('allocated' in finding)) return failed('there is no status to restore');
  const now = await diagnose(look, finding.pool);
  if (!now.is) return failed(now.because);
  if (JSON.stringify(Finding.parse(now.finding)) !== JSON.stringify(finding)) {
    return failed('the pool or its load balancers changed since the plan was approved');
  }
  const webhook = await available(look, WEBHOOK);
  if (webhook !== 'yes') return waiting(`Deployment ${WEBHOOK} is not seen to be available`);
  const network = (await look.get(IPPool, finding.pool))?.spec.selector?.network;
  const [namespace = '', name = ''] = network?.split('/') ?? [];
  if (network && !(await look.get(NetworkAttachmentDefinition, { namespace, name }))) {
    return waiting(`the network ${network} is not seen`);
  }
  return fixed('the pool is still what was approved, and its webhook is available');
};

/** Whether the load balancer that came later has given its address up. */
const addressFreed: Check<Finding> = async (look, finding, target) => {
  const lb = await look.get(LoadBalancer, target);
  const ip = lb?.status?.allocatedAddress?.ip;
  if (!lb && !(await look.captured(LoadBalancer, target.namespace)))
    return waiting('the load balancers cannot be read');
  const isHeld = 'duplicates' in finding && finding.duplicates.some((one) => one.ip === ip);
  return isHeld ? waiting(`${target.namespace}/${target.name} still holds ${ip}`) : fixed('the address is free');
};

/** Whether the pool no longer books what was to be released. */
const recordsReleased: Check<Finding> = async (look, finding) => {
  if (finding.class !== 'left-over') return failed('there is nothing to release');
  const pool = await look.get(IPPool, finding.pool);
  if (!pool) return waiting('the pool cannot be read');
  const left = finding.records.filter(({ ip, holder }) => pool.status?.allocated[ip] === holder);
  return left.length === 0
    ? fixed('the bookings are released')
    : waiting(`still booked: ${left.map(({ ip }) => ip).join(', ')}`);
};

export const checks = {
  restorable,
  'address-freed': addressFreed,
  'records-released': recordsReleased,
} satisfies Record<string, Check<Finding>>;

/** Re-runs the rule, and looks at what matters: that every address in use is booked for the one who holds it. */
export async function verify(look: Look, finding: Finding): Promise<Verdict> {
  if ('duplicates' in finding && finding.duplicates.length > 0) return noneTwice(look, finding);
  if (finding.class === 'left-over') return recordsReleased(look, finding, finding.pool);
  if (!('allocated' in finding)) return failed('nothing was proposed for this, so nothing can be verified');
  const now = await diagnose(look, finding.pool);
  if (now.is && (now.finding.class === 'unbooked' || 'allocated' in now.finding)) return waiting(now.summary);
  return wholeAgain(look, finding);
}

type Restored = Extract<Finding, { allocated: unknown }>;

async function wholeAgain(look: Look, finding: Restored): Promise<Verdict> {
  const sight = await sightOf(look, finding.pool);
  if (typeof sight === 'string') return waiting(sight);
  const { pool, ranges, holders, isReady } = sight;
  const { total, available: free, allocated = {} } = pool.status ?? {};
  const booked = Object.keys(allocated).length;
  if (!holders.seen) return waiting('not every load balancer could be read');
  if (!isReady) return waiting('the pool is not Ready');
  if (total !== ranges.total || free !== ranges.total - booked) {
    return waiting(
      `the counters do not agree: ${free} of ${total} free, ${booked} booked, ${ranges.total} in the ranges`,
    );
  }
  const lost = finding.allocated.filter(({ ip, holder }) => holders.all.has(holder) && allocated[ip] !== holder);
  if (lost.length > 0) return waiting(`not booked: ${lost.map(({ ip, holder }) => `${ip} for ${holder}`).join(', ')}`);
  return fixed(
    `the pool is Ready, its counters agree, and it books every address that is in use (${booked} of ${total})`,
  );
}

async function noneTwice(look: Look, finding: Restored): Promise<Verdict> {
  const sight = await sightOf(look, finding.pool);
  if (typeof sight === 'string') return waiting(sight);
  if (!sight.holders.seen) return waiting('not every load balancer could be read');
  const [still] = sight.rebuilt.duplicates;
  return still
    ? waiting(`${still.ip} is still held by ${still.holders.join(' and ')}`)
    : fixed('no address is held twice; the status itself is proposed to be restored next');
}
