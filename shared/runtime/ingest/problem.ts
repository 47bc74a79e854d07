/** Why a post was not taken, with its status and title. */
const KINDS = {
  unauthenticated: [401, 'The request is not known to come from the cluster'],
  replayed: [409, 'The request was taken before'],
  'too-large': [413, 'The request is too large'],
  'not-json': [415, 'The request is no JSON'],
  unreadable: [422, 'The request cannot be taken'],
  'too-many': [429, 'The cluster sends too much'],
  unavailable: [503, 'Nothing can be taken now'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;
export type Kind = keyof typeof KINDS;

/** An answer as RFC 9457 has it. `detail` says the next step, and nothing of what was sent. */
export function problem(kind: Kind, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  const [status, title] = KINDS[kind];
  const body = JSON.stringify({ type: `urn:gleaner:problem:${kind}`, title, status, detail });
  return new Response(body, { status, headers: { 'content-type': 'application/problem+json', ...headers } });
}
