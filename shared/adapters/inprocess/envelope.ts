import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Event, Fact } from '../../model.ts';

const Envelope = z.intersection(Fact, z.object({ id: z.string(), at: z.iso.datetime() }));

/** A fact as an event, in words. Ids sort by time: 12 hex digits of milliseconds, then chance. */
export function sealed(fact: Fact, now: Date): Event {
  const id = `${now.getTime().toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
  return { ...fact, id, at: now.toISOString() };
}

/** The event in a text, or why it is none. */
export function unsealed(
  text: string,
): { readonly ok: true; readonly event: Event } | { readonly ok: false; readonly because: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, because: `it cannot be read: ${String(error)}` };
  }
  const parsed = Envelope.safeParse(json);
  if (parsed.success) return { ok: true, event: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, because: `it cannot be read: ${issue?.path.join('.') || 'the whole of it'}: ${issue?.message}` };
}
