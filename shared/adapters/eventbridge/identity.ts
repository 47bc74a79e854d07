import { createHash, randomBytes } from 'node:crypto';
import type { Event, Fact } from '../../model.ts';

/** The delivery whose end publishes something. */
export interface Cause {
  readonly hop: string;
  readonly event: Event;
}

/** 12 hex digits of milliseconds since 1970: ids sort by time. */
const stamp = (at: number) => at.toString(16).padStart(12, '0');

/** The identity of what nothing on the bus has caused. */
export const freshId = (now: Date): string => `${stamp(now.getTime())}${randomBytes(10).toString('hex')}`;

/**
 * The identities of what a delivery publishes. They follow from the delivery and from what is said, so that the same
 * delivery, taken again after a crash, says the same under the same ids, and something else under other ones.
 */
export function idsAfter({ hop, event }: Cause, facts: readonly Fact[]): readonly string[] {
  const said = new Map<string, number>();
  return facts.map((fact) => {
    const text = JSON.stringify(fact);
    const nth = said.get(text) ?? 0;
    said.set(text, nth + 1);
    const digest = createHash('sha256')
      .update(JSON.stringify([hop, event.id, nth, text]))
      .digest('hex');
    return `${stamp(Date.parse(event.at))}${digest.slice(0, 20)}`;
  });
}
