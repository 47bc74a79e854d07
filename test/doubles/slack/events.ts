import type { JsonObject } from '../../../shared/objects.ts';
import { LIMITS } from './limits.ts';
import { eventCallback } from './payloads.ts';
import { type ActionParts, type Delivery, type Sending, send } from './send.ts';

/** The Events API: what is not acknowledged comes again, three times at most. */
export interface Events {
  event(event: JsonObject, how?: Sending): Promise<Delivery>;
  /** Delivers anew what is due by the test's clock: at once, after one minute, after five. */
  retryEvents(): Promise<readonly Delivery[]>;
}

interface Unheard {
  readonly payload: JsonObject;
  readonly how: Sending;
  readonly since: number;
  tries: number;
  reason: string;
}

export function startEvents(parts: ActionParts): Events {
  let unheard: Unheard[] = [];
  const judge = (one: Unheard, delivery: Delivery): boolean => {
    one.reason = reasonOf(delivery);
    const stop = delivery.headers['x-slack-no-retry'] === '1' || one.tries >= LIMITS.eventRetries.length;
    return !delivery.acknowledged && !stop;
  };
  return {
    async event(event, how = {}) {
      const payload = eventCallback(parts, parts.team, event);
      const one: Unheard = { payload, how, since: parts.state.now().getTime(), tries: 0, reason: '' };
      const delivery = await once(parts, one);
      if (judge(one, delivery)) unheard.push(one);
      return delivery;
    },
    async retryEvents() {
      const now = parts.state.now().getTime();
      const due = unheard.filter(({ since, tries }) => now >= since + (LIMITS.eventRetries[tries] ?? 0));
      const deliveries: Delivery[] = [];
      for (const one of due) {
        one.tries += 1;
        const delivery = await once(parts, one);
        if (!judge(one, delivery)) unheard = unheard.filter((other) => other !== one);
        deliveries.push(delivery);
      }
      return deliveries;
    },
  };
}

function once(parts: ActionParts, { payload: made, how, tries, reason }: Unheard): Promise<Delivery> {
  const payload = how.alter?.(made) ?? made;
  const again = { retry_attempt: tries, retry_reason: reason };
  const envelope = { type: 'events_api', payload, accepts_response_payload: false, ...again } as const;
  const headers = [
    ...(tries > 0
      ? ([
          ['x-slack-retry-num', String(tries)],
          ['x-slack-retry-reason', reason],
        ] as const)
      : []),
    ...(how.forge?.headers ?? []),
  ];
  const packed = { envelope, body: JSON.stringify(payload), contentType: 'application/json' };
  const forge = { ...how.forge, headers };
  return send(parts, { payload, triggerId: undefined, responseUrl: undefined }, packed, { ...how, forge });
}

/** Why Slack sends it again. Source: docs.slack.dev/apis/events-api, `x-slack-retry-reason`. */
function reasonOf({ problem, status }: Delivery): string {
  if (problem === 'timeout') return status === undefined ? 'http_timeout' : 'timeout';
  return problem === undefined ? 'http_error' : 'connection_failed';
}
