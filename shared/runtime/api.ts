import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod';
import { type Choice, isRunning, isUndecided, type Principal } from '../model.ts';
import { Decided, type FoundCard, Invite, type Outcome, Redeem, type Register, type Status } from '../ports/api.ts';
import type { Answer, Desk } from '../ports/desk.ts';
import type { Access } from './api-access.ts';
import { problem } from './api-problem.ts';
import { shownCard, shownIncident } from './api-shown.ts';

/** No question and no decision is larger. */
const LARGEST = 16 * 1024;
/** A decision that takes longer is answered as kept: less than the desk's own patience, which answers with no difference. */
const PATIENCE = 8_000;
/** What a person decides on a card that was read, and not on whatever stands there by now. */
const ON_A_REVISION: ReadonlySet<Choice> = new Set(['approve', 'reject', 'undo']);

export interface ApiParts {
  readonly desk: Desk;
  readonly register: Register;
  readonly access: Access;
  /** Writes down who was let in, or shown out. */
  readonly audit: (what: { event: string; who: Principal; by: Principal }) => Promise<void>;
  /** The address of an invitation. */
  readonly linkTo: (invitation: string, request: URL) => string;
  /** Told of a token that is none, without the token. */
  readonly refused: (because: string) => void;
  /** Calls back after so many milliseconds; ends with the answer. */
  readonly after: (ms: number, then: () => void) => () => void;
}

type Env = { Variables: { who: Principal; isOwner: boolean } };

/** The API at `/v1`: JSON, a bearer token that belongs to one person, no cookie. Errors are problems of RFC 9457. */
export function api(parts: ApiParts): Hono<Env> {
  const app = new Hono<Env>();
  app.use(bodyLimit({ maxSize: LARGEST, onError: (c) => problem(c, 'too-large', `Send ${LARGEST} bytes at most.`) }));
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
  });
  app.notFound((c) => problem(c, 'not-found', `There is no ${c.req.method} ${new URL(c.req.url).pathname}.`));
  app.onError((_error, c) => problem(c, 'broken', 'Its log says more. Look before you try again.'));
  app.post('/tokens', (c) => redeemed(parts, c));
  app.use(async (c, next) => {
    const token = /^Bearer ([\w-]{20,200})$/.exec(c.req.header('authorization') ?? '')?.[1];
    const holder = parts.access.holder(token, 'cli');
    if (!holder) {
      parts.refused('a request to the API brought no token that is valid');
      return problem(c, 'unauthenticated', 'Send a token of this Gleaner: `gleaner login LINK` gets one.');
    }
    c.set('who', holder.who);
    c.set('isOwner', holder.isOwner);
    return next();
  });
  app.get('/status', async (c) => c.json(await status(parts, c.get('who'))));
  app.get('/incidents', async (c) => c.json({ incidents: (await parts.desk.cards()).map(shownIncident) }));
  app.get('/cards/:id', async (c) => {
    const found = await parts.register.find(c.req.param('id'));
    return found.is === 'one' ? c.json(shownCard(found.card)) : lost(c, found);
  });
  app.post('/decisions', (c) => decided(parts, c));
  app.get('/people', (c) => c.json({ people: parts.access.people() }));
  app.post('/invitations', (c) => invited(parts, c));
  app.delete('/people/:who', (c) => shownOut(parts, c));
  return app;
}

const lost = (c: Context, found: Exclude<FoundCard, { is: 'one' }>) =>
  found.is === 'none'
    ? problem(c, 'not-found', found.because)
    : problem(c, 'ambiguous', found.because, { candidates: [...found.candidates] });

/** The body by a schema, or the answer that says what is wrong with it. */
async function read<T>(c: Context, schema: z.ZodType<T>): Promise<{ body: T } | { refusal: Response }> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    return { refusal: problem(c, 'not-json', 'Send it as application/json.') };
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined));
  if (parsed.success) return { body: parsed.data };
  const said = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  return { refusal: problem(c, 'malformed', `${said.slice(0, 5).join('; ')}.`) };
}

async function status({ desk, register }: ApiParts, you: Principal): Promise<Status> {
  const [clusters, cards, silences, troubles] = await Promise.all([
    ...([desk.clusters(), desk.cards()] as const),
    ...([register.silences(), register.troubles()] as const),
  ]);
  const count = (is: (state: (typeof cards)[number]['proposal']['state']) => boolean) =>
    cards.filter(({ proposal }) => is(proposal.state)).length;
  const trouble = desk.configurationTrouble();
  return {
    ...{ now: desk.now().toISOString(), you, clusters: [...clusters], silences: [...silences] },
    ...{ waiting: count(isUndecided), running: count(isRunning) },
    troubles: [...(trouble === undefined ? [] : [trouble]), ...troubles],
  };
}

async function decided({ desk, register, after }: ApiParts, c: Context<Env>): Promise<Response> {
  const asked = await read(c, Decided);
  if ('refusal' in asked) return asked.refusal;
  const { choice, revision, proposal: named } = asked.body;
  if (ON_A_REVISION.has(choice) && revision === undefined)
    return problem(c, 'malformed', `revision: ${choice} needs the revision that you read.`);
  const found = named === undefined ? undefined : await register.find(named);
  if (found && found.is !== 'one') return lost(c, found);
  const proposal = found?.card.proposal;
  if (proposal && revision !== undefined && revision !== proposal.revision)
    return problem(c, 'refused', `it is not the revision that you read: read it again, it is ${proposal.revision} now`);
  const answer = await within(
    after,
    desk.click(c.get('who'), { ...asked.body, ...(proposal && { proposal: proposal.id }) }),
  );
  if (answer === undefined) {
    const because =
      'Gleaner is behind: your decision is kept, and decided when its turn comes. Look before you repeat it';
    return c.json({ ok: false, kept: true, because } satisfies Outcome, 202);
  }
  if (!answer.ok) return problem(c, 'refused', answer.because);
  return c.json({ ok: true, kept: true, because: answer.because } satisfies Outcome);
}

/** The answer, or undefined where it takes too long. */
function within(after: ApiParts['after'], answer: Promise<Answer>): Promise<Answer | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = after(PATIENCE, () => late.resolve(undefined));
  return Promise.race([answer, late.promise]).finally(cancel);
}

async function invited({ access, audit, linkTo }: ApiParts, c: Context<Env>): Promise<Response> {
  if (!c.get('isOwner')) return problem(c, 'forbidden', OWNER);
  const asked = await read(c, Invite);
  if ('refusal' in asked) return asked.refusal;
  const { who } = asked.body;
  // It is written down before it can be used.
  await audit({ event: 'invited', who, by: c.get('who') });
  const { token, until } = access.invite(who);
  return c.json({ link: linkTo(token, new URL(c.req.url)), until }, 201);
}

const OWNER = 'Only who runs Gleaner may do that, on its own machine.';

async function redeemed({ access, audit, refused }: ApiParts, c: Context): Promise<Response> {
  const asked = await read(c, Redeem);
  if ('refusal' in asked) return asked.refusal;
  const opened = access.open(asked.body.invitation, 'cli');
  if (!opened) {
    refused('an invitation was tried that is none, or over');
    return problem(c, 'unauthenticated', 'This invitation was used before, or is over: ask for a new one.');
  }
  const { who, until } = opened.grant;
  await audit({ event: 'admitted', who, by: who });
  return c.json({ who, token: opened.secret, until }, 201);
}

async function shownOut({ access, audit }: ApiParts, c: Context<Env>): Promise<Response> {
  const who = c.req.param('who') ?? '';
  if (!c.get('isOwner') && who !== c.get('who')) return problem(c, 'forbidden', OWNER);
  const ended = access.shut(who);
  if (ended === 0) return problem(c, 'not-found', `${who} has nothing open.`);
  await audit({ event: 'shown-out', who, by: c.get('who') });
  return c.json({ ended });
}
