import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsBy, stsClient } from './session.ts';

const asked: URLSearchParams[] = [];
let isRefused = false;
/** STS' query protocol, as far as AssumeRole goes. */
const server = createServer(async (request, response) => {
  const body = new URLSearchParams(await text(request));
  asked.push(body);
  response.writeHead(isRefused ? 403 : 200, { 'content-type': 'text/xml' });
  response.end(
    isRefused
      ? '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>swordfish</Message></Error><RequestId>r</RequestId></ErrorResponse>'
      : `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
          <AccessKeyId>AKIA</AccessKeyId><SecretAccessKey>s3cret</SecretAccessKey><SessionToken>token</SessionToken>
          <Expiration>2026-01-15T13:00:00Z</Expiration></Credentials></AssumeRoleResult>
          <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleResponse>`,
  );
});
let session: ReturnType<typeof sessionsBy>;
beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = Object(server.address());
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  session = sessionsBy({
    client: stsClient({ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials, maxAttempts: 1 }),
    ...{ role: 'arn:aws:iam::123456789012:role/edge', region: 'eu-central-1' },
    queues: {
      prefix: 'arn:aws:sqs:eu-central-1:123456789012:edge-',
      deadLetters: 'arn:aws:sqs:eu-central-1:123456789012:dead',
    },
    urls: { prefix: 'https://sqs.test/123456789012/edge-', deadLetters: 'https://sqs.test/123456789012/dead' },
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('A session of STS', () => {
  it('is for one cluster’s queue, for an hour', async () => {
    expect(await session('c1')).toEqual({
      ...{ accessKeyId: 'AKIA', secretAccessKey: 's3cret', sessionToken: 'token', region: 'eu-central-1' },
      expiration: '2026-01-15T13:00:00.000Z',
      ...{ queue: 'https://sqs.test/123456789012/edge-c1', deadLetters: 'https://sqs.test/123456789012/dead' },
    });
    const sent = asked.at(-1);
    expect(sent?.get('RoleSessionName')).toBe('edge-c1');
    expect(sent?.get('DurationSeconds')).toBe('3600');
    expect(JSON.parse(sent?.get('Policy') ?? '')).toMatchObject({
      Statement: [{ Resource: ['arn:aws:sqs:eu-central-1:123456789012:edge-c1'] }, { Action: ['sqs:SendMessage'] }],
    });
  });

  it('is never asked for without a policy that narrows it', async () => {
    const before = asked.length;
    await expect(session('*')).rejects.toThrow('no id of a cluster');
    expect(asked).toHaveLength(before);
  });

  it('says what to mend where STS gives none, and not what was asked', async () => {
    isRefused = true;
    await expect(session('c1')).rejects.toThrow(/AccessDenied\): check its trust/);
    await expect(session('c1')).rejects.not.toThrow(/swordfish/);
  });
});
