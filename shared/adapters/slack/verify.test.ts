import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGEST, type Verified, verify } from './verify.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const SECONDS = 1_768_478_400;
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const BODY = Buffer.from('payload=%7B%22a%22%3A%22%C3%A9%22%7D');
const FORM = 'application/x-www-form-urlencoded';

const sign = (secret: string, timestamp: number | string, body: Uint8Array) =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;

interface Made {
  readonly secret?: string;
  readonly timestamp?: number | string;
  readonly body?: Uint8Array;
  readonly set?: Record<string, string>;
  readonly also?: readonly [string, string];
  readonly without?: string;
}

function requestOf({
  secret = SECRET,
  timestamp = SECONDS,
  body = BODY,
  set,
  also,
  without,
}: Made = {}): [Headers, Uint8Array] {
  const headers = new Headers({
    'content-type': FORM,
    'x-slack-request-timestamp': String(timestamp),
    'x-slack-signature': sign(secret, timestamp, body),
    ...set,
  });
  if (also) headers.append(...also);
  if (without !== undefined) headers.delete(without);
  return [headers, body];
}

const look = (made: Made = {}, secrets: Parameters<typeof verify>[0] = { current: SECRET }): Verified =>
  verify(secrets, NOW, ...requestOf(made));

describe('A request that Slack signed', () => {
  it("is genuine, by the numbers of Slack's own example", () => {
    // docs.slack.dev/authentication/verifying-requests-from-slack
    const body = Buffer.from(
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    );
    const headers = new Headers({
      'content-type': FORM,
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    });

    const verdict = verify({ current: SECRET }, new Date(1_531_420_618_000), headers, body);

    expect(verdict.is).toBe('genuine');
  });

  it.each([
    ['now', SECONDS],
    ['five minutes ago', SECONDS - 300],
    ['five minutes from now, by a clock that is ahead', SECONDS + 300],
  ])('%s is genuine', (_when, timestamp) => {
    expect(look({ timestamp }).is).toBe('genuine');
  });

  it.each([
    ['with a character set', `${FORM}; charset=utf-8`],
    ['in capitals', 'APPLICATION/X-WWW-FORM-URLENCODED'],
    ['of JSON', 'application/json;charset=UTF-8'],
  ])('is genuine %s', (_what, type) => {
    expect(look({ set: { 'content-type': type } }).is).toBe('genuine');
  });

  it('is genuine with the former secret while the two are exchanged, and not after', () => {
    const made = { secret: 'the-former-secret' };

    expect(look(made, { current: SECRET, former: 'the-former-secret' }).is).toBe('genuine');
    expect(look(made)).toMatchObject({ is: 'refused', status: 401, kind: 'forged' });
  });

  it('has the same key whenever it comes, and another request another one', () => {
    const keyOf = (verdict: Verified) => (verdict.is === 'genuine' ? verdict.key : verdict.kind);

    expect(keyOf(look())).toBe(keyOf(look()));
    expect(keyOf(look())).not.toBe(keyOf(look({ timestamp: SECONDS + 1 })));
    expect(keyOf(look())).not.toContain(sign(SECRET, SECONDS, BODY).slice(3, 20));
  });
});

describe('A request is refused', () => {
  it.each<[string, Made, number, string]>([
    ['that was signed five minutes and a second ago', { timestamp: SECONDS - 301 }, 401, 'stale'],
    ['that is signed for five minutes and a second from now', { timestamp: SECONDS + 301 }, 401, 'stale'],
    ['without a signature', { without: 'x-slack-signature' }, 401, 'unsigned'],
    ['without a time of signing', { without: 'x-slack-request-timestamp' }, 401, 'unsigned'],
    ['with an empty signature', { set: { 'x-slack-signature': '' } }, 401, 'unsigned'],
    ['with its signature twice', { also: ['x-slack-signature', sign(SECRET, SECONDS, BODY)] }, 401, 'unsigned'],
    ['with two times of signing', { also: ['x-slack-request-timestamp', String(SECONDS)] }, 401, 'unsigned'],
    ['with a signature of another version', { set: { 'x-slack-signature': `v1=${'0'.repeat(64)}` } }, 401, 'unsigned'],
    ['with a time that is no number', { set: { 'x-slack-request-timestamp': 'now' } }, 401, 'unsigned'],
    ['with a time that is a fraction', { timestamp: `${SECONDS}.5` }, 401, 'unsigned'],
    ['with a time before 1970', { timestamp: -SECONDS }, 401, 'unsigned'],
    ['that somebody else signed', { secret: 'guessed' }, 401, 'forged'],
    ['whose time was changed', { set: { 'x-slack-request-timestamp': String(SECONDS + 1) } }, 401, 'forged'],
    ['of a content type that Slack does not send', { set: { 'content-type': 'text/plain' } }, 415, 'media-type'],
    ['with two content types', { also: ['content-type', 'application/json'] }, 415, 'media-type'],
    ['without a content type', { without: 'content-type' }, 415, 'media-type'],
    ['that is compressed', { set: { 'content-encoding': 'gzip' } }, 415, 'encoded'],
    ['that is compressed twice', { set: { 'content-encoding': 'identity, gzip' } }, 415, 'encoded'],
    ['of more than 1 MiB', { body: new Uint8Array(LARGEST + 1) }, 413, 'too-large'],
  ])('%s', (_what, made, status, kind) => {
    expect(look(made)).toMatchObject({ is: 'refused', status, kind });
  });

  it('where no secret is set, whatever it is signed with', () => {
    expect(look({ secret: '' }, { current: '' })).toMatchObject({ status: 401 });
    expect(look({ secret: '' }, { current: SECRET, former: '' })).toMatchObject({ status: 401 });
  });

  it('whose body was re-encoded: the bytes were signed, not what they mean', () => {
    const [headers] = requestOf();

    expect(verify({ current: SECRET }, NOW, headers, Buffer.from('payload={"a":"é"}'))).toMatchObject({
      kind: 'forged',
    });
  });

  it('after a change of any one bit of its body, its time or its signature', () => {
    const [headers, body] = requestOf();
    const flipped = (bytes: Uint8Array, bit: number) => {
      const copy = Buffer.from(bytes);
      const at = (bit >> 3) % copy.length;
      copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
      return copy;
    };
    fc.assert(
      fc.property(fc.constantFrom('body', 'x-slack-signature', 'x-slack-request-timestamp'), fc.nat(), (where, bit) => {
        const changed = new Headers(headers);
        if (where !== 'body') {
          const value = flipped(Buffer.from(headers.get(where) ?? ''), bit).toString('latin1');
          fc.pre(/^[\x21-\x7e]+$/.test(value));
          changed.set(where, value);
        }
        const verdict = verify({ current: SECRET }, NOW, changed, where === 'body' ? flipped(body, bit) : body);

        expect(verdict).toMatchObject({ is: 'refused', status: 401 });
      }),
      { numRuns: 500 },
    );
  });

  it('never with anything of its body, its signature or the secret in the reason', () => {
    const kinds: Made[] = [
      { secret: 'x' },
      { timestamp: 1 },
      { without: 'x-slack-signature' },
      { body: new Uint8Array(LARGEST + 1) },
    ];
    for (const made of kinds) {
      const text = JSON.stringify(look(made));

      expect(text).not.toMatch(/v0=|payload|8f742231/);
    }
  });
});
