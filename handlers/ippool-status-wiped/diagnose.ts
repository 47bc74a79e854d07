import { type Diagnosis, type Look, nameOf, type ObjectRef } from '../../shared/handler.ts';
import { leftOver } from './causes/left-over.ts';
import { otherKind } from './causes/other-kinds.ts';
import { unbooked } from './causes/unbooked.ts';
import { wiped } from './causes/wiped.ts';
import { wrongPool } from './causes/wrong-pool.ts';
import type { Finding } from './finding.ts';
import { IPPool } from './kinds.ts';
import { type Sight, sightOf } from './sight.ts';

/** Says of a pool, or of an object of another kind that seems to have lost its status, what it is. */
export async function diagnose(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  if (subject.kind !== IPPool.kind) return otherKind(look, subject);
  const sight = await sightOf(look, subject);
  if (typeof sight === 'string') return { is: false, because: sight };
  return (
    (await wiped(sight)) ??
    (await wrongPool(sight)) ??
    unbooked(sight) ??
    (await leftOver(sight)) ?? { is: false, because: wellBecause(sight) }
  );
}

/** What is seen instead of a fault. */
function wellBecause({ ref, pool, ranges, isReady, rebuilt }: Sight): string {
  const { total, available } = pool.status ?? {};
  const booked = rebuilt.bookings.length;
  if (!isReady)
    return `${nameOf(ref)} is not Ready, but its status is filled (${booked} booked of ${total}): it was not wiped`;
  if (total !== ranges.total) {
    return `${nameOf(ref)} counts ${total} addresses where its ranges hold ${ranges.total}, but it is Ready and books all that are in use: it was not wiped`;
  }
  if (available === 0) return `${nameOf(ref)} is exhausted: all ${total} addresses are booked; it was not wiped`;
  return `${nameOf(ref)} is Ready and books every address that a load balancer holds (${booked} of ${total})`;
}
