import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { type Connected, connect } from '../../shared/adapters/kubernetes/connect.ts';
import type { Touch } from '../../shared/ports/cluster.ts';
import { json, type Loopback, startLoopback, status, until } from './loopback.ts';

const clock = manualClock('2026-11-01T00:00:00Z');
const POOL = '/apis/loadbalancer.harvesterhci.io/v1beta1/ippools/p1';
const VM = '/apis/subresources.kubevirt.io/v1/namespaces/ns/virtualmachines/vm1';

let server: Loopback;
let cluster: Connected;
/** The pool as it stands on the server. */
let pool: { metadata: Record<string, unknown> } & Record<string, unknown>;
/** How the server answers the write. */
let answer: (response: ServerResponse) => void;

const apis: Readonly<Record<string, object>> = {
  '/apis/loadbalancer.harvesterhci.io/v1beta1': {
    kind: 'APIResourceList',
    resources: [{ name: 'ippools', kind: 'IPPool', namespaced: false }],
  },
  '/apis/kubevirt.io/v1': {
    kind: 'APIResourceList',
    resources: [{ name: 'virtualmachines', kind: 'VirtualMachine', namespaced: true }],
  },
  '/apis/subresources.kubevirt.io': {
    kind: 'APIGroup',
    versions: [{ groupVersion: 'subresources.kubevirt.io/v1' }],
    preferredVersion: { groupVersion: 'subresources.kubevirt.io/v1' },
  },
};

const target = { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool', name: 'p1' };
const guard = { uid: 'u1', resourceVersion: '7' };
const merge: Touch = { do: 'patch', target, guard, patch: { type: 'merge', body: { spec: { a: 1 } } } };
const operations = [{ op: 'add' as const, path: '/status', value: {} }];
const jsonPatch: Touch = { do: 'patch', target, guard, patch: { type: 'json', operations } };
const remove: Touch = { do: 'delete', target, guard };
const stop: Touch = {
  do: 'call',
  target: { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace: 'ns', name: 'vm1' },
  subresource: 'stop',
  body: { gracePeriod: 30 },
};

beforeEach(async () => {
  server = await startLoopback();
  pool = { apiVersion: target.apiVersion, kind: 'IPPool', metadata: { name: 'p1', uid: 'u1', resourceVersion: '7' } };
  answer = (response) => json(response, 200, { ...pool, metadata: { ...pool.metadata, resourceVersion: '8' } });
  server.handle = ({ method, path }, response) => {
    const api = apis[path];
    if (api) return json(response, 200, api);
    if (method === 'GET' && path === POOL) return json(response, 200, pool);
    if (method === 'GET') return false;
    answer(response);
    return true;
  };
  cluster = await connect({ kubeconfig: server.kubeconfig, clock });
});

afterEach(async () => {
  cluster.close();
  await server.stop();
});

const writes = () => server.requests.filter(({ method }) => method !== 'GET');
const says =
  (code: number, body: unknown, headers = {}) =>
  (response: ServerResponse): void =>
    void json(response, code, body, headers);
const plain =
  (code: number, text: string, headers = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, { 'Content-Type': 'text/plain', ...headers }).end(text);

describe('A touch is guarded', () => {
  it('by uid and resourceVersion in the body of a merge patch', async () => {
    const touched = await cluster.touch(merge);

    expect(touched).toMatchObject({ is: 'applied', object: { metadata: { resourceVersion: '8' } } });
    expect(writes()).toEqual([
      expect.objectContaining({
        ...{ method: 'PATCH', path: POOL, contentType: 'application/merge-patch+json' },
        body: { spec: { a: 1 }, metadata: { uid: 'u1', resourceVersion: '7' } },
      }),
    ]);
    expect(Object.fromEntries(writes()[0]?.query ?? [])).toEqual({
      fieldManager: 'gleaner',
      fieldValidation: 'Strict',
    });
  });

  it('by tests before the operations of a JSON patch', async () => {
    await cluster.touch(jsonPatch);

    expect(writes()[0]).toMatchObject({
      contentType: 'application/json-patch+json',
      body: [
        { op: 'test', path: '/metadata/uid', value: 'u1' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        ...operations,
      ],
    });
  });

  it('by the preconditions of a delete', async () => {
    answer = says(200, status(200, '', ''));

    expect(await cluster.touch(remove)).toEqual({ is: 'applied', object: undefined });
    expect(writes()[0]).toMatchObject({
      method: 'DELETE',
      body: { kind: 'DeleteOptions', preconditions: guard, propagationPolicy: 'Background' },
    });
    expect(writes()[0]?.body).not.toHaveProperty('dryRun');
  });

  it('by nothing where it calls a subresource of the aggregated API', async () => {
    answer = (response) => void response.writeHead(202).end();

    expect(await cluster.touch(stop)).toEqual({ is: 'applied', object: undefined });
    expect(writes()).toEqual([
      expect.objectContaining({ method: 'PUT', path: `${VM}/stop`, body: { gracePeriod: 30 } }),
    ]);
  });
});

describe('What becomes of a touch', () => {
  const conflict = status(409, 'Conflict', 'the object has been modified');
  const gone = status(404, 'NotFound', 'ippools "p1" not found');
  const budget = { causes: [{ reason: 'DisruptionBudget', message: 'needs 1 healthy pods' }] };
  const busy = status(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 });

  it.each([
    ['403', 'rejected', says(403, status(403, 'Forbidden', 'cannot patch'))],
    ['400', 'rejected', says(400, status(400, 'BadRequest', 'unknown field'))],
    ['422 with causes', 'rejected', says(422, status(422, 'Invalid', 'no', { causes: [{ field: 'spec.a' }] }))],
    ['an unserved path', 'rejected', plain(404, '404 page not found')],
    ['409', 'precondition-failed', says(409, conflict)],
    ['412', 'precondition-failed', says(412, conflict)],
    ['404', 'precondition-failed', says(404, gone)],
    [
      'another uid',
      'precondition-failed',
      says(422, status(422, 'Invalid', 'no', { causes: [{ field: 'metadata.uid', message: 'field is immutable' }] })),
    ],
    ['priority and fairness', 'throttled', plain(429, 'Too many requests, please try again later.')],
    ['a storage that starts', 'throttled', says(429, busy)],
    ['a disruption budget', 'throttled', says(429, status(429, 'TooManyRequests', 'Cannot evict', budget))],
    ['504', 'unknown', says(504, status(504, 'Timeout', 'context deadline exceeded'))],
    ['503', 'unknown', plain(503, 'no endpoints available')],
    ['a gateway', 'unknown', plain(502, '<html>Bad gateway</html>')],
    ['500 of another kind', 'unknown', says(500, status(500, '', 'etcdserver: request timed out'))],
    ['a reset', 'unknown', (response: ServerResponse): void => void response.destroy()],
  ] as const)('%s is %s, and it is sent once', async (_name, expected, given) => {
    answer = given;

    const touched = await cluster.touch(merge);

    expect(touched.is).toBe(expected);
    expect(writes()).toHaveLength(1);
  });

  it('tells how long the API server asks to wait', async () => {
    answer = plain(429, 'Too many requests, please try again later.', { 'Retry-After': '32' });

    expect(await cluster.touch(merge)).toMatchObject({ is: 'throttled', retryAfter: 32 });
  });

  it('is unknown when no answer comes in time', async () => {
    answer = () => {};
    let touched: string | undefined;

    void cluster.touch(merge).then(({ is }) => (touched = is));
    await until(
      'the touch',
      () => touched !== undefined,
      () => writes().length > 0 && clock.advance(1_000),
    );

    expect(touched).toBe('unknown');
    expect(writes()).toHaveLength(1);
  });

  it('is definitely nothing when no connection could be made', async () => {
    await cluster.touch(merge);
    await server.stop();
    await cluster.read(target);

    const touched = await cluster.touch(merge);

    expect(touched).toMatchObject({ is: 'throttled', because: expect.stringContaining('nothing was sent') });
    server = await startLoopback();
  });
});

describe('A bare 422 of a JSON patch', () => {
  beforeEach(() => {
    answer = says(422, status(422, 'Invalid', 'the server rejected our request due to an error in our request'));
  });

  it('is a lost guard where the object has changed', async () => {
    pool = { ...pool, metadata: { ...pool.metadata, resourceVersion: '9' } };

    expect(await cluster.touch(jsonPatch)).toMatchObject({ is: 'precondition-failed' });
  });

  it('is a refusal where the object has not', async () => {
    expect(await cluster.touch(jsonPatch)).toMatchObject({ is: 'rejected', code: 422 });
  });
});

describe('A 500 that the API server explains, as for a dead admission webhook', () => {
  beforeEach(() => {
    const message = 'failed calling webhook "check.example": connection refused';
    answer = says(500, status(500, 'InternalError', message, { causes: [{ message }] }));
  });

  it('is a refusal where the object is untouched', async () => {
    expect(await cluster.touch(merge)).toMatchObject({ is: 'rejected', code: 500 });
  });

  it('is unknown where the object is another than before', async () => {
    pool = { ...pool, metadata: { ...pool.metadata, resourceVersion: '9' } };

    expect(await cluster.touch(merge)).toMatchObject({ is: 'unknown' });
  });
});

describe('A dry run', () => {
  it('shows what would change, without what every write changes', async () => {
    pool = { ...pool, spec: { a: 0, b: [1, 2] } };
    answer = says(200, {
      ...pool,
      metadata: { ...pool.metadata, resourceVersion: '8', generation: 2, managedFields: [{}] },
      spec: { a: 1, b: [2] },
      status: { 'x/y': 1 },
    });

    expect(await cluster.dryRun(merge)).toEqual({
      is: 'would-change',
      differences: [
        { path: '/spec/a', before: 0, after: 1 },
        { path: '/spec/b', before: [1, 2], after: [2] },
        { path: '/status', after: { 'x/y': 1 } },
      ],
    });
    expect(writes()[0]?.query.get('dryRun')).toBe('All');
  });

  it('says that it is so already', async () => {
    expect(await cluster.dryRun(merge)).toEqual({ is: 'already-so' });
  });

  it('of a delete stands in the body alone', async () => {
    answer = says(200, status(200, '', ''));

    expect(await cluster.dryRun(remove)).toMatchObject({ is: 'would-change' });
    expect(writes()[0]).toMatchObject({ method: 'DELETE', body: { dryRun: ['All'], preconditions: guard } });
    expect([...(writes()[0]?.query.keys() ?? [])]).toEqual([]);
  });

  it('of a call stands in the body', async () => {
    answer = (response) => void response.writeHead(202).end();

    expect(await cluster.dryRun(stop)).toMatchObject({ is: 'would-change' });
    expect(writes()[0]?.body).toEqual({ gracePeriod: 30, dryRun: ['All'] });
  });

  it('of a call that has no dry run is never tried', async () => {
    expect(await cluster.dryRun({ ...stop, subresource: 'removevolume' })).toMatchObject({ is: 'not-tried' });
    expect(writes()).toEqual([]);
  });

  it('is not refused by a heartbeat that came between', async () => {
    let tries = 0;
    answer = (response) => {
      tries += 1;
      if (tries === 1) says(409, status(409, 'Conflict', 'the object has been modified'))(response);
      else json(response, 200, { ...pool, spec: { a: 1 } });
    };

    expect(await cluster.dryRun(merge)).toMatchObject({ is: 'would-change' });
  });

  it('tells an object of the same name from the one that was meant', async () => {
    pool = { ...pool, metadata: { ...pool.metadata, uid: 'u2' } };

    expect(await cluster.dryRun(merge)).toMatchObject({
      is: 'blocked',
      because: expect.stringContaining('created again'),
    });
    expect(writes()).toEqual([]);
  });
});

describe('What is told of a refusal', () => {
  it('holds neither the object that a strict validation embeds nor the credentials', async () => {
    const embedded = JSON.stringify(JSON.stringify({ data: { password: 'canary "quoted" \\ end' } }));
    const message = `Invalid value: ${embedded}: strict decoding error: unknown field "spec.foo"`;
    answer = says(
      422,
      status(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
        causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
      }),
    );

    const touched = await cluster.touch(merge);

    expect(JSON.stringify(touched)).not.toMatch(/canary|password/);
    expect(touched).toMatchObject({ because: expect.stringContaining('unknown field "spec.foo"') });
  });
});
