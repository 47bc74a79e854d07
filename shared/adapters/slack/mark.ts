import { createHash } from 'node:crypto';

/** Five digits that stand for an event. */
const digitsOf = (event: string) =>
  String(createHash('sha256').update(event).digest().readUInt32BE() % 1e5).padStart(5, '0');

const [PROMISE, LEASE] = ['0', '1'];

/** V8 reads nine digits of a fraction at most, and of those the first three count. */
const written = (time: number, digits: string) => `${new Date(Math.ceil(time)).toISOString().slice(0, -1)}${digits}Z`;

/**
 * A moment (milliseconds since 1970) that bears the mark of the event by which it was written, in the digits below the
 * millisecond, which `Date.parse` leaves out. A delivery that comes again after a crash knows its own writing by it: what
 * somebody else promised is theirs to keep, but its own promise may never have been published.
 */
export const marked = (time: number, event: string): string => written(time, `${digitsOf(event)}${PROMISE}`);

/** The same for a moment until which the delivery of an event has something in hand. */
export const leased = (time: number, event: string): string => written(time, `${digitsOf(event)}${LEASE}`);

export const isLease = (moment: string): boolean => /\.\d{8}1Z$/.test(moment);

/** Whether a moment was written by that event. */
export const isOf = (moment: string, event: string): boolean =>
  /\.\d{3}(\d{5})\dZ$/.exec(moment)?.[1] === digitsOf(event);
