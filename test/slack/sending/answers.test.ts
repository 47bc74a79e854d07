import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isReplyAddress } from '../../../shared/adapters/slack/respond.ts';
import type { Click, From, Question } from '../../../shared/model.ts';
import type { Directory } from '../../../shared/ports/directory.ts';
import { ADA, CHANNEL, type SlackDouble, TEAM } from '../../doubles/slack/index.ts';
import { portOf } from '../../kubernetes/loopback.ts';
import type { Bed } from './bed.ts';
import { jsonOf } from './seen.ts';
import { type WireBed, wireBed } from './wire-bed.ts';

/** Where Ada pressed or typed something: the reply address is one that Slack gave out for it. */
async function fromAda(slack: SlackDouble): Promise<From & { reply: string }> {
  const { responseUrl } = await slack.command('/gleaner', 'status', ADA, { to: `${slack.apiUrl}api.test` });
  if (responseUrl === undefined) throw new Error('Slack gave out no reply address');
  return { team: TEAM, channel: CHANNEL, reply: responseUrl };
}

const clickOf = (id: string, more: Partial<Click> = {}): Click => ({
  id,
  who: `slack:${ADA}`,
  choice: 'approve',
  ...more,
});
const refusedBy = (bed: Bed, click: Click, see?: string) =>
  bed.publish({ event: 'refused', click, because: 'it is decided: <!channel> rejected it', ...(see && { see }) });
const methods = ({ slack }: WireBed) => slack.calls().map(({ method }) => method);
/** How Ada alone was shown something, each time. */
const shownBy = ({ slack }: WireBed) => slack.ephemerals(ADA).map(({ newest }) => newest.by);
const atReply = { method: 'response_url' };

describe('A click', () => {
  it('is answered once where it was made, with a link to the card to read instead, and nothing active in it', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish({ event: 'proposed', proposal: 'p1' });
    await bed.pass(5);

    const from = await fromAda(bed.slack);
    await refusedBy(bed, clickOf('c1', { from }), 'p1');
    await refusedBy(bed, clickOf('c1', { from }), 'p1');
    await bed.pass(60);

    expect(shownBy(bed)).toEqual(['response_url']);
    const [answer] = bed.slack.ephemerals(ADA);
    const card = expect.stringMatching(/^https:\/\/t0gleaner\.slack\.com\/archives\/C0OPS\/p\d+$/);
    expect(answer?.entities).toMatchObject([{ kind: 'link', to: card }]);
    expect(bed.slack.messages(CHANNEL)).toHaveLength(1);
  });

  it('whose reply address is used up is answered in its channel', async () => {
    const bed = await wireBed();
    bed.slack.faults.add({ kind: 'status', status: 404 }, atReply);

    await refusedBy(bed, clickOf('c1', { from: await fromAda(bed.slack) }));
    await bed.pass(60);

    expect(shownBy(bed)).toEqual(['chat.postEphemeral']);
    expect(bed.pending()).toBe(0);
  });

  it('that cannot be answered now is answered later, and given up after half an hour', async () => {
    const bed = await wireBed();
    const mended = bed.slack.faults.add({ kind: 'status', status: 503 }, atReply);
    await refusedBy(bed, clickOf('c1', { from: await fromAda(bed.slack) }));
    await bed.pass(600, 1_000);
    expect(bed.deliveries()).toBeLessThan(20);
    mended();
    await bed.pass(61, 1_000);

    expect(shownBy(bed)).toEqual(['response_url']);
    expect(bed.pending()).toBe(0);

    bed.slack.faults.add({ kind: 'status', status: 503 }, atReply);
    await refusedBy(bed, clickOf('c2', { from: await fromAda(bed.slack) }));
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
    const bed = await wireBed();
    expect(isReplyAddress(reply, undefined)).toBe(false);

    await refusedBy(bed, clickOf('c1', { from: { team: TEAM, channel: CHANNEL, reply } }));
    await bed.pass(5);

    expect(shownBy(bed)).toEqual(['chat.postEphemeral']);
  });

  it('whose reply address leads elsewhere is not followed', async () => {
    const visited: string[] = [];
    const server = createServer((request, response) => {
      visited.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close().closeAllConnections());
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${portOf(server.address())}`;
    const bed = await wireBed({ url: `${origin}/api/` });

    const from = { team: TEAM, channel: CHANNEL, reply: `${origin}/reply` };
    await refusedBy(bed, clickOf('c1', { from }));
    await bed.pass(1);

    expect(visited).toEqual(['/reply']);
  });

  it('that Slack will not let us answer is told of in the log, without the address', async () => {
    const bed = await wireBed();
    bed.slack.faults.add({ kind: 'status', status: 404 }, atReply);
    bed.slack.channel(CHANNEL).members.delete(ADA);

    const from = await fromAda(bed.slack);
    await refusedBy(bed, clickOf('c1', { from }));
    await bed.pass(60);

    expect(bed.warnings).toEqual([expect.stringContaining('user_not_in_channel')]);
    expect(bed.warnings.join()).not.toContain(new URL(from.reply).pathname);
    expect(bed.pending()).toBe(0);
  });

  it('that came from elsewhere is no business of Slack', async () => {
    const bed = await wireBed();

    await refusedBy(bed, clickOf('c1', { who: 'local:ann' }));
    await refusedBy(bed, clickOf('c2', { who: 'local:ann', from: await fromAda(bed.slack) }));
    await bed.pass(5);

    expect([shownBy(bed), methods(bed)]).toEqual([[], ['api.test']]);
  });
});

describe('A question', () => {
  async function answered(bed: WireBed, ask: Question['ask']) {
    const from = await fromAda(bed.slack);
    await bed.publish({ event: 'asked', question: { id: 'q1', who: `slack:${ADA}`, from, ask } });
    await bed.pass(5);
    expect(shownBy(bed)).toEqual(['response_url']);
    return jsonOf(bed.slack.ephemerals(ADA)[0]);
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
    ['the state of things', { is: 'status' }, /No cluster|cluster/],
  ])('is answered with %s', async (_what, ask, expected) => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1-aaaa', bed.now());

    expect(await answered(bed, ask)).toMatch(expected);
  });

  it('that fits two cards is asked back', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1-aaaa', bed.now());
    await bed.records.open('i2', 'p1-abbb', bed.now());

    expect(await answered(bed, { is: 'show', id: 'p1-a' })).toMatch(/p1-aaaa, p1-abbb: write more of it/);
  });

  it.each([
    ['a guest', { is: 'no', because: 'the account is a guest' } as const],
    ['somebody who cannot be looked up', { is: 'unreadable', because: 'ECONNREFUSED' } as const],
  ])('of %s is not answered', async (_who, says) => {
    const directory: Directory = { isMember: async () => says, belongs: async () => says, fresh: () => directory };
    const bed = await wireBed({ directory });
    await bed.records.open('i1', 'p1-aaaa', bed.now());

    const body = await answered(bed, { is: 'show', id: 'p1-aaaa' });
    expect(body).toMatch(/only members of this workspace/);
    expect(body).not.toMatch(/gleaner:/);
  });
});
