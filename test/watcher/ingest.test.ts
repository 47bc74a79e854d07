import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type ManualClock, manualClock } from '../../shared/adapters/clock/manual.ts';
import { ingestAddress, ingestBus, Later } from '../../shared/adapters/ingest/bus.ts';
import { keysIn, signatures } from '../../shared/adapters/ingest/signature.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../shared/adapters/sqlite/store.ts';
import type { Fact } from '../../shared/model.ts';
import { ingest, lambdaIngest, OBSERVATIONS } from '../../shared/runtime/ingest/ingest.ts';
import { verify } from '../../shared/runtime/ingest/verify.ts';
import { portOf } from '../kubernetes/loopback.ts';

const NOW = '2026-11-21T14:00:00.000Z';
const keyOf = (seed: string) => `whsec_${createHmac('sha256', 'test').update(seed).digest('base64')}`;
const [KEY, FORMER, OTHERS] = [keyOf('own'), keyOf('former'), keyOf('other')];
const beat: Fact = { event: 'beat', cluster: 'c1', name: 'one', flavour: 'harvester', version: '0.1.0' };
const observed: Fact = { event: 'observed', cluster: 'c1', mode: 'm', because: 'changed', objects: [] };

interface Bed {
  readonly clock: ManualClock;
  readonly published: Fact[];
  readonly logged: string[];
  keys: Record<string, readonly string[]>;
  fail: Error | undefined;
  readonly options: Parameters<typeof ingest>[0];
}

function bedOf(): Bed {
  const clock = manualClock(NOW);
  const store = sqliteStore(openDatabase(':memory:'));
  const [published, logged]: [Fact[], string[]] = [[], []];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const bed: Bed = {
    ...{ clock, published, logged, fail: undefined, keys: { c1: [KEY, FORMER], c2: [OTHERS] } },
    options: {
      log: { info: note, warn: note, error: note },
      open: async () => ({
        ...{ store, clock },
        keys: async (cluster) => bed.keys[cluster],
        bus: {
          async publish(outgoing) {
            if (bed.fail) throw bed.fail;
            published.push(...outgoing.map(({ fact }) => fact));
          },
        },
      }),
    },
  };
  return bed;
}

interface Post {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  readonly key?: string;
  readonly id?: string;
  readonly at?: string;
  readonly cluster?: string;
}

let nth = 0;

function postTo(bed: Bed, post: Post = {}): Promise<Response> {
  const { key = KEY, at = NOW, cluster = 'c1', body = JSON.stringify({ schema: 1, facts: [beat] }) } = post;
  nth += 1;
  const { id = `msg_${String(nth).padStart(8, '0')}` } = post;
  const timestamp = Math.floor(Date.parse(at) / 1000);
  const headers = {
    ...{ 'content-type': 'application/json', 'gleaner-cluster': cluster, 'webhook-id': id },
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures(
      [key],
      id,
      timestamp,
      Buffer.from(body).toString('latin1') === body ? String(body) : Buffer.from(body).toString(),
    ),
    ...post.headers,
  };
  return Promise.resolve(ingest(bed.options).request(OBSERVATIONS, { method: 'POST', headers, body }));
}

const Problem = z.object({ type: z.string(), title: z.string(), status: z.number(), detail: z.string() });

async function problemOf(response: Response): Promise<string> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { status, title, detail, type } = Problem.parse(await response.json());
  expect(status).toBe(response.status);
  expect(type).toMatch(/^urn:gleaner:problem:/);
  expect(`${title} ${detail}`).not.toMatch(/\bat .*:\d+:\d+|whsec_/);
  return detail;
}

describe('A signature', () => {
  it('is the one that Standard Webhooks publishes as its example', () => {
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const [id, at, body] = ['msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}'];

    const signature = signatures([key], id, at, body);

    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    const signed = { id, timestamp: String(at), signature };
    expect(verify(signed, Buffer.from(body), [key], new Date(at * 1000))).toEqual({ ok: true });
  });

  it('fits whatever is signed, and nothing else', () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
    fc.assert(
      fc.property(bytes, bytes, fc.string({ unit: 'binary' }), fc.nat(200), (a, b, body, at) => {
        const [key, other] = [a, b].map((secret) => `whsec_${Buffer.from(secret).toString('base64')}`);
        const now = new Date(1_800_000_000_000 + at * 1000);
        const timestamp = 1_800_000_000;
        const signed = { id: 'msg_12345678', timestamp: String(timestamp) };
        const signature = signatures([key ?? ''], signed.id, timestamp, body);
        const sent = Buffer.from(body);

        expect(verify({ ...signed, signature }, sent, [other ?? '', key ?? ''], now).ok).toBe(true);
        expect(verify({ ...signed, signature }, Buffer.concat([sent, Buffer.from(' ')]), [key ?? ''], now).ok).toBe(
          false,
        );
        expect(verify({ ...signed, id: 'msg_12345679', signature }, sent, [key ?? ''], now).ok).toBe(false);
        expect(verify({ ...signed, signature }, sent, [], now).ok).toBe(false);
        if (key !== other) expect(verify({ ...signed, signature }, sent, [other ?? ''], now).ok).toBe(false);
      }),
    );
  });

  it('takes keys of 24 to 64 bytes, and says nothing of one that is none', () => {
    expect(keysIn(` ${KEY}\n${FORMER}\n`)).toEqual([KEY, FORMER]);
    for (const wrong of ['', 'whsec_', 'whsec_c2hvcnQ=', 'secret-canary', `whsec_${'A'.repeat(200)}`]) {
      expect(() => keysIn(wrong)).toThrow(/key/);
      expect(() => keysIn(wrong)).not.toThrow(/canary|c2hv/);
    }
  });
});

describe('The ingest', () => {
  it('takes what a cluster signs with any of its keys, and publishes it', async () => {
    const bed = bedOf();

    const answers = [await postTo(bed), await postTo(bed, { key: FORMER })];

    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(bed.published).toEqual([beat, beat]);
  });

  it.each([
    ['signed by another cluster', { key: OTHERS }],
    ['of a cluster that nobody registered', { cluster: 'nobody' }],
    ['five minutes and a second old', { at: '2026-11-21T13:54:59.000Z' }],
    ['five minutes and a second ahead', { at: '2026-11-21T14:05:01.000Z' }],
    ['without a signature', { headers: { 'webhook-signature': '' } }],
    ['with an odd id', { id: 'a b' }],
    ['with two ids', { headers: { 'webhook-id': 'msg_00000001, msg_00000002' } }],
    ['with a signature of another version', { headers: { 'webhook-signature': 'v1a,aaaa' } }],
    ['with a cluster that is no id', { cluster: '../c1' }],
  ] as const)('refuses a post %s with 401, and nothing follows', async (_, post) => {
    const bed = bedOf();

    const answer = await postTo(bed, post);

    expect(answer.status).toBe(401);
    await problemOf(answer);
    expect(bed.published).toEqual([]);
  });

  it('tells a sender whose clock is wrong which way, once its signature fits', async () => {
    const bed = bedOf();

    expect(await problemOf(await postTo(bed, { at: '2026-11-21T13:50:00.000Z' }))).toContain('behind ours');
    expect(await problemOf(await postTo(bed, { at: '2026-11-21T14:10:00.000Z' }))).toContain('ahead of ours');
    expect((await postTo(bed, { at: '2026-11-21T13:55:00.000Z' })).status).toBe(202);
    expect((await postTo(bed, { at: '2026-11-21T14:05:00.000Z' })).status).toBe(202);
  });

  it('takes a webhook-id once, of each cluster', async () => {
    const bed = bedOf();

    const first = await postTo(bed, { id: 'msg_same_same' });
    const again = await postTo(bed, { id: 'msg_same_same' });
    const others = await postTo(bed, {
      ...{ id: 'msg_same_same', cluster: 'c2', key: OTHERS },
      body: JSON.stringify({ schema: 1, facts: [{ ...beat, cluster: 'c2' }] }),
    });

    expect([first.status, again.status, others.status]).toEqual([202, 409, 202]);
    expect(bed.published).toHaveLength(2);
  });

  it('asks for it again where it could not be published, and then takes it', async () => {
    const bed = bedOf();
    bed.fail = new Error('the bus is down: secret-canary');

    const refused = await postTo(bed, { id: 'msg_again_again' });
    bed.fail = undefined;
    const taken = await postTo(bed, { id: 'msg_again_again' });

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.text()).not.toContain('canary');
    expect(taken.status).toBe(202);
    expect(bed.published).toEqual([beat]);
  });

  it.each([
    ['of another cluster', [{ ...beat, cluster: 'c2' }]],
    ['partly of another cluster', [beat, { ...observed, cluster: 'c2' }]],
    ['that is no business of a watcher', [{ event: 'decided', proposal: 'p', because: 'x' }]],
    ['with a click that rides along', [{ ...observed, asked: { id: '1', who: 'local:mallory', choice: 'approve' } }]],
    [
      'with a resource version',
      [{ ...observed, objects: [{ apiVersion: 'v1', kind: 'Node', name: 'n', resourceVersion: '1' }] }],
    ],
    ['with endless text', [{ ...observed, because: 'x'.repeat(1_001) }]],
    [
      'with too many objects',
      [{ ...observed, objects: Array(51).fill({ apiVersion: 'v1', kind: 'Node', name: 'n' }) }],
    ],
    ['that is none', []],
  ])('refuses a fact %s with 422', async (_, facts) => {
    const bed = bedOf();

    const answer = await postTo(bed, { body: JSON.stringify({ schema: 1, facts }) });

    expect(answer.status).toBe(422);
    await problemOf(answer);
    expect(bed.published).toEqual([]);
  });

  it.each([
    ['{', 422],
    ['"text"', 422],
    ['{"schema":2,"facts":[]}', 422],
    [Uint8Array.from([0x22, 0xff, 0x22]), 401],
    [`"${'x'.repeat(256 * 1024)}"`, 413],
  ])('refuses a body that is no post: case %#', async (body, status) => {
    const answer = await postTo(bedOf(), { body });

    expect(answer.status).toBe(status);
    await problemOf(answer);
  });

  it('refuses what is not plain JSON with 415, and other methods and places', async () => {
    const bed = bedOf();
    const app = ingest(bed.options);

    const answers = [
      await postTo(bed, { headers: { 'content-type': 'text/plain' } }),
      await postTo(bed, { headers: { 'content-encoding': 'gzip' } }),
      await app.request(OBSERVATIONS),
      await app.request('/v1/else', { method: 'POST' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([415, 415, 405, 404]);
  });

  it("lets one cluster's flood pass nothing but its own share", async () => {
    const bed = bedOf();
    const app = ingest(bed.options);
    const send = (cluster: string, key: string, id: string) => {
      const body = JSON.stringify({ schema: 1, facts: [{ ...beat, cluster }] });
      const at = Math.floor(bed.clock.now().getTime() / 1000);
      return app.request(OBSERVATIONS, {
        ...{ method: 'POST', body },
        headers: {
          ...{ 'content-type': 'application/json', 'gleaner-cluster': cluster, 'webhook-id': id },
          ...{ 'webhook-timestamp': String(at), 'webhook-signature': signatures([key], id, at, body) },
        },
      });
    };

    const flood = await Promise.all(Array.from({ length: 200 }, (_, index) => send('c1', KEY, `msg_flood_${index}`)));
    const forged = await Promise.all(Array.from({ length: 200 }, (_, index) => send('c2', KEY, `msg_forged_${index}`)));
    const other = await send('c2', OTHERS, 'msg_the_other');
    const refused = flood.filter(({ status }) => status === 429);
    bed.clock.advance(1_000);
    const later = await send('c1', KEY, 'msg_a_second_later');

    expect(flood.filter(({ status }) => status === 202)).toHaveLength(60);
    expect(refused).toHaveLength(140);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(forged.every(({ status }) => status === 401)).toBe(true);
    expect([other.status, later.status]).toEqual([202, 202]);
  });

  it('logs neither keys nor bodies', async () => {
    const bed = bedOf();
    await postTo(bed, { body: '{"canary":"secret-canary"}' });
    await postTo(bed, { key: OTHERS, body: '{"canary":"secret-canary"}' });

    expect(bed.logged).toHaveLength(2);
    expect(bed.logged.join('\n')).not.toMatch(/canary|whsec_|v1,/);
  });

  it('is the same behind an HTTP API, also for a body that came as base64', async () => {
    const bed = bedOf();
    const handler = lambdaIngest(bed.options);
    const body = JSON.stringify({ schema: 1, facts: [{ ...observed, because: 'geändert – früh' }] });
    const at = Math.floor(Date.parse(NOW) / 1000);
    const event = {
      ...{ version: '2.0', rawPath: OBSERVATIONS, requestContext: { http: { method: 'POST' } } },
      headers: {
        ...{ 'content-type': 'application/json', 'gleaner-cluster': 'c1', 'webhook-id': 'msg_lambda_1' },
        ...{ 'webhook-timestamp': String(at), 'webhook-signature': signatures([KEY], 'msg_lambda_1', at, body) },
      },
      ...{ body: Buffer.from(body).toString('base64'), isBase64Encoded: true },
    };

    expect(await handler(event)).toMatchObject({ statusCode: 202 });
    expect(await handler({ nonsense: true })).toMatchObject({ statusCode: 400 });
    expect(bed.published).toMatchObject([{ because: 'geändert – früh' }]);
  });
});

describe("A watcher's bus over HTTPS", () => {
  let [bed, server, url, lost]: [Bed, Server | undefined, URL, number] = [
    bedOf(),
    undefined,
    new URL('http://localhost'),
    0,
  ];

  beforeEach(async () => {
    [bed, lost] = [bedOf(), 0];
    const listen = getRequestListener(ingest(bed.options).fetch);
    server = createServer((request, response) => {
      // Taken, and the answer lost on its way.
      if (lost-- > 0) response.end = () => response.destroy();
      void listen(request, response);
    });
    await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
    url = ingestAddress(`http://127.0.0.1:${portOf(server.address())}${OBSERVATIONS}`);
  });
  afterEach(() => void server?.close());

  const through = <T>(act: (signal: AbortSignal) => Promise<T>) => act(new AbortController().signal);
  const busOf = (keys: readonly string[] = [KEY], clock = bed.clock) =>
    ingestBus({ url, cluster: 'c1', keys: async () => keys, clock, through });

  it('hands over what the ingest then publishes', async () => {
    await busOf().publish([{ fact: beat }, { fact: observed }]);

    expect(bed.published).toEqual([beat, observed]);
  });

  it('goes on while keys change, whoever has the newer ones', async () => {
    bed.keys = { c1: [KEY] };
    await busOf([FORMER, KEY]).publish([{ fact: beat }]);
    bed.keys = { c1: [FORMER, KEY] };
    await busOf([FORMER]).publish([{ fact: beat }]);

    expect(bed.published).toHaveLength(2);
  });

  it('sends again what is not known to have arrived under the same id: it is taken once', async () => {
    const bus = busOf();
    lost = 1;

    await expect(bus.publish([{ fact: observed }])).rejects.toThrow(/cannot be reached: ECONNRESET/);
    await bus.publish([{ fact: observed }]);
    await bus.publish([{ fact: observed }]);

    expect(bed.published).toEqual([observed, observed]);
  });

  it('says why it was refused, and how long to wait', async () => {
    const slow = manualClock('2026-11-21T13:50:00.000Z');

    await expect(busOf([OTHERS]).publish([{ fact: beat }])).rejects.toThrow(/answered 401: no signature fits/);
    await expect(busOf([KEY], slow).publish([{ fact: beat }])).rejects.toThrow(/behind ours/);
    bed.fail = new Error('down');
    const failure = await busOf()
      .publish([{ fact: beat }])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Later);
    expect(failure).toMatchObject({ retryAfter: 5 });
  });

  it('sends nothing for later, nor in clear to anywhere but this machine', async () => {
    await expect(busOf().publish([{ fact: beat, after: 1 }])).rejects.toThrow(/later/);
    for (const wrong of ['http://gleaner.example.com/v1/observations', 'ftp://x', 'https://user:pw@x/', 'x'])
      expect(() => ingestAddress(wrong)).toThrow(/no address of an ingest/);
  });
});
