import { describe, expect, it } from 'vitest';
import { INTERACTIONS, lambdaInteract } from './interact.ts';

const LOG = { info() {}, warn() {}, error() {} };
const EVENT = {
  ...{ version: '2.0', rawPath: INTERACTIONS, headers: { 'x-slack-signature': 'v0=a' } },
  ...{ requestContext: { http: { method: 'POST' } }, body: 'a=b', isBase64Encoded: false },
};

const echo = { receive: async (request: Request) => new Response(await request.bytes(), { status: 202 }) };

describe('The function for Slack', () => {
  it.each([
    ['text', { body: 'payload=é', isBase64Encoded: false }, 'payload=é'],
    ['base64', { body: Buffer.from('payload=é\r\n🙂').toString('base64'), isBase64Encoded: true }, 'payload=é\r\n🙂'],
    ['nothing', { body: undefined }, ''],
  ])('hands on the very bytes that came as %s', async (_how, set, text) => {
    const handler = lambdaInteract(async () => echo, LOG);

    expect(await handler({ ...EVENT, ...set })).toMatchObject({ statusCode: 202, body: text });
  });

  it.each([
    ['no event', undefined],
    ['an event of the former format', { ...EVENT, version: '1.0' }],
    ['a header that HTTP does not know', { ...EVENT, headers: { 'x\ny': 'z' } }],
    ['a method that HTTP does not know', { ...EVENT, requestContext: { http: { method: 'PO ST' } } }],
  ])('answers %s with 400', async (_what, event) => {
    const handler = lambdaInteract(async () => echo, LOG);

    expect(await handler(event)).toMatchObject({ statusCode: 400 });
  });

  it('opens its world at the first request, and anew where that failed', async () => {
    let opened = 0;
    const handler = lambdaInteract(async () => {
      opened += 1;
      if (opened === 1) throw new Error('no such table: xoxb-secret');
      return echo;
    }, LOG);

    const answers = [await handler(EVENT), await handler(EVENT), await handler(EVENT)];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 202, 202]);
    expect(answers[0]?.body).toBe('Not available now.\n');
    expect(opened).toBe(2);
  });
});
