import { beforeEach, describe, expect, it } from 'vitest';
import { type AppBed, appBed } from '../../test/api/app.ts';
import { Invited, Outcome, People, Problem, Redeemed, ShownCard, Status } from '../ports/api.ts';

let bed: AppBed;
let owner: string;
let bob: string;

beforeEach(async () => {
  bed = await appBed();
  owner = bed.access.own('local:ann');
  bob = bed.access.open(bed.access.invite('local:bob').token, 'cli')?.secret ?? '';
});

type More = { method?: string; body?: unknown; headers?: Record<string, string> };

async function ask(token: string | undefined, path: string, { method, body, headers = {} }: More = {}) {
  const response = await bed.app.request(`/v1${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, type: response.headers.get('content-type'), json: await response.json() };
}

const approve = async (token: string, more: object = {}) =>
  ask(token, '/decisions', {
    body: { choice: 'approve', proposal: bed.proposal, revision: await bed.revision(), plan: 'mend', ...more },
  });
const stateOf = async () => (await bed.world.proposals())[0]?.state;

describe('The API', () => {
  it.each([
    ['no token', undefined],
    ['a guessed token', 'x'.repeat(43)],
    ['a token that is none', 'a b'],
  ])('tells nothing to %s', async (_what, token) => {
    for (const path of ['/status', '/incidents', `/cards/${bed.proposal}`, '/people', '/nothing']) {
      const { status, type, json } = await ask(token, path);

      expect({ path, status, type }).toEqual({ path, status: 401, type: 'application/problem+json' });
      expect(Problem.parse(json).detail).toMatch(/gleaner login/);
    }
    expect(bed.refused).toHaveLength(5);
  });

  it('takes no session of the page, so that no other site can use one', async () => {
    const opened = await bed.app.request(`/open/${bed.access.invite('local:ann').token}`);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';

    const { status } = await ask(undefined, '/decisions', { body: { choice: 'stop' }, headers: { cookie } });
    const asToken = await ask(cookie.split('=')[1], '/status');

    expect([status, asToken.status]).toEqual([401, 401]);
  });

  it('opens no page for a token', async () => {
    const response = await bed.app.request('/', { headers: { authorization: `Bearer ${bob}` } });

    expect(response.status).toBe(401);
  });

  it('tells how the clusters are, and whose token it was', async () => {
    const status = Status.parse((await ask(bob, '/status')).json);

    expect(status).toMatchObject({ you: 'local:bob', waiting: 1, running: 0, silences: [] });
    expect(status.troubles).toEqual(['gleaner.yaml is not in force']);
    expect(status.clusters).toMatchObject([{ id: 'cluster-1', does: 'apply' }]);
  });

  it('shows a card by its id, or by the beginning of it', async () => {
    const whole = ShownCard.parse((await ask(bob, `/cards/${bed.proposal}`)).json);
    const short = ShownCard.parse((await ask(bob, `/cards/${bed.proposal.slice(0, 5)}`)).json);

    expect(short).toEqual(whole);
    expect(whole).toMatchObject({ proposal: bed.proposal, revision: await bed.revision(), state: 'open' });
    expect(whole.lines).toHaveLength(6);
    expect(whole.plans[0]?.deciders).toMatchObject({ approvers: ['local:ann', 'local:bob'], quorum: 1 });
  });

  it.each(['nope', 'abc', '%2e%2e%2fstatus'])('says that there is no card %s', async (id) => {
    const { status, json } = await ask(bob, `/cards/${id}`);

    expect(status).toBe(404);
    expect(Problem.parse(json).detail).toMatch(/gleaner incidents/);
  });
});

describe('A decision through the API', () => {
  it('is one of the person whose token it is', async () => {
    const { status, json } = await approve(bob, { reason: 'seen' });

    expect(status).toBe(200);
    expect(json).toEqual({ ok: true, kept: true, because: expect.stringMatching(/^local:bob approved .*: seen$/) });
    expect((await bed.world.proposals())[0]?.approvals.map(({ who }) => who)).toEqual(['local:bob']);
  });

  it('cannot name somebody else', async () => {
    const { status } = await approve(bob, { who: 'local:ann' });

    expect(status).toBe(400);
    expect(await stateOf()).toBe('open');
  });

  it('is refused under the policy in its words', async () => {
    const eve = bed.access.open(bed.access.invite('local:eve').token, 'cli')?.secret ?? '';

    const { status, type, json } = await approve(eve);

    expect({ status, type }).toEqual({ status: 409, type: 'application/problem+json' });
    expect(Problem.parse(json)).toMatchObject({
      type: 'urn:gleaner:problem:refused',
      detail: 'local:eve may not decide this: it is for local:ann, local:bob',
    });
    expect(await stateOf()).toBe('open');
  });

  it.each(['approve', 'reject', 'undo'])('to %s carries the revision that was read', async (choice) => {
    const without = await ask(bob, '/decisions', { body: { choice, proposal: bed.proposal } });
    const other = await ask(bob, '/decisions', { body: { choice, proposal: bed.proposal, revision: 'other' } });

    expect([without.status, other.status]).toEqual([400, 409]);
    expect(Problem.parse(other.json).detail).toMatch(/not the revision that you read/);
    expect(await stateOf()).toBe('open');
  });

  it('for a whole cluster needs no proposal', async () => {
    const stopped = await ask(bob, '/decisions', { body: { choice: 'stop', cluster: 'cluster-1' } });
    const silenced = await ask(bob, '/decisions', { body: { choice: 'silence', what: 'Node/node1', lasts: '1h' } });

    expect([stopped.status, silenced.status]).toEqual([200, 200]);
    expect(Status.parse((await ask(bob, '/status')).json)).toMatchObject({
      clusters: [{ stopped: 'local:bob' }],
      silences: [{ what: 'Node/node1', who: 'local:bob' }],
    });
  });

  it('that takes long is answered as kept, and neither as done nor as refused', async () => {
    bed = await appBed({
      after: (_ms, then) => {
        queueMicrotask(then);
        return () => {};
      },
    });
    bed.halt();
    const token = bed.access.own('local:ann');

    const { status, json } = await approve(token);

    expect(status).toBe(202);
    expect(json).toEqual({ ok: false, kept: true, because: expect.stringMatching(/Gleaner is behind/) });
  });

  it.each([
    ['no JSON', '{', 400],
    ['no object', '7', 400],
    ['no choice', '{}', 400],
    ['an unknown choice', '{"choice":"explode"}', 400],
    ['a reason without end', JSON.stringify({ choice: 'reject', reason: 'x'.repeat(501) }), 400],
    ['more than a decision can be', JSON.stringify({ choice: 'reject', reason: 'x'.repeat(20_000) }), 413],
  ])('is a problem where it is %s', async (_what, body, wanted) => {
    const { status, type, json } = await ask(bob, '/decisions', { body });

    expect({ status, type }).toEqual({ status: wanted, type: 'application/problem+json' });
    expect(Problem.parse(json).status).toBe(wanted);
  });

  it('is taken as JSON alone', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { status } = await ask(bob, '/decisions', { body: '{"choice":"stop"}', headers });

    expect(status).toBe(415);
  });
});

describe('Who gets in', () => {
  it('is decided by who runs Gleaner alone, and written down', async () => {
    const { status, json } = await ask(owner, '/invitations', { body: { who: 'local:eve' } });
    const refused = await ask(bob, '/invitations', { body: { who: 'local:mallory' } });

    expect(status).toBe(201);
    expect(Invited.parse(json).link).toMatch(/^http:\/\/localhost\/join\/[\w-]{43}$/);
    expect(refused.status).toBe(403);
    expect(bed.audited).toEqual([{ event: 'invited', who: 'local:eve', by: 'local:ann' }]);
  });

  it.each(['bob', 'slack:U1', 'slack-group:S1', 'hook:x', 'local:', 'local:a b'])('cannot be %s', async (who) => {
    expect((await ask(owner, '/invitations', { body: { who } })).status).toBe(400);
  });

  it('gets a token for an invitation, once', async () => {
    const { json } = await ask(owner, '/invitations', { body: { who: 'local:eve' } });
    const invitation = Invited.parse(json).link.split('/').at(-1);

    const first = await ask(undefined, '/tokens', { body: { invitation } });
    const second = await ask(undefined, '/tokens', { body: { invitation } });

    expect([first.status, second.status]).toEqual([201, 401]);
    expect(Status.parse((await ask(Redeemed.parse(first.json).token, '/status')).json).you).toBe('local:eve');
  });

  it('is shown out by who runs Gleaner, or by itself', async () => {
    expect((await ask(bob, '/people/local%3Aann', { method: 'DELETE' })).status).toBe(403);
    expect((await ask(owner, '/people/local%3Abob', { method: 'DELETE' })).json).toEqual({ ended: 1 });

    expect((await ask(bob, '/status')).status).toBe(401);
    expect((await ask(owner, '/people/local%3Abob', { method: 'DELETE' })).status).toBe(404);
  });

  it('is known to everybody, without a secret', async () => {
    const { json } = await ask(bob, '/people');

    expect(People.parse(json).people).toMatchObject([
      { who: 'local:ann', door: 'cli' },
      { who: 'local:bob', door: 'cli' },
    ]);
    expect(JSON.stringify(json)).not.toMatch(/digest|token/);
  });
});

it('Two people approve without Slack, each with a token of their own, and one of them twice is one', async () => {
  bed = await appBed();
  const [ann, second] = [bed.access.own('local:ann'), bed.access.own('local:bob')];
  const policy = bed.world.world.rules.policy({ cluster: 'cluster-1', mode: 'paint', risk: 'low' });
  Object.assign(policy, { quorum: 2 });

  expect(Outcome.parse((await approve(ann)).json).because).toMatch(/1 more must approve/);
  expect(Problem.parse((await approve(ann)).json).detail).toMatch(/you have approved it already/);
  expect(await stateOf()).toBe('open');
  expect((await approve(second)).status).toBe(200);

  expect(await stateOf()).not.toBe('open');
});
