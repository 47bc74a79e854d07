import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../shared/adapters/clock/manual.ts';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { type Connected, connect } from '../../shared/adapters/kubernetes/connect.ts';
import { GRACE } from '../../shared/adapters/kubernetes/grace.ts';
import type { Look } from '../../shared/handler.ts';
import { ConfigMap, Job, Node, Pod } from '../../shared/kinds.ts';
import { json, type Loopback, startLoopback, status, until } from './loopback.ts';

let server: Loopback;
let cluster: Connected;
let warned: string[];

const clock = manualClock('2026-11-01T00:00:00Z');

beforeEach(async () => {
  server = await startLoopback();
  warned = [];
  cluster = await connect({
    kubeconfig: server.kubeconfig,
    clock: systemClock,
    wall: clock,
    warn: (because) => warned.push(because),
  });
});

afterEach(async () => {
  cluster.close();
  await server.stop();
});

const item = (name: string, more: object = {}) => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '7', ...more },
});
const list = (items: readonly object[], metadata: object = {}) => ({
  ...{ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '100', ...metadata }, items },
});

/** The picture in which a failing reading counts as a fact, because it has failed for a minute. */
async function lasting(read: (look: Omit<Look, 'lastGood'>) => Promise<unknown>) {
  const rights = { read: [{ kind: Pod }], logs: ['ns'] };
  await expect(cluster.look(rights).then(read)).rejects.toThrow('cannot be read just now');
  clock.advance(GRACE);
  return cluster.look(rights);
}
const names = (objects: readonly { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name);

describe('A list', () => {
  it('is read page by page', async () => {
    server.handle = ({ path, query }, response) =>
      path === '/api/v1/pods' &&
      json(
        response,
        200,
        query.get('continue') === 'more' ? list([item('b')]) : list([item('a')], { continue: 'more' }),
      );
    const look = await cluster.look({ read: [{ kind: Pod }] });

    const pods = await look.list(Pod);

    expect(names(pods)).toEqual(['a', 'b']);
    expect(pods[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
    expect(server.of('/api/v1/pods').map(({ query }) => query.get('limit'))).toEqual(['500', '500']);
  });

  it('begins anew when its continue token has expired', async () => {
    let expired = false;
    server.handle = ({ path, query }, response) => {
      if (path !== '/api/v1/pods') return false;
      if (!query.has('continue')) return json(response, 200, list([item('a')], { continue: 'more' }));
      if (expired) return json(response, 200, list([item('b')]));
      expired = true;
      return json(response, 410, status(410, 'Expired', 'The provided continue parameter is too old'));
    };
    const look = await cluster.look({ read: [{ kind: Pod }] });

    expect(names(await look.list(Pod))).toEqual(['a', 'b']);
    expect(await look.captured(Pod)).toBe(true);
  });

  it('is read in one piece when its tokens expire again and again', async () => {
    server.handle = ({ path, query }, response) => {
      if (path !== '/api/v1/pods') return false;
      if (query.has('continue')) return json(response, 410, status(410, 'Expired', 'too old'));
      return json(
        response,
        200,
        query.has('limit') ? list([item('a')], { continue: 'more' }) : list([item('a'), item('b')]),
      );
    };
    const look = await cluster.look({ read: [{ kind: Pod }] });

    expect(names(await look.list(Pod))).toEqual(['a', 'b']);
  });

  it('lets the API server select', async () => {
    server.handle = ({ path }, response) => path === '/api/v1/namespaces/ns/pods' && json(response, 200, list([]));
    const look = await cluster.look({ read: [{ kind: Pod }] });

    await look.list(Pod, { namespace: 'ns', labels: { app: 'a', tier: 'b' }, fields: { 'spec.nodeName': 'n,1' } });

    const [request] = server.of('/api/v1/namespaces/ns/pods');
    expect(request?.query.get('labelSelector')).toBe('app=a,tier=b');
    expect(request?.query.get('fieldSelector')).toBe('spec.nodeName=n\\,1');
  });

  it('selects by itself where the API server does not know the field', async () => {
    server.handle = ({ path, query }, response) => {
      if (path !== '/api/v1/pods') return false;
      if (query.has('fieldSelector'))
        return json(response, 400, status(400, 'BadRequest', 'field label not supported'));
      return json(
        response,
        200,
        list([
          { ...item('a'), spec: { nodeName: 'n1' } },
          { ...item('b'), spec: {} },
        ]),
      );
    };
    const look = await cluster.look({ read: [{ kind: Pod }] });

    expect(names(await look.list(Pod, { fields: { 'spec.nodeName': 'n1' } }))).toEqual(['a']);
  });

  it('asks only for what the rights name', async () => {
    server.handle = ({ path }, response) => path.endsWith('/configmaps') && json(response, 200, list([item('vip')]));
    const look = await cluster.look({ read: [{ kind: ConfigMap, namespace: 'ns', names: ['vip'] }] });

    expect(names(await look.list(ConfigMap))).toEqual(['vip']);
    const requests = server.requests.filter(({ path }) => path.endsWith('/configmaps'));
    expect(requests.map(({ path, query }) => [path, query.get('fieldSelector')])).toEqual([
      ['/api/v1/namespaces/ns/configmaps', 'metadata.name=vip'],
    ]);
  });
});

describe('A picture', () => {
  it('refuses a kind that the mode does not declare', async () => {
    const look = await cluster.look({ read: [{ kind: Pod }] });

    await expect(look.get(Node, { name: 'n1' })).rejects.toThrow('Node is read without being declared');
    await expect(look.log({ namespace: 'ns', name: 'a' }, { container: 'c', tail: 5 })).rejects.toThrow('declared');
  });

  it('reads each object once, and shows it as it was first seen', async () => {
    let version = 0;
    server.handle = ({ path }, response) => {
      version += 1;
      const pod = { ...item('a', { labels: { version: String(version) } }), kind: 'Pod', apiVersion: 'v1' };
      if (path === '/api/v1/namespaces/ns/pods/a') return json(response, 200, pod);
      return path === '/api/v1/pods' && json(response, 200, list([pod]));
    };
    const look = await cluster.look({ read: [{ kind: Pod }] });

    const first = await look.get(Pod, { namespace: 'ns', name: 'a' });
    const [second] = await look.list(Pod);
    await look.list(Pod);
    const third = await look.get(Pod, { namespace: 'ns', name: 'a' });

    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(server.requests.filter(({ path }) => path.endsWith('/pods') || path.endsWith('/a'))).toHaveLength(2);
  });

  it('says of a kind that is not served that absence is absence', async () => {
    const look = await cluster.look({ read: [{ kind: Job }] });

    expect(await look.list(Job)).toEqual([]);
    expect(await look.captured(Job)).toBe(true);
    expect(warned).toEqual([]);
  });

  it.each([
    [
      '403',
      (response: Parameters<typeof json>[0]) => json(response, 403, status(403, 'Forbidden', 'pods is forbidden')),
    ],
    ['401', (response: Parameters<typeof json>[0]) => json(response, 401, status(401, 'Unauthorized', 'Unauthorized'))],
    [
      '500',
      (response: Parameters<typeof json>[0]) => json(response, 500, status(500, 'InternalError', 'etcd is gone')),
    ],
    [
      'a web page',
      (response: Parameters<typeof json>[0]) => {
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>Sign in</p>');
        return true as const;
      },
    ],
    [
      'a reset',
      (response: Parameters<typeof json>[0]) => {
        response.destroy();
        return true as const;
      },
    ],
  ])('does not take %s for absence', async (_name, answer) => {
    server.handle = ({ path }, response) => path.includes('/pods') && answer(response);
    const look = await lasting(({ list }) => list(Pod));

    expect(await look.list(Pod)).toEqual([]);
    expect(await look.captured(Pod)).toBe(false);
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatch(/^Pod: /);
  });

  it('leaves out an object that has another shape than its kind, and says so', async () => {
    server.handle = ({ path }, response) =>
      path === '/api/v1/pods' && json(response, 200, list([item('a'), { ...item('b'), spec: 7 }]));
    const look = await cluster.look({ read: [{ kind: Pod }] });

    expect(names(await look.list(Pod))).toEqual(['a']);
    expect(await look.captured(Pod)).toBe(false);
    expect(warned).toEqual([expect.stringMatching(/^Pod ns\/b: spec: /)]);
  });

  it('knows of one namespace although another one was refused', async () => {
    server.handle = ({ path }, response) => {
      if (path === '/api/v1/namespaces/a/pods') return json(response, 200, list([]));
      return path === '/api/v1/namespaces/b/pods' && json(response, 403, status(403, 'Forbidden', 'no'));
    };
    const look = await lasting(({ list }) => list(Pod, { namespace: 'b' }));

    await Promise.all([look.list(Pod, { namespace: 'a' }), look.list(Pod, { namespace: 'b' })]);

    expect(await look.captured(Pod, 'a')).toBe(true);
    expect(await look.captured(Pod, 'b')).toBe(false);
  });

  it('comes back after the pause that a busy API server asks for', async () => {
    let answers = 0;
    server.handle = ({ path }, response) => {
      if (path !== '/api/v1/pods') return false;
      answers += 1;
      if (answers > 1) return json(response, 200, list([item('a')]));
      response.writeHead(429, { 'Content-Type': 'text/plain', 'Retry-After': '2' }).end('Too many requests');
      return true;
    };
    const look = await cluster.look({ read: [{ kind: Pod }] });

    const reading = look.list(Pod);
    await until('the first answer', () => answers === 1);
    clock.advance(1_900);
    expect(answers).toBe(1);
    await until(
      'the second try',
      () => answers === 2,
      () => clock.advance(100),
    );

    expect(names(await reading)).toEqual(['a']);
  });

  it('gives up on a request that is never answered', async () => {
    server.handle = ({ path }) => path === '/api/v1/pods';
    const look = await cluster.look({ read: [{ kind: Pod }] });

    let because = '';
    look.list(Pod).catch((error: unknown) => (because = String(error)));
    await until(
      'it gives up',
      () => because !== '',
      () => clock.advance(1_000),
    );

    expect(because).toContain('no answer within 60 s');
    expect(await look.captured(Pod)).toBe(false);
  });
});

describe('An API server that starts', () => {
  const rights = { read: [{ kind: Pod }], logs: ['ns'] };
  const look = () => cluster.look(rights);
  const forbidden = (response: Parameters<typeof json>[0]) =>
    json(response, 403, status(403, 'Forbidden', 'pods is forbidden'));

  it.each([
    ['403, for it has not read the roles yet', forbidden],
    [
      '429, for it has not read the objects yet',
      (response: Parameters<typeof json>[0]) =>
        json(response, 429, status(429, 'TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 })),
    ],
    [
      '404, for it has not installed the kind yet',
      (response: Parameters<typeof json>[0]) => {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('404 page not found');
        return true as const;
      },
    ],
  ])('shows no gap where it answers %s: the look breaks off, and the next one is whole', async (_name, answer) => {
    let isStarting = true;
    server.handle = ({ path }, response) =>
      path === '/api/v1/pods' && (isStarting ? answer(response) : json(response, 200, list([item('a')])));
    let because = '';
    (await look()).list(Pod).catch((error: unknown) => (because = String(error)));
    await until(
      'it breaks off',
      () => because !== '',
      () => clock.advance(100),
    );

    isStarting = false;
    const whole = await look();

    expect(because).toContain('cannot be read just now');
    expect(names(await whole.list(Pod))).toEqual(['a']);
    expect(await whole.captured(Pod)).toBe(true);
    expect(warned).toEqual([]);
  });

  it('is waited for anew after each success, and after each time that nobody answered', async () => {
    let says: 'forbidden' | 'fine' | 'nothing' = 'forbidden';
    server.handle = ({ path }, response) => {
      if (says === 'nothing') {
        response.destroy();
        return true;
      }
      if (path !== '/api/v1/pods') return false;
      return says === 'fine' ? json(response, 200, list([])) : forbidden(response);
    };
    for (const between of ['fine', 'nothing'] as const) {
      says = 'forbidden';
      await expect((await look()).list(Pod)).rejects.toThrow('just now');
      clock.advance(GRACE);
      says = between;
      if (between === 'fine') await (await look()).list(Pod);
      else await expect(look()).rejects.toThrow('does not answer');
    }
    says = 'forbidden';

    await expect((await look()).list(Pod)).rejects.toThrow('just now');
  });

  it('does not take its version from the picture', async () => {
    server.handle = ({ path }, response) => path === '/version' && forbidden(response);

    await expect(look()).rejects.toThrow('/version cannot be read just now');
    clock.advance(GRACE);

    expect(await (await look()).version()).toEqual({});
  });

  it('does not take the lines from a log', async () => {
    server.handle = ({ path }, response) => path.endsWith('/log') && forbidden(response);
    const read = ({ log }: Omit<Look, 'lastGood'>) => log({ namespace: 'ns', name: 'a' }, { container: 'c', tail: 9 });

    const gap = await lasting(read);

    expect(await read(gap)).toBeUndefined();
  });

  it('may not serve for a minute what it served before; then it is gone', async () => {
    const pods = list([item('a')]);
    let isInstalled = true;
    server.handle = ({ path }, response) => {
      if (path === '/api/v1/pods' && isInstalled) return json(response, 200, pods);
      if (path !== '/api/v1' || isInstalled) return false;
      return json(response, 200, { kind: 'APIResourceList', resources: [] });
    };
    await (await look()).list(Pod);
    isInstalled = false;

    await expect((await look()).list(Pod)).rejects.toThrow('404');
    await expect((await look()).list(Pod)).rejects.toThrow('it was served before');
    clock.advance(GRACE);
    const later = await look();

    expect(await later.list(Pod)).toEqual([]);
    expect(await later.captured(Pod)).toBe(true);
  });

  it('is believed at once by who looks only once', async () => {
    server.handle = ({ path }, response) => path === '/api/v1/pods' && forbidden(response);
    const { sight } = await cluster.scene();

    expect(await sight.list(Pod, {})).toEqual([]);
    expect(sight.isComplete(Pod, undefined)).toBe(false);
  });
});

describe('A log', () => {
  it('comes as lines, oldest first', async () => {
    server.handle = ({ path }, response) => {
      if (path !== '/api/v1/namespaces/ns/pods/a/log') return false;
      response.end('one\ntwo\n\nthree\n');
      return true;
    };
    const look = await cluster.look({ read: [], logs: ['ns'] });

    const lines = await look.log({ namespace: 'ns', name: 'a' }, { container: 'c', previous: true, tail: 9 });

    expect(lines).toEqual(['one', 'two', '', 'three']);
    const [request] = server.of('/api/v1/namespaces/ns/pods/a/log');
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ container: 'c', tailLines: '9', previous: 'true' });
  });

  it('that a container never wrote is no warning', async () => {
    server.handle = ({ path }, response) =>
      path.endsWith('/log') &&
      json(response, 400, status(400, 'BadRequest', 'previous terminated container not found'));
    const look = await cluster.look({ read: [], logs: ['ns'] });

    expect(await look.log({ namespace: 'ns', name: 'a' }, { container: 'c', tail: 9 })).toBeUndefined();
    expect(warned).toEqual([]);
  });
});

describe('A probe', () => {
  const vip = (ip: string) => ({
    ...{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'vip', namespace: 'harvester-system' }, data: { ip } },
  });
  const at = '/api/v1/namespaces/harvester-system/configmaps/vip';

  it.each([
    [200, 200, true],
    [403, 500, true],
    [404, 401, true],
    [404, 404, false],
    [503, 503, false],
  ])('of a VIP that answers %i, and %i behind it, says %s', async (front, behind, ok) => {
    const target = await startLoopback();
    target.handle = ({ path }, response) => json(response, path === '/v1/harvester/cluster/local' ? front : behind, {});
    server.handle = ({ path }, response) => path === at && json(response, 200, vip(new URL(target.url).host));
    const look = await cluster.look({ read: [] });

    const result = await look.probe('vip');

    expect(result?.ok).toBe(ok);
    expect(target.requests.every(({ authorization }) => authorization === '')).toBe(true);
    await target.stop();
  });

  it('is not tried where the installer wrote no address down', async () => {
    const look = await cluster.look({ read: [] });

    expect(await look.probe('vip')).toBeUndefined();
  });

  it('never follows an address that is no IP', async () => {
    server.handle = ({ path }, response) => path === at && json(response, 200, vip('evil.example'));
    const look = await cluster.look({ read: [] });

    expect(await look.probe('vip')).toBeUndefined();
  });

  it('of readiness repeats what the API server says', async () => {
    server.handle = ({ path }, response) => {
      if (path !== '/readyz') return false;
      response.writeHead(500).end('[-]etcd failed: reason withheld');
      return true;
    };
    const look = await cluster.look({ read: [] });

    expect(await look.probe('readyz')).toEqual({ ok: false, because: expect.stringContaining('etcd failed') });
  });
});
