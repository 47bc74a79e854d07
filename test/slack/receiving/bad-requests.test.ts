import { beforeAll, describe, expect, it } from 'vitest';
import type { Card } from '../../../shared/card.ts';
import { ADA, type Forge, signatureOf } from '../../doubles/slack/index.ts';
import { everyState } from '../states.ts';
import { receivingBed } from './bed.ts';

const APPROVE = 'gleaner:approve:0';
let open: Card;

beforeAll(async () => {
  const card = (await everyState()).open?.card;
  if (!card) throw new Error('there is no open card');
  open = card;
});

const seconds = () => Math.floor(Date.now() / 1000);

/** What arrives, the answer's status, and how it is counted. */
const BAD: readonly (readonly [string, (secret: string) => Forge, number, string])[] = [
  ['unsigned', () => ({ signature: [] }), 401, 'unsigned'],
  ['signed by somebody else', () => ({ secret: 'guessed' }), 401, 'forged'],
  ['signed twice', () => ({ signature: ['v0=1', 'v0=2'] }), 401, 'unsigned'],
  ['with two times of signing', () => ({ timestamps: [String(seconds()), String(seconds())] }), 401, 'unsigned'],
  ['signed five minutes ago and a little', () => ({ timestamp: seconds() - 302 }), 401, 'stale'],
  ['signed for an hour from now', () => ({ timestamp: seconds() + 3_600 }), 401, 'stale'],
  ['changed on its way', () => ({ tamper: (body) => Buffer.concat([body, Buffer.from('&a=b')]) }), 401, 'forged'],
  [
    'decoded and encoded anew',
    () => ({ tamper: (body) => Buffer.from(decodeURIComponent(body.toString())) }),
    401,
    'forged',
  ],
  ['compressed', () => ({ gzip: true }), 415, 'encoded'],
  ['a bomb of zeros, compressed', () => ({ gzip: true, rewrite: () => Buffer.alloc(8_000_000) }), 415, 'encoded'],
  ['of another content type', () => ({ contentType: 'text/plain' }), 415, 'media-type'],
  ['of more than 1 MiB', () => ({ rewrite: (body) => `${body}&x=${'x'.repeat(1_100_000)}` }), 413, 'too-large'],
  ['signed, and no JSON', () => ({ rewrite: () => 'payload=%7B' }), 400, 'malformed'],
  ['signed, and a list', () => ({ rewrite: () => 'payload=%5B%5D' }), 400, 'malformed'],
  ['signed, with two payloads', () => ({ rewrite: (body) => `${body}&${body}` }), 400, 'malformed'],
  ['signed, and no UTF-8', () => ({ rewrite: () => Buffer.from([0xff, 0xfe, 0x00]) }), 400, 'malformed'],
  [
    'signed, and nobody knows what',
    () => ({ rewrite: () => 'payload=%7B%22type%22%3A%22other%22%7D' }),
    200,
    'unknown',
  ],
  [
    'signed, of an attachment of old',
    () => ({ rewrite: () => 'payload=%7B%22type%22%3A%22block_actions%22%7D' }),
    200,
    'unknown',
  ],
];

describe.each(['https', 'lambda'] as const)('A request over %s', (transport) => {
  it.each(BAD)(
    '%s has no effect; it is counted and written down, and its sender learns nothing',
    async (_what, forge, status, kind) => {
      const bed = await receivingBed(transport, { cards: [open] });
      const message = await bed.show(open);

      const delivery = await bed.slack.click(message, APPROVE, ADA, { forge: forge(bed.slack.signingSecret) });

      expect(delivery.status).toBe(status);
      expect(bed.published).toEqual([]);
      expect(bed.refused).toEqual([kind]);
      const [line = ''] = await bed.audited();
      expect(JSON.parse(line)).toMatchObject({ event: 'not-taken', kind });
      expect(delivery.body).not.toMatch(/ at |Error|node_modules|\.ts/);
      for (const said of [line, delivery.body, ...bed.warnings]) {
        expect(said).not.toContain(bed.slack.signingSecret);
        expect(said).not.toMatch(/v0=|trigger_id|response_url|xoxb-/);
      }
    },
  );

  it('that comes again within its five minutes is answered and has no effect', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    const { request } = await bed.slack.click(message, APPROVE, ADA);
    if (!request) throw new Error('nothing was sent over HTTP');

    const again = await Promise.all(Array.from({ length: 5 }, () => bed.slack.replay(request)));

    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(bed.clicks()).toHaveLength(1);
    expect(bed.refused).toEqual(Array(5).fill('replayed'));
  });

  it('that comes again to a process which never saw it has no effect: its click has a receipt', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    const { request } = await bed.slack.click(message, APPROVE, ADA);
    if (!request) throw new Error('nothing was sent over HTTP');
    const body = request.body;
    const timestamp = seconds() - 1;
    const signature = signatureOf(bed.slack.signingSecret, timestamp, body);

    const again = await bed.slack.replay({
      body,
      headers: [
        ['content-type', 'application/x-www-form-urlencoded; charset=utf-8'],
        ['x-slack-request-timestamp', String(timestamp)],
        ['x-slack-signature', signature],
      ],
    });

    expect(again.status).toBe(200);
    expect(bed.clicks()).toHaveLength(1);
    expect(bed.refused).toEqual([]);
  });

  it('is taken with the former secret while the two are exchanged', async () => {
    const bed = await receivingBed(transport, { cards: [open], formerSecret: 'the-former-one' });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, APPROVE, ADA, { forge: { secret: 'the-former-one' } });

    expect(delivery.acknowledged).toBe(true);
    expect(bed.clicks()).toHaveLength(1);
  });

  it('of text beyond ASCII is read as it was written', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    await bed.slack.click(message, 'gleaner:reject:0', ADA);
    const view = bed.slack.openView(ADA);
    if (!view) throw new Error('no form was opened');

    await bed.slack.submit(view, { 'gleaner:reason:text': 'später – 後で 🙂 "quoted"' });

    expect(bed.clicks()).toMatchObject([{ reason: 'später – 後で 🙂 "quoted"' }]);
  });

  it('as Slack looks at the address with is answered', async () => {
    const bed = await receivingBed(transport);
    const url = String(bed.slack.target);

    const probe = await bed.slack.command('/gleaner', '', ADA, { forge: { rewrite: () => 'ssl_check=1&token=x' } });

    expect(probe).toMatchObject({ status: 200, body: '' });
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(`${url}/other`, { method: 'POST' })).status).toBe(404);
  });
});
