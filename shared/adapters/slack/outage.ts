import { milliseconds } from '../../handler.ts';
import type { Fact, Lane } from '../../model.ts';
import { failureOf } from './refusals.ts';
import type { Failed } from './web-api.ts';

/** Nothing got through for so long: others are told. */
const UNHEARD_AFTER = milliseconds('5m');
const SHORTEST = milliseconds('5s');
/** Waits grow with the outage: to a minute at first, and when nobody mends it for hours to a quarter of one. */
const LONG = milliseconds('1m');
const LONGEST = milliseconds('15m');

const backOff = (elapsed: number) =>
  Math.min(Math.max(elapsed, SHORTEST), Math.max(LONG, Math.min(LONGEST, elapsed / 20)));

/** A lane after a message that did not get through. */
export function outage(lane: Lane, now: number, event: string, failed: Failed): Lane {
  const failingSince = lane.failingSince ?? new Date(now).toISOString();
  const wait = failed.is === 'throttled' ? failed.retryAfter : backOff(now - Date.parse(failingSince));
  const nextAt = new Date(Math.max(now + wait, Date.parse(lane.nextAt))).toISOString();
  const broken = { ...lane, failingSince, because: failureOf(failed), nextAt };
  return unheard(broken, now, event) ?? broken;
}

/** A lane whose outage is told from now on; undefined: there is none that is to be told. */
export function unheard(lane: Lane, now: number, event: string): Lane | undefined {
  const { failingSince, isUnheard } = lane;
  if (failingSince === undefined || isUnheard || now < Date.parse(failingSince) + UNHEARD_AFTER) return undefined;
  return { ...lane, isUnheard: true, flippedBy: event };
}

/** A lane after a message that got through; undefined: it was well before. */
export function healed(lane: Lane, event: string): Lane | undefined {
  const { failingSince, because: _because, ...rest } = lane;
  if (failingSince === undefined) return undefined;
  return lane.isUnheard ? { ...rest, isUnheard: false, flippedBy: event } : rest;
}

/**
 * What a delivery is to publish: the beginning or the end of an outage that it wrote into the lane. It is read off the
 * lane, so that a delivery which died between writing and publishing says it when it comes again.
 */
export function owedTo({ id: channel, failingSince, isUnheard, flippedBy, because = '' }: Lane, event: string): Fact[] {
  if (flippedBy !== event) return [];
  if (!isUnheard) return [{ event: 'heard', channel, because: 'messages get through again' }];
  return failingSince === undefined ? [] : [{ event: 'unheard', channel, since: failingSince, because }];
}

/** When somebody must come at the latest, for the outage to be told in time. */
export const toldBy = ({ failingSince, isUnheard }: Lane): number =>
  failingSince === undefined || isUnheard ? Number.POSITIVE_INFINITY : Date.parse(failingSince) + UNHEARD_AFTER;
