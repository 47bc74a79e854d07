import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../../shared/adapters/clock/manual.ts';
import { type Connected, connect } from '../../shared/adapters/kubernetes/connect.ts';
import { trigger } from '../../shared/handler.ts';
import { Pod } from '../../shared/kinds.ts';
import type { Watched } from '../../shared/ports/cluster.ts';
import { type Collection, EXPIRED, serveCollection } from './collection.ts';
import { json, type Loopback, startLoopback, status, until } from './loopback.ts';

const phases = trigger({ kind: Pod, fields: (pod) => pod.status?.phase });
const ends = trigger({ kind: Pod, fields: (pod) => (pod.status?.phase === 'Failed' ? 'failed' : undefined) });

let clock: ManualClock;
let server: Loopback;
let cluster: Connected;
let pods: Collection;
let over: AbortController;
let watching: Promise<void>;
/** What was told, as `phases: a` for a change and `blind`, `seeing`. */
let told: string[];

function begin(wakes = [phases], listen: (what: Watched) => void = () => {}): void {
  watching = cluster.watch(
    wakes,
    (what) => {
      listen(what);
      if (what.is !== 'changed') return void told.push(what.is);
      const which = what.wake === phases ? 'phases' : 'ends';
      told.push(
        `${which}: ${what.objects
          .map(({ name }) => name)
          .sort()
          .join(' ')}`,
      );
    },
    over.signal,
  );
}

async function start(minor = '26'): Promise<void> {
  clock = manualClock('2026-11-01T00:00:00Z');
  over = new AbortController();
  told = [];
  server = await startLoopback({ minor });
  pods = serveCollection(server);
  cluster = await connect({ kubeconfig: server.kubeconfig, clock });
}

const opened = (count = 1) =>
  until(
    'a watch is open',
    () => pods.watches.length === count,
    () => clock.advance(50),
  );
const hears = (what: string) =>
  until(
    `it tells "${what}"`,
    () => told.includes(what),
    () => clock.advance(50),
  );
/** Lets what is underway be done: the requests that it takes are made on loopback. */
const settled = async () => {
  const before = server.requests.length;
  await until('a quiet moment', () => true);
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
  return server.requests.length - before;
};

beforeEach(() => start());

afterEach(async () => {
  over.abort();
  await watching;
  cluster.close();
  await server.stop();
});

describe('A watch', () => {
  it('tells what is there, what changes, what comes and what goes', async () => {
    pods.set('a', 'Running');
    begin();
    await opened();
    expect(told).toEqual(['phases: a']);

    pods.set('a', 'Failed');
    pods.set('b', 'Pending');
    pods.remove('a');
    await until('the last event', () => told.length === 4);

    expect(told.slice(1)).toEqual(['phases: a', 'phases: b', 'phases: a']);
    expect(pods.lists).toHaveLength(1);
  });

  it('tells nothing of a change that matters to nobody', async () => {
    pods.set('a', 'Running');
    begin([phases, ends]);
    await opened();

    pods.set('a', 'Running');
    pods.set('a', 'Failed');
    await hears('ends: a');

    expect(told).toEqual(['phases: a', 'phases: a', 'ends: a']);
    expect(pods.asked).toHaveLength(1);
  });

  it('tells an object that was deleted and created again as gone and as new', async () => {
    pods.set('a', 'Running');
    begin();
    await opened();

    pods.remove('a');
    pods.set('a', 'Running');
    await until('both', () => told.length === 3);
  });

  it('asks for bookmarks and for an end', async () => {
    begin();
    await opened();

    const [query] = pods.asked;
    expect(query?.get('allowWatchBookmarks')).toBe('true');
    expect(Number(query?.get('timeoutSeconds'))).toBeGreaterThanOrEqual(25);
    expect(Number(query?.get('timeoutSeconds'))).toBeLessThanOrEqual(35);
  });

  it('takes a clean end for what it is: it goes on from the last version without a list', async () => {
    pods.set('a', 'Running');
    begin();
    for (let round = 1; round <= 20; round += 1) {
      await opened();
      pods.set('a', `phase-${round}`);
      await until('the change', () => told.length === round + 1);
      const before = pods.asked.length;
      clock.advance(1_000);
      for (const { response } of pods.watches) response.end();
      await until(
        'the next watch',
        () => pods.asked.length > before,
        () => clock.advance(20),
      );
    }

    expect(pods.lists).toHaveLength(1);
    expect(told).toHaveLength(21);
    expect(pods.asked.at(-1)?.get('resourceVersion')).toBe('121');
  });

  it('does not spin where the server hangs up at once', async () => {
    pods.spoilWatch = (response) => {
      response.writeHead(200).end();
      return true;
    };
    begin();
    await until('the first watch', () => pods.asked.length === 1);

    for (let ms = 0; ms < 10_000; ms += 100) {
      clock.advance(100);
      await settled();
    }

    expect(pods.asked.length).toBeLessThanOrEqual(22);
    expect(pods.asked.length).toBeGreaterThanOrEqual(8);
  });

  it('goes on from a bookmark', async () => {
    begin();
    await opened();

    pods.say({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '777' } } });
    await settled();
    for (const { response } of pods.watches) response.end();
    await until(
      'the next watch',
      () => pods.asked.length === 2,
      () => clock.advance(50),
    );

    expect(pods.asked[1]?.get('resourceVersion')).toBe('777');
  });
});

describe('After a break', () => {
  it.each([
    ['410 inside a 200 stream', () => pods.say(EXPIRED)],
    [
      '410 as the answer',
      () => {
        const before = pods.asked.length;
        pods.spoilWatch = (response) => pods.asked.length === before + 1 && json(response, 410, EXPIRED.object);
        for (const { response } of pods.watches) response.end();
      },
    ],
  ])('by %s it lists and tells the difference', async (_name, spoil) => {
    pods.set('stays', 'Running');
    pods.set('changes', 'Running');
    pods.set('goes', 'Running');
    begin();
    await opened();

    pods.set('changes', 'Failed', 'quietly');
    pods.remove('goes', 'quietly');
    pods.set('comes', 'Pending', 'quietly');
    spoil();
    await until(
      'the second list',
      () => pods.lists.length === 2,
      () => clock.advance(50),
    );
    await hears('phases: changes comes goes');

    expect(told).toEqual(['phases: changes goes stays', 'phases: changes comes goes']);
  });

  it.each([
    ['a reset', () => pods.watches.forEach(({ response }) => void response.destroy())],
    [
      'an event that breaks off',
      () =>
        pods.watches.forEach(({ response }) => {
          response.write('{"type":"MODIFIED","object":{"kind":"Po');
          response.end();
        }),
    ],
    ['a line that is no JSON', () => pods.watches.forEach(({ response }) => void response.write('<html>\n'))],
    ['an event of an unknown type', () => pods.say({ type: 'RENAMED', object: {} })],
    [
      'a line without end',
      () => pods.watches.forEach(({ response }) => void response.write(Buffer.alloc(17 * 1024 * 1024, 'x'))),
    ],
    ['an error inside', () => pods.say({ type: 'ERROR', object: status(500, 'InternalError', 'etcd') })],
  ])('by %s it watches on from the last version', async (_name, spoil) => {
    pods.set('a', 'Running');
    begin();
    await opened();

    spoil();
    await until('the watch is gone', () => pods.watches.length === 0);
    pods.set('a', 'Failed', 'quietly');
    await until(
      'the change',
      () => told.length === 2,
      () => clock.advance(50),
    );

    expect(pods.lists).toHaveLength(1);
    expect(told).toEqual(['phases: a', 'phases: a']);
  });

  it('honours the pause that priority and fairness asks for, and comes back once', async () => {
    let refused = 0;
    pods.spoilWatch = (response) => {
      if (refused > 0) return false;
      refused += 1;
      response.writeHead(429, { 'Content-Type': 'text/plain', 'Retry-After': '8' }).end('Too many requests');
      return true;
    };
    begin();
    await until('the refusal', () => refused === 1);
    await settled();

    clock.advance(7_900);
    await settled();
    expect(pods.asked).toHaveLength(1);
    await opened();

    expect(pods.asked).toHaveLength(2);
    expect(told).toEqual([]);
  });

  it('tells everything again where whoever listens could not take it', async () => {
    pods.set('a', 'Running');
    let isFirst = true;
    begin([phases], () => {
      if (isFirst) {
        isFirst = false;
        throw new Error('the bus is closed');
      }
    });

    await hears('phases: a');
  });
});

describe('Blindness', () => {
  const blackHole = () => {
    pods.spoilWatch = () => true;
    pods.spoilList = () => true;
  };

  it('is told within a minute of silence, and sight within ten seconds of its return', async () => {
    pods.set('a', 'Running');
    begin();
    await opened();
    blackHole();
    const from = clock.now().getTime();

    await until(
      'it is blind',
      () => told.includes('blind'),
      () => clock.advance(250),
    );
    const blindAfter = clock.now().getTime() - from;
    pods.set('a', 'Failed', 'quietly');
    pods.spoilWatch = () => false;
    pods.spoilList = () => false;
    const back = clock.now().getTime();
    await until(
      'it sees',
      () => told.includes('seeing') && told.length === 4,
      () => clock.advance(100),
    );

    expect(blindAfter).toBeGreaterThan(25_000);
    expect(blindAfter).toBeLessThanOrEqual(60_000);
    expect(clock.now().getTime() - back).toBeLessThanOrEqual(10_000);
    expect(told).toEqual(['phases: a', 'blind', 'seeing', 'phases: a']);
  });

  it.each([
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
  ])('is told at once of %i', async (code, reason) => {
    pods.spoilList = (response) => json(response, code, status(code, reason, reason));
    begin();

    await until('it is blind', () => told.includes('blind'));
    pods.spoilList = () => false;
    await hears('seeing');
  });

  it('is not told of an API server that starts and has not read the roles yet', async () => {
    pods.set('a', 'Running');
    begin();
    await opened();
    const forbidden = (response: Parameters<Collection['spoilWatch']>[0]) =>
      json(response, 403, status(403, 'Forbidden', 'pods is forbidden'));
    pods.spoilWatch = forbidden;
    for (const { response } of pods.watches) response.destroy();
    await until(
      'it was refused three times',
      () => pods.asked.length === 4,
      () => clock.advance(50),
    );

    pods.set('a', 'Failed', 'quietly');
    pods.spoilWatch = () => false;
    const back = clock.now().getTime();
    await until(
      'the change',
      () => told.length === 2,
      () => clock.advance(50),
    );

    expect(clock.now().getTime() - back).toBeLessThanOrEqual(10_000);
    expect(told).toEqual(['phases: a', 'phases: a']);
  });

  it('is told of a refusal that lasts, with its reason', async () => {
    pods.set('a', 'Running');
    let because = '';
    begin([phases], (what) => {
      if (what.is === 'blind') because = what.because;
    });
    await opened();
    const from = clock.now().getTime();
    pods.spoilWatch = (response) => json(response, 403, status(403, 'Forbidden', 'pods is forbidden'));
    for (const { response } of pods.watches) response.destroy();

    await until(
      'it is blind',
      () => told.includes('blind'),
      () => clock.advance(250),
    );

    expect(because).toContain('forbidden');
    expect(clock.now().getTime() - from).toBeLessThanOrEqual(60_000);
  });

  it('ends within ten seconds where rights are granted just after the start', async () => {
    pods.spoilList = (response) => json(response, 403, status(403, 'Forbidden', 'pods is forbidden'));
    begin();
    await until('it is blind', () => told.includes('blind'));
    for (let second = 0; second < 3; second += 1) {
      clock.advance(1_000);
      await settled();
    }

    pods.spoilList = () => false;
    const granted = clock.now().getTime();
    await hears('seeing');

    expect(clock.now().getTime() - granted).toBeLessThanOrEqual(10_000);
  });

  it('is not told while a kind is away that an API server served before, and nothing is told as gone', async () => {
    pods.set('a', 'Running');
    begin();
    await opened();
    const serving = server.handle;
    server.handle = ({ path }, response) =>
      (path === '/api/v1' && json(response, 200, { kind: 'APIResourceList', resources: [] })) ||
      (path === '/api/v1/pods' && json(response, 404, { message: '404 page not found' }));
    for (const { response } of pods.watches) response.destroy();
    for (let second = 0; second < 20; second += 1) {
      clock.advance(1_000);
      await settled();
    }

    server.handle = serving;
    await opened();

    expect(told).toEqual(['phases: a']);
  });

  it('is told of web pages in place of answers', async () => {
    const page = (response: Parameters<Collection['spoilList']>[0]) => {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html></html>');
      return true;
    };
    pods.spoilList = page;
    let because = '';
    begin([phases], (what) => {
      if (what.is === 'blind') because = what.because;
    });

    await until(
      'it is blind',
      () => told.includes('blind'),
      () => clock.advance(500),
    );

    expect(because).toContain('web page');
  });

  it('is not told of a kind that is not served, and the kind is followed once it is', async () => {
    const serving = server.handle;
    server.handle = (got, response) =>
      got.path === '/api/v1' ? json(response, 200, { kind: 'APIResourceList', resources: [] }) : serving(got, response);
    pods.set('a', 'Running');
    begin();
    for (let seconds = 0; seconds < 120; seconds += 1) {
      clock.advance(1_000);
      await settled();
    }
    expect(told).toEqual([]);

    server.handle = serving;
    await until(
      'the pod is told',
      () => told.includes('phases: a'),
      () => clock.advance(1_000),
    );
  });

  it('ends in a list where a watch is silent for two minutes, as from a version of the future', async () => {
    pods.set('a', 'Running');
    begin();
    await opened();
    pods.set('a', 'Failed', 'quietly');
    pods.spoilWatch = (response) => {
      response.writeHead(200).flushHeaders();
      clock.after(30_000, () => response.end());
      return true;
    };
    for (const { response } of pods.watches) response.end();

    await until(
      'the change',
      () => told.length === 2,
      () => clock.advance(250),
    );

    expect(pods.lists).toHaveLength(2);
    expect(told).not.toContain('blind');
  });
});

describe('A streamed list', () => {
  beforeEach(async () => {
    cluster.close();
    await server.stop();
    await start('35');
    pods.set('a', 'Running');
    pods.set('b', 'Running');
  });

  it('takes the place of a list where the server has it', async () => {
    begin();
    await hears('phases: a b');
    pods.set('a', 'Failed');
    await hears('phases: a');

    expect(pods.lists).toEqual([]);
    expect(pods.asked).toHaveLength(1);
    expect(pods.asked[0]?.get('resourceVersionMatch')).toBe('NotOlderThan');
  });

  it('shows after a 410 what is gone', async () => {
    begin();
    await hears('phases: a b');

    pods.remove('a', 'quietly');
    pods.say(EXPIRED);
    await hears('phases: a');

    expect(pods.lists).toEqual([]);
  });

  it.each([
    [
      'is refused (422)',
      (response: Parameters<Collection['spoilWatch']>[0]) =>
        json(response, 422, status(422, 'Invalid', 'sendInitialEvents is forbidden')),
    ],
    [
      'fails inside (500, an old etcd)',
      (response: Parameters<Collection['spoilWatch']>[0]) => {
        response.writeHead(200);
        response.end(
          `${JSON.stringify({ type: 'ERROR', object: status(500, '', 'RequestWatchProgress is disabled') })}\n`,
        );
        return true;
      },
    ],
    [
      'never ends (an API server that ignores what it does not know)',
      (response: Parameters<Collection['spoilWatch']>[0]) => {
        response.writeHead(200).flushHeaders();
        return true;
      },
    ],
  ])('gives way to a list where it %s', async (_name, spoil) => {
    pods.spoilWatch = (response, query) => query.has('sendInitialEvents') && spoil(response);
    begin();

    await hears('phases: a b');
    await opened();

    expect(pods.lists).toHaveLength(1);
    expect(told).toEqual(['phases: a b']);
  });
});
