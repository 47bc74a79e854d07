import type { Json, PatchOperation } from '../../shared/handler.ts';
import type { Wiped } from './finding.ts';

/** The bookings as the status holds them. */
const allocatedOf = ({ allocated }: Wiped): Record<string, string> =>
  Object.fromEntries(allocated.map(({ ip, holder }) => [ip, holder]));

/**
 * The operations that give a pool its bookings back. A Ready condition needs no time (the CRD requires type and status
 * only), and the allocator reads bookings from the informer's cache, so no restart has to follow. Where the controller
 * has written the rest already (S3), only what it does not know is written.
 */
export function restoring(finding: Wiped): PatchOperation[] {
  const allocated = allocatedOf(finding);
  const values: Record<string, Json> = {
    total: finding.total,
    available: finding.total - Object.keys(allocated).length,
    lastAllocated: finding.lastAllocated,
    allocated,
    allocatedHistory: finding.allocatedHistory,
  };
  if (finding.class === 'S3') {
    return Object.entries(values).map(([name, value]) => ({ op: 'add', path: `/status/${name}`, value }));
  }
  return [{ op: 'add', path: '/status', value: { ...values, conditions: [{ type: 'Ready', status: 'True' }] } }];
}
