import { milliseconds } from '../../handler.ts';
import type { Fact, Lane } from '../../model.ts';
import { isOf, marked } from './mark.ts';

/** Nothing got through for so long: others are told. */
const UNHEARD_AFTER = milliseconds('5m');
const SHORTEST = milliseconds('5s');
/** Waits grow with the outage: to a minute at first, and when nobody mends it for hours to a quarter of one. */
const LONG = milliseconds('1m');
const LONGEST = milliseconds('15m');

export interface Failure {
  readonly because: string;
  /** Milliseconds that Slack asks to wait. */
  readonly retryAfter?: number | undefined;
}

const backOff = (elapsed: number) =>
  Math.min(Math.max(elapsed, SHORTEST), Math.max(LONG, Math.min(LONGEST, elapsed / 20)));

/** A lane after a message that did not get through. */
export function outage(lane: Lane, now: number, event: string, { because, retryAfter }: Failure): Lane {
  const failingSince = lane.failingSince ?? new Date(now).toISOString();
  const wait = retryAfter ?? backOff(now - Date.parse(failingSince));
  const nextAt = marked(Math.max(now + wait, Date.parse(lane.nextAt)), event);
  const broken = { ...lane, failingSince, because, nextAt };
  return unheard(broken, now, event) ?? broken;
}

/** A lane whose outage is told from now on; undefined: there is none that is to be told. */
export function unheard(lane: Lane, now: number, event: string): Lane | undefined {
  const { failingSince, isUnheard } = lane;
  if (failingSince === undefined || isUnheard || now < Date.parse(failingSince) + UNHEARD_AFTER) return undefined;
  return { ...lane, isUnheard: true, failingSince: marked(Date.parse(failingSince), event) };
}

/** A lane after a message that got through; undefined: it was well before. */
export function healed(lane: Lane, event: string): Lane | undefined {
  const { failingSince, because: _because, ...rest } = lane;
  if (failingSince === undefined) return undefined;
  if (!lane.isUnheard) return rest;
  const nextAt = marked(Date.parse(lane.nextAt), event);
  return { ...rest, nextAt, isUnheard: false, because: 'messages get through again' };
}

/**
 * What a delivery is to publish of the turns that it wrote into a lane: the beginning or the end of an outage. It is read
 * off the lane, so that a delivery which died between writing and publishing says it when it comes again.
 */
export function owedTo({ id: channel, nextAt, failingSince, isUnheard, because = '' }: Lane, event: string): Fact[] {
  if (failingSince !== undefined && isUnheard && isOf(failingSince, event)) {
    const since = new Date(failingSince).toISOString();
    return [{ event: 'unheard', channel, since, because }];
  }
  const isHealed = failingSince === undefined && because !== '' && isOf(nextAt, event);
  return isHealed ? [{ event: 'heard', channel, because }] : [];
}

/** When somebody must come at the latest, for the outage to be told in time. */
export const toldBy = ({ failingSince, isUnheard }: Lane): number =>
  failingSince === undefined || isUnheard ? Number.POSITIVE_INFINITY : Date.parse(failingSince) + UNHEARD_AFTER;
