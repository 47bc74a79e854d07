import { isObject, type Json, type JsonObject, nameOf } from '../../objects.ts';
import type { Guard, Touch } from '../../ports/cluster.ts';
import type { DryRun } from '../../proposal.ts';
import { because, jsonOf, type Send } from './answer.ts';
import { differencesOf, essence } from './differences.ts';
import type { Discovery } from './discovery.ts';
import { outcomeOf } from './outcome.ts';
import { guardedIn, readObject } from './read-object.ts';
import { canBeTried } from './touch-request.ts';
import { requestOf, sameGuard } from './write.ts';

/** How often a try is repeated that a heartbeat of the object came between. */
const TRIES = 3;

/**
 * Asks the API server what a touch would change now. Nothing is written. The guard's uid must hold; its
 * resourceVersion is the try's own, so that the difference is the touch's alone and a heartbeat does not refuse it.
 */
export async function dryRun(send: Send, discovery: Discovery, touch: Touch): Promise<DryRun> {
  if (touch.do === 'call') return tryCall(send, discovery, touch);
  for (let tried = 1; ; tried += 1) {
    const before = await readObject(send, discovery, touch.target);
    if (before.is === 'unreadable') return { is: 'blocked', because: before.because };
    if (before.is === 'absent') return goneAlready(touch);
    if (before.guard.uid !== touch.guard.uid) {
      return { is: 'blocked', because: `${nameOf(touch.target)} was deleted and created again` };
    }
    const said = await tryOnce(send, discovery, { ...touch, guard: before.guard }, before.object);
    if (said.is !== 'raced') return said;
    if (tried === TRIES) return { is: 'blocked', because: said.because };
  }
}

const goneAlready = (touch: Touch): DryRun =>
  touch.do === 'delete' ? { is: 'already-so' } : { is: 'blocked', because: `${nameOf(touch.target)} is not there` };

type Guarded = Exclude<Touch, { do: 'call' }>;

async function tryOnce(
  send: Send,
  discovery: Discovery,
  touch: Guarded,
  before: JsonObject,
): Promise<DryRun | { is: 'raced'; because: string }> {
  const request = await requestOf(discovery, touch, true);
  if ('is' in request) return { is: 'blocked', because: 'because' in request ? request.because : request.is };
  const answer = await send(request);
  const outcome = outcomeOf(answer, touch.do);
  switch (outcome.is) {
    case 'applied': {
      if (touch.do === 'delete') return { is: 'would-change', differences: [{ path: '', before: essence(before) }] };
      const after = answer.is === 'answered' ? guardedIn(jsonOf(answer.body))?.object : undefined;
      if (!after) return { is: 'blocked', because: `no object came back: ${because(answer)}` };
      const differences = differencesOf(before, after);
      return differences.length > 0 ? { is: 'would-change', differences } : { is: 'already-so' };
    }
    case 'precondition-failed':
      return { is: 'raced', because: outcome.because };
    case 'look': {
      const isRaced = await isChanged(send, discovery, touch, touch.guard);
      return { is: isRaced ? 'raced' : 'blocked', because: outcome.because };
    }
    case 'rejected':
    case 'throttled':
    case 'unknown':
      return { is: 'blocked', because: outcome.because };
  }
}

async function isChanged(send: Send, discovery: Discovery, touch: Guarded, guard: Guard): Promise<boolean> {
  const read = await readObject(send, discovery, touch.target);
  return read.is === 'there' && !sameGuard(read.guard, guard);
}

/** A call shows no object: what would be sent is all that there is to show. */
async function tryCall(send: Send, discovery: Discovery, touch: Extract<Touch, { do: 'call' }>): Promise<DryRun> {
  if (!canBeTried(touch))
    return { is: 'not-tried', because: `${touch.subresource} has no dry run: trying it would do it` };
  const request = await requestOf(discovery, touch, true);
  if ('is' in request) return { is: 'blocked', because: 'because' in request ? request.because : request.is };
  const outcome = outcomeOf(await send(request), 'call');
  if (outcome.is !== 'applied') return { is: 'blocked', because: outcome.because };
  const after: Json = isObject(Object(touch.body)) ? Object(touch.body) : {};
  return { is: 'would-change', differences: [{ path: `/${touch.subresource}`, after }] };
}
