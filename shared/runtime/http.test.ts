import { beforeEach, describe, expect, it } from 'vitest';
import { type Painted, paintWorld } from '../../test/simulator/paint.ts';
import { manualClock } from '../adapters/clock/manual.ts';
import { pageChat } from '../adapters/page/chat.ts';
import { notify } from '../flow/notify.ts';
import { sessions } from '../web/session.ts';
import { desk } from '../worlds/desk.ts';
import { application } from './http.ts';

let world: Painted;
let app: ReturnType<typeof application>;
let cookie: string;
let proposal: string;

/** Delivers everything, and tells the page of it, as the bus would. */
async function deliver(chat: ReturnType<typeof pageChat>) {
  const from = world.facts.length;
  await world.settle(0);
  for (const fact of world.facts.slice(from)) {
    if (fact.event === 'decided' || fact.event === 'refused' || fact.event === 'stopped') {
      await notify(chat)(world.world, { ...fact, id: 'e', at: world.now().toISOString() });
    }
  }
}

beforeEach(async () => {
  world = paintWorld();
  proposal = await world.proposed();
  const chat = pageChat();
  const known = sessions();
  app = application({
    desk: desk({
      ...{
        world: world.world,
        chat,
        wall: manualClock('2026-01-15T12:00:00Z'),
        configurationTrouble: () => 'gleaner.yaml is not in force',
      },
      bus: {
        async publish(outgoing) {
          world.publish(...outgoing);
          queueMicrotask(() => void deliver(chat));
        },
      },
    }),
    ...{ sessions: known, metrics: async () => 'gleaner_up 1\n', unwell: () => undefined, after: () => () => {} },
  });
  const opened = await app.request(`/open/${known.invite('local:ann')}`);
  cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request(path, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const revision = async () => (await world.store.get('proposal', proposal))?.item.revision;

describe('The page over HTTP', () => {
  it.each(['/', '/fragment', '/live'])('gives %s to nobody without a session', async (path) => {
    expect((await app.request(path)).status).toBe(401);
    expect((await app.request(path, { headers: { cookie: 'gleaner=guess' } })).status).toBe(401);
  });

  it('opens a session once per link, in a cookie that no script and no other site can use', async () => {
    const known = sessions();
    const token = known.invite('local:ann');

    const session = known.open(token);

    expect(known.whose(session)).toBe('local:ann');
    expect(known.open(token)).toBeUndefined();
    expect((await app.request('/open/guess')).status).toBe(401);
    const again = await app.request('/', { headers: { cookie } });
    expect(again.status).toBe(200);
  });

  it('lets the page load nothing from elsewhere', async () => {
    const response = await app.request('/', { headers: { cookie } });

    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    expect(await response.text()).not.toMatch(/(?:src|href)="https?:/);
  });

  it('shows what a bad configuration says', async () => {
    const page = await (await app.request('/', { headers: { cookie } })).text();

    expect(page).toContain('gleaner.yaml is not in force');
  });

  it('decides as the person of the session, and answers', async () => {
    const response = await post('/click', {
      choice: 'approve:mend',
      proposal,
      revision: await revision(),
      reason: 'seen',
    });

    expect(await response.json()).toMatchObject({ ok: true, because: expect.stringMatching(/^local:ann approved/) });
  });

  it('answers a click that does not count with the reason', async () => {
    const response = await post('/click', { choice: 'approve:mend', proposal, revision: 'another' });

    expect(await response.json()).toMatchObject({
      ok: false,
      because: expect.stringMatching(/not the revision that you read/),
    });
  });

  it('takes no form of another site', async () => {
    const form = await post('/click', {}, { 'content-type': 'application/x-www-form-urlencoded' });

    expect(form.status).toBe(415);
    expect((await world.proposals())[0]?.state).toBe('open');
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['no choice', '{"proposal":"x"}'],
    ['an unknown choice', '{"choice":"explode"}'],
    ['a reason without end', JSON.stringify({ choice: 'reject', reason: 'x'.repeat(501) })],
  ])('answers %s with a sentence', async (_what, body) => {
    const response = await app.request('/click', {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body,
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ ok: false, because: expect.any(String) });
  });

  it('stops all runs of a cluster', async () => {
    const response = await post('/click', { choice: 'stop', cluster: 'cluster-1' });

    expect(await response.json()).toMatchObject({ ok: true });
    expect(await (await app.request('/fragment', { headers: { cookie } })).text()).toContain('stopped by local:ann');
  });

  it('shows text from a cluster as text', async () => {
    const row = await world.store.get('proposal', proposal);
    if (!row) throw new Error('there is no proposal');
    const summary = '<img src=x onerror=alert(1)> & "quoted"';
    await world.store.put(
      'proposal',
      { ...row.item, found: { ...row.item.found, summary, because: summary, users: summary } },
      row.version,
    );

    const page = await (await app.request('/fragment', { headers: { cookie } })).text();

    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quoted&quot;');
  });

  it('is well, and tells Prometheus, without a session', async () => {
    expect((await app.request('/healthz')).status).toBe(200);
    expect(await (await app.request('/metrics')).text()).toContain('gleaner_up');
  });
});
