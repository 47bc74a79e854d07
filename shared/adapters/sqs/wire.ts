import * as z from 'zod';
import { type Event, type EventName, Fact } from '../../model.ts';

/** The `source` of every event of ours on EventBridge. */
export const SOURCE = 'gleaner';
/** The version of the events' shape. What carries another one was published by another release. */
export const SCHEMA = 1;

/** Far below EventBridge's own 1000, and far above what an event needs: `JSON.parse` and zod recurse. */
const DEEPEST = 100;

const Detail = z.looseObject({ schema: z.unknown().optional() });

/** What EventBridge puts on a queue, and what a delayed event looks like that was put there directly. */
const Envelope = z.object({
  source: z.literal(SOURCE),
  'detail-type': z.string(),
  detail: Detail,
  /** EventBridge adds it to what it replays from an archive. */
  'replay-name': z.string().optional(),
  /** Before this moment the event is not to be handled. Only on what was put on a queue directly. */
  due: z.iso.datetime().optional(),
});

const Sealed = z.intersection(Fact, z.object({ id: z.string().min(1), at: z.iso.datetime() }));

/** A message as an event, with the moment before which it is not to be handled; or why it is none. */
export type Read =
  | { readonly is: 'event'; readonly event: Event; readonly due: string | undefined }
  | { readonly is: 'poison'; readonly because: string };

/** An event's `detail` on EventBridge. */
export const detailOf = (event: Event): string => JSON.stringify({ schema: SCHEMA, ...event });

/** The message of an event that goes to a queue directly. */
export const messageOf = (event: Event, due?: string): string =>
  JSON.stringify({
    ...{ source: SOURCE, 'detail-type': event.event, ...(due !== undefined && { due }) },
    detail: { schema: SCHEMA, ...event },
  });

/**
 * Reads a message of a hop's queue. `takes` are the events that the hop takes, `largest` the bytes that a message may
 * have. A reason never quotes the message.
 */
export function read(text: string, takes: readonly EventName[], largest: number): Read {
  const size = Buffer.byteLength(text);
  if (size > largest) return unreadable(`it has ${size} bytes, and ${largest} are allowed`);
  if (isTooDeep(text)) return unreadable(`it is nested deeper than ${DEEPEST} levels`);
  const json = parsed(text);
  if (!json.ok) return unreadable(json.because);
  const envelope = Envelope.safeParse(json.value);
  if (!envelope.success) return unreadable(firstOf(envelope.error));
  return opened(envelope.data, takes);
}

function opened(envelope: z.infer<typeof Envelope>, takes: readonly EventName[]): Read {
  const replay = envelope['replay-name'];
  if (replay !== undefined) {
    return {
      is: 'poison',
      because: `it was replayed from an archive (${shown(replay)}), and a replay changes nothing`,
    };
  }
  const { schema } = envelope.detail;
  if (schema !== SCHEMA) {
    const found = typeof schema === 'number' ? `schema version ${schema}` : 'no schema version';
    return unreadable(
      `it has ${found}, and this release reads version ${SCHEMA}: the release that wrote it must handle it`,
    );
  }
  const sealed = Sealed.safeParse(envelope.detail);
  if (!sealed.success) return unreadable(firstOf(sealed.error));
  const event: Event = sealed.data;
  if (event.event !== envelope['detail-type']) return unreadable(`its detail-type is not its event ${event.event}`);
  if (!takes.includes(event.event))
    return unreadable(`this hop does not take ${event.event}: check the rule that brought it`);
  return { is: 'event', event, due: envelope.due };
}

const unreadable = (because: string): Read => ({ is: 'poison', because: `it cannot be read: ${because}` });

const STEPS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** Whether brackets are open deeper than allowed at any place, those inside strings left out. One pass, whatever it holds. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length && depth <= DEEPEST; at++) {
    const character = text.charAt(at);
    if (character === '"') isString = !isString;
    else if (!isString) depth += STEPS[character] ?? 0;
    else if (character === '\\') at += 1;
  }
  return depth > DEEPEST;
}

function parsed(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly because: string } {
  let hasPrototype = false;
  try {
    const value: unknown = JSON.parse(text, (key, each: unknown) => {
      hasPrototype ||= key === '__proto__';
      return each;
    });
    return hasPrototype ? { ok: false, because: 'it has a key __proto__' } : { ok: true, value };
  } catch {
    // V8's message quotes the text, which may hold what must not be logged.
    return { ok: false, because: 'it is no JSON' };
  }
}

function firstOf({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.map((key) => (typeof key === 'number' ? `${key}` : shown(String(key)))).join('.');
  if (issue?.code === 'invalid_union')
    return `${path}: ${path === 'event' ? 'no event of that name' : 'no shape that fits'}`;
  return `${path || 'the whole of it'}: ${issue?.message ?? 'wrong'}`;
}

/** A name out of a message, where it is one. */
const shown = (name: string) => (/^[\w.-]{1,64}$/.test(name) ? name : '(an odd name)');
