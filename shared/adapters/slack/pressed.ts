import * as z from 'zod';
import { Choice } from '../../model.ts';
import { SLACK } from './limits.ts';

/**
 * What a button carries: which record it is about and the revision that was shown. Whoever sees the card can read and
 * forge it, so nothing of it is trusted: it says what somebody wants, and `decide` whether that may be.
 */
export const Pressed = z.strictObject({
  do: z.union([Choice, z.literal('details')]),
  proposal: z.string().min(1).max(200),
  revision: z.string().min(1).max(200),
  plan: z.string().min(1).max(200).optional(),
  /** The question that it answers, where it is shown to one person alone. */
  asked: z.string().min(1).max(100).optional(),
  /** The policy asks for a reason: it is asked for in a modal before anything is sent. */
  reason: z.literal(true).optional(),
});
export type Pressed = z.infer<typeof Pressed>;

/** The names of the buttons, for Bolt's `app.action`. */
export const ACTION = /^gleaner:[a-z]+:\d+$/;

/** Unique within a message, and the same whenever the card is drawn anew. */
export const actionId = (what: Pressed['do'], index: number) => `gleaner:${what}:${index}`;

/** The value of a button. */
export const encodePressed = (pressed: Pressed): string => JSON.stringify(pressed);

/** Reads a button's value; undefined where it is none of ours or was tampered with. */
export function parsePressed(value: unknown): Pressed | undefined {
  if (typeof value !== 'string' || value.length > SLACK.button.value) return undefined;
  return Pressed.safeParse(json(value)).data;
}

/** The value of a JSON text; undefined where it is none. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
