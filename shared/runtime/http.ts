import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { Choice, type Principal } from '../model.ts';
import type { Desk } from '../ports/desk.ts';
import { fragment, page } from '../web/page.ts';
import type { Sessions } from '../web/session.ts';

const COOKIE = 'gleaner';
/** A comment line this often keeps proxies from closing a quiet stream. */
const KEEP_ALIVE = 25_000;

/** What the page posts: a choice, which for an approval names the plan as `approve:PLAN`. */
const Posted = z.object({
  choice: z.string().max(100),
  proposal: z.string().max(100).optional(),
  cluster: z.string().max(100).optional(),
  revision: z.string().max(100).optional(),
  reason: z.string().max(500).optional(),
});

export interface Served {
  readonly desk: Desk;
  readonly sessions: Sessions;
  /** Prometheus text. */
  metrics(): Promise<string>;
  /** Why Gleaner is not well; undefined: it is. */
  unwell(): string | undefined;
  /** Calls back after so many milliseconds; ends with the answer. */
  after(ms: number, then: () => void): () => void;
}

/** The page and its API. Everything but `/healthz` and `/metrics` belongs to a session. */
export function application({
  desk,
  sessions,
  metrics,
  unwell,
  after,
}: Served): Hono<{ Variables: { who: Principal; nonce: string } }> {
  const app = new Hono<{ Variables: { who: Principal; nonce: string } }>();

  app.get('/healthz', (c) => {
    const why = unwell();
    return why === undefined ? c.text('ok\n') : c.text(`${why}\n`, 503);
  });
  app.get('/metrics', async (c) => c.text(await metrics(), 200, { 'content-type': 'text/plain; version=0.0.4' }));

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

  app.get('/open/:token', (c) => {
    const session = sessions.open(c.req.param('token'));
    if (session === undefined)
      return c.text('This link was used before, or is not one of this Gleaner. Start it again for a new one.\n', 401);
    const secure = new URL(c.req.url).protocol === 'https:';
    setCookie(c, COOKIE, session, { httpOnly: true, sameSite: 'Strict', path: '/', secure });
    // The token must not stay in the address bar or be sent as a referrer.
    return c.redirect('/');
  });

  app.use(async (c, next) => {
    const who = sessions.whose(getCookie(c, COOKIE));
    if (who === undefined) return c.text('Open the link that Gleaner printed when it started.\n', 401);
    // A form of another site can send a cookie of this one, but not as this content type without asking first.
    const isWrite = c.req.method !== 'GET' && c.req.method !== 'HEAD';
    if (isWrite && !c.req.header('content-type')?.startsWith('application/json')) return c.text('Send JSON.\n', 415);
    c.set('who', who);
    return next();
  });

  app.get('/', async (c) => c.html(await page(desk, c.get('nonce'))));
  app.get('/fragment', async (c) => c.html(await fragment(desk)));
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
    const { mode } = z.object({ mode: z.string() }).parse(await c.req.json());
    if (!desk.playground) return c.json({ ok: false, because: 'this is no playground' }, 404);
    await desk.playground.break(mode);
    return c.json({ ok: true, because: 'it is broken now: watch what Gleaner finds' });
  });
  app.post('/reset', async (c) => {
    if (!desk.playground) return c.json({ ok: false, because: 'this is no playground' }, 404);
    await desk.playground.reset();
    return c.json({ ok: true, because: 'the pretend clusters are healthy again' });
  });
  return app;
}
