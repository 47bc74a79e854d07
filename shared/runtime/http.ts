import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { Choice, type Principal } from '../model.ts';
import { joinPage } from '../web/join.ts';
import { fragment, page, type Shown } from '../web/page.ts';
import { slackPage } from '../web/slack-page.ts';
import { type ApiParts, api } from './api.ts';
import { interactions, type Receiver } from './interact.ts';
import type { Log } from './log.ts';

const COOKIE = 'gleaner';
/** A comment line this often keeps proxies from closing a quiet stream. */
const KEEP_ALIVE = 25_000;
/** No click is larger. */
const LARGEST = 16 * 1024;

/** What the page posts: a choice, which for an approval names the plan as `approve:PLAN`. */
const Posted = z.object({
  choice: z.string().max(100),
  proposal: z.string().max(100).optional(),
  cluster: z.string().max(100).optional(),
  revision: z.string().max(100).optional(),
  reason: z.string().max(500).optional(),
  what: z.string().max(300).optional(),
  lasts: z.string().max(20).optional(),
});

export interface Served extends ApiParts {
  /** Prometheus text. */
  metrics(): Promise<string>;
  /** Why Gleaner is not well; undefined: it is. */
  unwell(): string | undefined;
  /** What Slack would be sent for a card; undefined: there is no such card. */
  readonly slack?: { readonly receiver: Receiver; readonly log: Log } | undefined;
  inSlack(id: string): Promise<{ readonly message: unknown; readonly details: unknown } | undefined>;
}

type Env = { Variables: { who: Principal; nonce: string } };

/** The page and the API. Everything but `/healthz` and `/metrics` belongs to a person. */
export function application(served: Served): Hono<Env> {
  const { metrics, unwell } = served;
  const app = new Hono<Env>();
  app.get('/healthz', (c) => {
    const why = unwell();
    return why === undefined ? c.text('ok\n') : c.text(`${why}\n`, 503);
  });
  app.get('/metrics', async (c) => c.text(await metrics(), 200, { 'content-type': 'text/plain; version=0.0.4' }));
  app.route('/v1', api(served));
  const { slack } = served;
  if (slack)
    app.route(
      '/',
      interactions(async () => slack.receiver, slack.log),
    );

  app.use(bodyLimit({ maxSize: LARGEST, onError: (c) => c.json({ ok: false, because: 'that is too large' }, 413) }));
  app.use(async (c, next) => {
    const nonce = randomBytes(16).toString('base64');
    c.set('nonce', nonce);
    await next();
    c.header(
      'content-security-policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    c.header('x-content-type-options', 'nosniff');
    c.header('referrer-policy', 'no-referrer');
    c.header('cache-control', 'no-store');
  });
  doors(app, served);
  app.use(async (c, next) => {
    const holder = served.access.holder(getCookie(c, COOKIE), 'page');
    if (!holder)
      return c.text('Open the link that Gleaner printed when it started, or one that `gleaner invite` gave.\n', 401);
    // A form of another site can send a cookie of this one, but not as this content type without asking first.
    const isWrite = c.req.method !== 'GET' && c.req.method !== 'HEAD';
    if (isWrite && !c.req.header('content-type')?.startsWith('application/json')) return c.text('Send JSON.\n', 415);
    c.set('who', holder.who);
    return next();
  });
  reads(app, served);
  writes(app, served);
  return app;
}

const USED = 'This link was used before, is over, or is not one of this Gleaner. Ask for another one.\n';

/** How somebody gets in: the link of the start at once; an invitation by a press, for what looks at links must not use it up. */
function doors(app: Hono<Env>, { access, audit }: Served): void {
  const enter = (c: Context<Env>, invitation: string) => {
    const opened = access.open(invitation, 'page');
    if (!opened) return undefined;
    const secure = new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https';
    setCookie(c, COOKIE, opened.secret, { httpOnly: true, sameSite: 'Strict', path: '/', secure });
    return opened.grant.who;
  };
  app.get('/open/:token', (c) => {
    const who = enter(c, c.req.param('token'));
    // The token must not stay in the address bar or be sent as a referrer.
    return who === undefined ? c.text(USED, 401) : c.redirect('/');
  });
  app.get('/join/:token', async (c) => {
    const who = access.invited(c.req.param('token'));
    return who === undefined ? c.text(USED, 401) : c.html(await joinPage(who, c.get('nonce')));
  });
  app.post('/join/:token', async (c) => {
    const who = enter(c, c.req.param('token'));
    if (who === undefined) return c.text(USED, 401);
    await audit({ event: 'admitted', who, by: who });
    return c.redirect('/', 303);
  });
}

function reads(app: Hono<Env>, { desk, register, access, after, inSlack }: Served): void {
  const shown = (c: Context<Env>): Shown => ({ desk, register, people: access.people(), you: c.get('who') });
  app.get('/', async (c) => c.html(await page(shown(c), c.get('nonce'))));
  app.get('/fragment', async (c) => c.html(await fragment(shown(c))));
  app.get('/slack/:id', async (c) => {
    const sent = await inSlack(c.req.param('id'));
    return sent ? c.html(await slackPage(sent, c.get('nonce'))) : c.text('There is no such card.\n', 404);
  });
  app.get('/live', (c) =>
    streamSSE(c, async (stream) => {
      const ended = Promise.withResolvers<void>();
      const stopListening = desk.onChange(() => void stream.writeSSE({ data: 'changed' }));
      let cancel = () => {};
      const keepAlive = () => {
        void stream.writeSSE({ event: 'quiet', data: '' });
        cancel = after(KEEP_ALIVE, keepAlive);
      };
      cancel = after(KEEP_ALIVE, keepAlive);
      stream.onAbort(() => ended.resolve());
      await ended.promise;
      stopListening();
      cancel();
    }),
  );
}

function writes(app: Hono<Env>, { desk }: Served): void {
  app.post('/click', async (c) => {
    const posted = Posted.safeParse(await c.req.json().catch(() => undefined));
    if (!posted.success) return c.json({ ok: false, because: 'that is no choice' }, 400);
    const [name, plan] = posted.data.choice.split(/:(.*)/s);
    const choice = Choice.safeParse(name);
    if (!choice.success) return c.json({ ok: false, because: `there is no choice ${name}` }, 400);
    const asked = { ...posted.data, choice: choice.data, ...(plan && { plan }) };
    return c.json(await desk.click(c.get('who'), asked));
  });

  app.post('/break', async (c) => {
    const posted = z.object({ mode: z.string().max(100) }).safeParse(await c.req.json().catch(() => undefined));
    if (!posted.success) return c.json({ ok: false, because: 'say what to break' }, 400);
    if (!desk.playground) return c.json({ ok: false, because: 'this is no playground' }, 404);
    await desk.playground.break(posted.data.mode);
    return c.json({ ok: true, because: 'it is broken now: watch what Gleaner finds' });
  });
  app.post('/reset', async (c) => {
    if (!desk.playground) return c.json({ ok: false, because: 'this is no playground' }, 404);
    await desk.playground.reset();
    return c.json({ ok: true, because: 'the pretend clusters are healthy again' });
  });
}
