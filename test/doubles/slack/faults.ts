/** What may go wrong with a call of the Web API or of a `response_url`. */
export type Fault =
  /** HTTP 429 with `Retry-After`: the seconds that are left of `seconds`, by the test's clock, then it ends by itself. */
  | { readonly kind: 'ratelimited'; readonly seconds: number }
  /** An HTTP error with a page that is no JSON. */
  | { readonly kind: 'status'; readonly status: number }
  /** Never answered; the call has no effect. */
  | { readonly kind: 'hang' }
  /** The connection is reset; the call has no effect. */
  | { readonly kind: 'reset' }
  /** `ok: false`; the call has no effect. */
  | { readonly kind: 'error'; readonly error: string; readonly needed?: string; readonly provided?: string }
  /** The call takes effect, then the connection is reset. */
  | { readonly kind: 'lost-answer' }
  /** The call takes effect, and is never answered. */
  | { readonly kind: 'hung-answer' }
  /** The call waits for this before it takes effect. */
  | { readonly kind: 'slow'; readonly until: Promise<unknown> }
  /** HTTP 200, and a body that is no JSON; the call has no effect. */
  | { readonly kind: 'garbled' };

/** Which calls a fault befalls: all, unless something is named. `times`: how many of them; all, unless given. */
interface Where {
  /** A method, or `response_url`. */
  readonly method?: string;
  readonly channel?: string;
  readonly token?: string;
  readonly times?: number;
}

export interface Faults {
  /** Adds a fault; the first that matches a call befalls it. Gives the way to take it away. */
  add(fault: Fault, where?: Where): () => void;
  clear(): void;
  /** The fault of a call, which counts as one of its `times`. For the double's own use. */
  take(call: { method: string; channel: string | undefined; token: string | undefined }): Taken | undefined;
}

/** A fault as it befalls one call. */
export type Taken =
  | Exclude<Fault, { kind: 'ratelimited' }>
  | { readonly kind: 'ratelimited'; readonly retryAfter: number };

interface Standing {
  readonly fault: Fault;
  readonly where: Where;
  readonly since: number;
  left: number;
}

export function startFaults(now: () => Date): Faults {
  let standing: Standing[] = [];
  const secondsLeft = ({ fault, since }: Standing): number =>
    fault.kind === 'ratelimited' ? Math.ceil(fault.seconds - (now().getTime() - since) / 1_000) : 1;
  return {
    add(fault, where = {}) {
      const added = { fault, where, since: now().getTime(), left: where.times ?? Number.POSITIVE_INFINITY };
      standing.push(added);
      return () => {
        standing = standing.filter((other) => other !== added);
      };
    },
    clear() {
      standing = [];
    },
    take(call) {
      const found = standing.find(
        (one) =>
          one.left > 0 &&
          secondsLeft(one) > 0 &&
          (one.where.method ?? call.method) === call.method &&
          (one.where.channel ?? call.channel) === call.channel &&
          (one.where.token ?? call.token) === call.token,
      );
      if (found === undefined) return undefined;
      found.left -= 1;
      return found.fault.kind === 'ratelimited' ? { kind: 'ratelimited', retryAfter: secondsLeft(found) } : found.fault;
    },
  };
}
