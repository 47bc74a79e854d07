import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReplyAddress } from '../../../shared/adapters/slack/respond.ts';
import type { Click, Question } from '../../../shared/model.ts';
import type { Directory } from '../../../shared/ports/directory.ts';
import { type Bed, bedWithMemory, OPS } from './bed.ts';

const SECRET = 'canary-8d1f';

/** What takes answers at reply addresses, in Slack's place. */
const inbox: { readonly path: string; readonly body: string }[] = [];
let status = 200;
const server = createServer(async (request, response) => {
  inbox.push({ path: request.url ?? '', body: await textOf(request) });
  response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
});
let origin = '';

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

async function bedWithInbox(code = 200, directory?: Directory) {
  inbox.length = 0;
  status = code;
  return bedWithMemory({ url: `${origin}/api/`, ...(directory && { directory }) });
}

const from = () => ({ team: 'T0', channel: OPS, reply: `${origin}/${SECRET}` });
const clickOf = (id: string, more: Partial<Click> = {}): Click => ({
  id,
  who: 'slack:U0ADA',
  choice: 'approve',
  ...more,
});
const refusedBy = (bed: Bed, click: Click, see?: string) =>
  bed.publish({ event: 'refused', click, because: 'it is decided: <!channel> rejected it', ...(see && { see }) });
const methods = ({ slack }: Awaited<ReturnType<typeof bedWithMemory>>) => slack.calls.map(({ method }) => method);

describe('A click', () => {
  it('is answered once where it was made, with a link to the card to read instead, and nothing active in it', async () => {
    const bed = await bedWithInbox();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish({ event: 'proposed', proposal: 'p1' });
    await bed.pass(5);

    await refusedBy(bed, clickOf('c1', { from: from() }), 'p1');
    await refusedBy(bed, clickOf('c1', { from: from() }), 'p1');
    await bed.pass(60);

    expect(inbox.map(({ path }) => path)).toEqual([`/${SECRET}`]);
    const body = JSON.parse(inbox[0]?.body ?? '{}');
    expect(body).toMatchObject({ response_type: 'ephemeral', replace_original: false });
    expect(body.text).not.toContain('<!channel>');
    expect(JSON.stringify(body.blocks)).toContain('https://example.slack.com/archives/C0OPS/1700.000001');
  });

  it('whose reply address is used up is answered in its channel', async () => {
    const bed = await bedWithInbox(404);

    await refusedBy(bed, clickOf('c1', { from: from() }));
    await bed.pass(60);

    expect(inbox).toHaveLength(1);
    expect(bed.slack.calls).toMatchObject([{ method: 'chat.postEphemeral', args: { channel: OPS, user: 'U0ADA' } }]);
    expect(bed.pending()).toBe(0);
  });

  it('that cannot be answered now is answered later, and given up after half an hour', async () => {
    const bed = await bedWithInbox(503);
    await refusedBy(bed, clickOf('c1', { from: from() }));
    await bed.pass(600, 1_000);
    const tries = inbox.length;
    status = 200;
    await bed.pass(61, 1_000);

    expect(tries).toBeLessThan(20);
    expect(inbox).toHaveLength(tries + 1);
    expect(bed.pending()).toBe(0);

    status = 503;
    await refusedBy(bed, clickOf('c2', { from: from() }));
    await bed.pass(2_000, 1_000);
    expect(bed.pending()).toBe(0);
    expect(bed.warnings).toEqual([expect.stringMatching(/half an hour/)]);
  });

  it.each([
    ['another host', 'https://evil.example/x'],
    ['no encryption', 'http://hooks.slack.com/x'],
    ['a name and a password', 'https://a:b@hooks.slack.com/x'],
    ['a host that only looks like Slack’s', 'https://hooks.slack.com.evil.example/x'],
    ['another port', 'https://hooks.slack.com:8443/x'],
  ])('is not answered at an address with %s, but in its channel', async (_what, reply) => {
    const bed = await bedWithInbox();
    expect(isReplyAddress(reply, undefined)).toBe(false);

    await refusedBy(bed, clickOf('c1', { from: { ...from(), reply } }));
    await bed.pass(5);

    expect(methods(bed)).toEqual(['chat.postEphemeral']);
  });

  it('whose reply address leads elsewhere is not followed', async () => {
    const bed = await bedWithInbox(302);

    await refusedBy(bed, clickOf('c1', { from: from() }));
    await bed.pass(1);

    expect(inbox.map(({ path }) => path)).toEqual([`/${SECRET}`]);
  });

  it('that Slack will not let us answer is told of in the log, without the address', async () => {
    const bed = await bedWithInbox(404);
    bed.slack.fault = () => ({
      is: 'refused',
      code: 'user_not_in_channel',
      because: 'Slack refuses: user_not_in_channel',
    });

    await refusedBy(bed, clickOf('c1', { from: from() }));
    await bed.pass(60);

    expect(bed.warnings).toEqual([expect.stringContaining('user_not_in_channel')]);
    expect(bed.warnings.join()).not.toContain(SECRET);
    expect(bed.pending()).toBe(0);
  });

  it('that came from elsewhere is no business of Slack', async () => {
    const bed = await bedWithInbox();

    await refusedBy(bed, clickOf('c1', { who: 'local:ann' }));
    await refusedBy(bed, clickOf('c2', { who: 'local:ann', from: from() }));
    await bed.pass(5);

    expect([inbox, methods(bed)]).toEqual([[], []]);
  });
});

describe('A question', () => {
  const asks = (ask: Question['ask'], id = 'q1') => ({
    event: 'asked' as const,
    question: { id, who: 'slack:U0ADA', from: from(), ask },
  });

  async function answered(bed: Bed, ask: Question['ask']) {
    await bed.publish(asks(ask));
    await bed.pass(5);
    return inbox.at(-1)?.body ?? '';
  }

  it.each<[string, Question['ask'], RegExp]>([
    ['a whole card', { is: 'show', id: 'p1-aaaa' }, /gleaner:approve:.*gleaner:details/],
    ['the card of an incident', { is: 'show', id: 'i1' }, /gleaner:approve:/],
    ['a card by the beginning of its id', { is: 'show', id: 'p1-a' }, /gleaner:approve:/],
    [
      'what approving does, with the revision',
      { is: 'show', id: 'p1-aaaa', to: 'approve' },
      /revision.*gleaner:approve|gleaner:approve.*revision/,
    ],
    [
      'what is not there, with what is near',
      { is: 'show', id: 'p1-aaab' },
      /there is no proposal p1-aaab: did you mean p1-aaaa\?/,
    ],
    ['what is like nothing', { is: 'show', id: 'zzzzzzzz' }, /incidents lists them all/],
    ['all incidents', { is: 'incidents' }, /No known fault/],
    ['the state of things', { is: 'status' }, /blocks/],
  ])('is answered with %s', async (_what, ask, expected) => {
    const bed = await bedWithInbox();
    await bed.records.open('i1', 'p1-aaaa', bed.now());

    expect(await answered(bed, ask)).toMatch(expected);
    expect(bed.slack.calls).toEqual([]);
  });

  it('that fits two cards is asked back', async () => {
    const bed = await bedWithInbox();
    await bed.records.open('i1', 'p1-aaaa', bed.now());
    await bed.records.open('i2', 'p1-abbb', bed.now());

    expect(await answered(bed, { is: 'show', id: 'p1-a' })).toMatch(/p1-aaaa, p1-abbb: write more of it/);
  });

  it.each([
    ['a guest', { is: 'no', because: 'the account is a guest' } as const],
    ['somebody who cannot be looked up', { is: 'unreadable', because: 'ECONNREFUSED' } as const],
  ])('of %s is not answered', async (_who, says) => {
    const directory: Directory = { isMember: async () => says, belongs: async () => says, fresh: () => directory };
    const bed = await bedWithInbox(200, directory);
    await bed.records.open('i1', 'p1-aaaa', bed.now());

    const body = await answered(bed, { is: 'show', id: 'p1-aaaa' });
    expect(body).toMatch(/only members of this workspace/);
    expect(body).not.toMatch(/gleaner:/);
  });
});
