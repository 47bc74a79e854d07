import { nameOf, type Recognised, saw } from '../../../shared/handler.ts';
import type { Finding } from '../finding.ts';
import type { Sight } from '../sight.ts';

/** Recognises an address that a load balancer claims while a pool that was never wiped books it for nobody, or another. */
export function unbooked({ isReady, rebuilt, ref, pool }: Sight): Recognised<Finding> | undefined {
  const [first] = rebuilt.missing;
  if (!isReady || !first) return undefined;
  const others = rebuilt.missing.length > 1 ? ` (and ${rebuilt.missing.length - 1} more)` : '';
  return {
    is: true,
    finding: { class: 'unbooked', pool: ref, missing: [...rebuilt.missing] },
    cause: 'stale-allocation',
    confidence: 'suspected',
    summary: `LoadBalancer ${first.holder} says that it holds ${first.ip}, which ${nameOf(ref)} does not book for it${others}`,
    because: `${nameOf(ref)} is Ready and still books older load balancers, so its status was not erased; that the address is in use only the load balancer itself says, and whoever may edit namespace ${first.namespace} can write that`,
    users: 'If it is true, the next load balancer can be given an address that is in use.',
    mayWait: { untilMorning: true, because: 'nothing but the word of one load balancer speaks for it' },
    evidence: [saw(pool, 'status', 'the status of the pool')],
  };
}
