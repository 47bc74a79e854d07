import { nameOf } from '../../objects.ts';
import type { Guard, Touch, Touched } from '../../ports/cluster.ts';
import type { Request, Send } from './answer.ts';
import type { Discovery } from './discovery.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { placeOf, readObject } from './read-object.ts';
import { callRequest, deleteRequest, patchRequest } from './touch-request.ts';

/** Carries out one guarded write, once: it is sent at most one time, and never again by itself. */
export async function write(send: Send, discovery: Discovery, touch: Touch): Promise<Touched> {
  const request = await requestOf(discovery, touch, false);
  if ('is' in request) return request;
  const outcome = outcomeOf(await send(request), touch.do);
  return outcome.is === 'look' ? lookInto(send, discovery, touch, outcome) : outcome;
}

/** The request of a touch, or the definite answer that there is nothing to send it to. */
export async function requestOf(discovery: Discovery, touch: Touch, dryRun: boolean): Promise<Request | Touched> {
  const { target } = touch;
  const place = await placeOf(discovery, target);
  if (place.is === 'unreadable') return notSent(place.because);
  if (place.is === 'absent') return notServed(`${target.kind} (${target.apiVersion}) is not served by this cluster`);
  switch (touch.do) {
    case 'patch':
      return patchRequest(place.path, touch.patch, touch.guard, dryRun);
    case 'delete':
      return deleteRequest(place.path, touch.guard, dryRun);
    case 'call': {
      const request = await callRequest(discovery, place.served, touch, dryRun);
      if (!request) return notServed(`the API that serves ${touch.subresource} of ${nameOf(target)} is not there`);
      return 'unknown' in request ? notSent(request.unknown) : request;
    }
  }
}

/** Nobody could be asked where it is to be sent. */
const notSent = (because: string): Touched => ({
  is: 'throttled',
  retryAfter: 5,
  because: `nothing was sent: ${because}`,
});

const notServed = (because: string): Touched => ({ is: 'rejected', code: 404, because });

/** The request is over, so what stands there now tells what became of it. */
async function lookInto(
  send: Send,
  discovery: Discovery,
  touch: Touch,
  outcome: Extract<Outcome, { is: 'look' }>,
): Promise<Touched> {
  const { code, because } = outcome;
  if (touch.do === 'call') return { is: 'rejected', code, because };
  const read = await readObject(send, discovery, touch.target);
  const isSame = read.is === 'there' && sameGuard(read.guard, touch.guard);
  if (isSame) return { is: 'rejected', code, because };
  if (outcome.for === 'an untouched object') {
    return { is: 'unknown', because: `HTTP ${code}: ${because}, and the object is another than before` };
  }
  if (read.is === 'unreadable') return { is: 'rejected', code, because: `${because} (${read.because})` };
  const now = read.is === 'absent' ? 'it is gone' : 'the object has been modified';
  return { is: 'precondition-failed', because: `${now} since it was read` };
}

export const sameGuard = (a: Guard, b: Guard) => a.uid === b.uid && a.resourceVersion === b.resourceVersion;
