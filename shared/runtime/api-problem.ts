import type { Context } from 'hono';
import type { Problem } from '../ports/api.ts';

/** The kinds of problems that the API knows, with the status and the title of each. */
const KINDS = {
  malformed: [400, 'The request cannot be read'],
  unauthenticated: [401, 'No token that is valid'],
  forbidden: [403, 'This token may not do that'],
  'not-found': [404, 'There is no such thing'],
  ambiguous: [409, 'Several things are meant'],
  refused: [409, 'The decision was refused'],
  'too-large': [413, 'The request is too large'],
  'not-json': [415, 'The request is no JSON'],
  broken: [500, 'Gleaner stumbled'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

/** Answers with a problem as RFC 9457 has it. `detail` is for people, and says the next step. */
export function problem(
  c: Context,
  kind: keyof typeof KINDS,
  detail: string,
  more: Pick<Problem, 'candidates'> = {},
): Response {
  const [status, title] = KINDS[kind];
  const body: Problem = { type: `urn:gleaner:problem:${kind}`, title, status, detail, ...more };
  if (kind === 'unauthenticated') c.header('www-authenticate', 'Bearer realm="gleaner"');
  return c.body(JSON.stringify(body), status, { 'content-type': 'application/problem+json' });
}
