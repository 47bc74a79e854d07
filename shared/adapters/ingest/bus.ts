import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Outgoing } from '../../model.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Posted, post } from './post.ts';
import { signatures } from './signature.ts';

/** The version of the body's shape. */
const SCHEMA = 1;

/** The ingest asks for a pause. */
export class Later extends Error {
  /** Seconds. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

export interface IngestBusOptions {
  /** `POST` goes here, such as `https://gleaner.example.com/v1/observations`. */
  readonly url: URL;
  /** The cluster's id: which keys the receiver verifies by. */
  readonly cluster: string;
  /** The cluster's keys as they stand now, the newest first. */
  readonly keys: () => Promise<readonly string[]>;
  /** The machine's time: the receiver takes five minutes of difference. */
  readonly clock: Pick<Clock, 'now'>;
  /** Lets one request go, and cuts it off. */
  readonly through: <T>(act: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Where an ingest may be: what is sent in clear could be read and replayed on its way. Throws an Error of one line. */
export function ingestAddress(text: string): URL {
  const url = URL.parse(text);
  const isHere = url !== null && /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) || url.username || url.password)
    throw new Error(`"${text}" is no address of an ingest: write https://HOST/v1/observations`);
  return url;
}

/** A bus that hands everything to an ingest over HTTPS. It publishes for now, never for later. */
export function ingestBus({ url, cluster, keys, clock, through }: IngestBusOptions): Bus {
  /** What was sent and is not known to have arrived: sent again it has the same id, which the receiver knows. */
  let unsure: { readonly body: string; readonly id: string } | undefined;

  return {
    async publish(outgoing) {
      const body = bodyOf(outgoing);
      const id = unsure?.body === body ? unsure.id : `msg_${randomBytes(16).toString('hex')}`;
      const known = await keys();
      unsure = { body, id };
      const now = clock.now();
      const timestamp = Math.floor(now.getTime() / 1000);
      const headers = {
        ...{ 'content-type': 'application/json', 'user-agent': 'gleaner-watcher', 'gleaner-cluster': cluster },
        ...{ 'webhook-id': id, 'webhook-timestamp': String(timestamp) },
        'webhook-signature': signatures(known, id, timestamp, body),
      };
      const posted = await through((signal) => post(url, headers, body, signal)).catch((error: unknown) => {
        throw named(error, url);
      });
      // 409: it was taken before, and its answer was lost.
      if (posted.code !== 202 && posted.code !== 409) throw refusal(posted, url, now);
      unsure = undefined;
    },
  };
}

function bodyOf(outgoing: readonly Outgoing[]): string {
  if (outgoing.some(({ after = 0 }) => after > 0))
    throw new Error('An ingest takes nothing for later: publish it then');
  return JSON.stringify({ schema: SCHEMA, facts: outgoing.map(({ fact }) => fact) });
}

/** An error of the network with its cause in words; what is thrown by the gate stays as it is. */
function named(error: unknown, url: URL): unknown {
  const { code, errors } = Object(error);
  const inner = Array.isArray(errors) ? Object(errors[0]).code : code;
  return typeof inner === 'string' ? new Error(`${url.host} cannot be reached: ${inner}`) : error;
}

const Reason = z.object({ detail: z.string().optional(), title: z.string().optional() });

function refusal({ code, headers, text }: Posted, url: URL, now: Date): Error {
  const why = `${url.host} answered ${code}: ${reasonIn(text)}${code === 401 ? skewOf(headers.date, now) : ''}`;
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? new Later(why, seconds) : new Error(why);
}

function reasonIn(text: string): string {
  try {
    const { detail, title } = Reason.parse(JSON.parse(text));
    return (detail ?? title ?? 'no reason given').slice(0, 300);
  } catch {
    return 'no reason that can be read: is it an ingest of Gleaner?';
  }
}

/** How far our clock is from the receiver's, where that may be why a signature is refused. */
function skewOf(date: string | undefined, now: Date): string {
  const minutes = Math.round((now.getTime() - Date.parse(date ?? '')) / 60_000);
  if (!(Math.abs(minutes) >= 4)) return '';
  return ` (this machine's clock is ${Math.abs(minutes)} min ${minutes > 0 ? 'ahead of' : 'behind'} the receiver's)`;
}
