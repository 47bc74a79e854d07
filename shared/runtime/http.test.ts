import { beforeEach, describe, expect, it } from 'vitest';
import { type AppBed, appBed } from '../../test/api/app.ts';

let bed: AppBed;
let world: AppBed['world'];
let app: AppBed['app'];
let known: AppBed['access'];
let cookie: string;
let proposal: string;

beforeEach(async () => {
  bed = await appBed();
  ({ world, app, proposal, access: known } = bed);
  const opened = await app.request(`/open/${known.invite('local:ann').token}`);
  cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request(path, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const revision = () => bed.revision();

describe('The page over HTTP', () => {
  it.each(['/', '/fragment', '/live'])('gives %s to nobody without a session', async (path) => {
    expect((await app.request(path)).status).toBe(401);
    expect((await app.request(path, { headers: { cookie: 'gleaner=guess' } })).status).toBe(401);
  });

  it('opens a session once per link, in a cookie that no script and no other site can use', async () => {
    const { token } = known.invite('local:bob');

    const opened = await app.request(`/open/${token}`);

    expect(opened.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/);
    expect((await app.request(`/open/${token}`)).status).toBe(401);
    expect((await app.request('/open/guess')).status).toBe(401);
    expect((await app.request('/', { headers: { cookie } })).status).toBe(200);
  });

  it('lets what only looks at an invitation not use it up: a person presses', async () => {
    const path = `/join/${known.invite('local:bob').token}`;

    expect(await (await app.request(path)).text()).toContain('Open as local:bob');
    expect(await (await app.request(path)).text()).toContain('Open as local:bob');
    const joined = await app.request(path, { method: 'POST' });

    expect(joined.status).toBe(303);
    const bob = joined.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await (await app.request('/', { headers: { cookie: bob } })).text()).toContain('you are <b>local:bob</b>');
    expect((await app.request(path, { method: 'POST' })).status).toBe(401);
    expect((await app.request(path)).status).toBe(401);
    expect(bed.audited).toEqual([{ event: 'admitted', who: 'local:bob', by: 'local:bob' }]);
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

  it('shows who has it in hand, the policy in force, and what is silenced with the button that ends it', async () => {
    const silence = { choice: 'silence', cluster: 'cluster-1', what: 'Node/node1', lasts: '2h', reason: 'a new disk' };
    expect(await (await post('/click', silence)).json()).toMatchObject({ ok: true });
    await post('/click', { choice: 'take', proposal, revision: await revision() });

    const shown = await (await app.request('/fragment', { headers: { cookie } })).text();

    expect(shown).toMatch(/local:ann has it until/);
    expect(shown).toContain('Policy in force: by local:ann, local:bob; one of them is enough.');
    expect(shown).toMatch(/<b>Node\/node1<\/b> on simulated until .*by local:ann: a new disk/s);
    const unsilence = { choice: 'unsilence', cluster: 'cluster-1', what: 'Node/node1' };
    expect(await (await post('/click', unsilence)).json()).toMatchObject({ ok: true });
    expect(await (await app.request('/fragment', { headers: { cookie } })).text()).not.toContain('a new disk');
  });

  it('says which approvals do not count any more', async () => {
    const row = await world.store.get('proposal', proposal);
    if (!row) throw new Error('there is no proposal');
    const approval = { click: 'c', who: 'local:bob', at: world.now().toISOString(), plan: 'mend', policy: 'former' };
    await world.store.put('proposal', { ...row.item, approvals: [approval] }, row.version);

    const shown = await (await app.request('/fragment', { headers: { cookie } })).text();

    expect(shown).toContain('local:bob approved it under a policy that is not in force any more: that does not count.');
  });

  it('says that nothing gets through to a channel', async () => {
    const since = new Date(world.now().getTime() - 360_000).toISOString();
    await world.store.put(
      'lane',
      {
        ...{ schema: 1, id: 'C0123ABCD', nextAt: since, failingSince: since, because: 'Slack answered with HTTP 503' },
        ...{ isUnheard: true, waiting: [] },
      },
      0,
    );

    const shown = await (await app.request('/fragment', { headers: { cookie } })).text();

    expect(shown).toMatch(/role="alert">Nothing gets through to the channel C0123ABCD for 6 min: Slack answered/);
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
