import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { modes } from '../../handlers/index.ts';
import { until } from './bed/until.ts';
import { type Running, type WatchedBed, watchedBed } from './watchers/watched-bed.ts';

const FAILOVER = 30_000;
const own = modes.filter(({ on }) => on === 'harvester').map(({ id }) => id);

let stage: WatchedBed;
let [one, other]: [Running | undefined, Running | undefined] = [undefined, undefined];

beforeAll(async () => {
  stage = await watchedBed();
  one = await stage.start('one');
});

afterAll(() => stage?.bed.stop());

/** The watcher that holds the Lease, and the one that does not. */
async function roles(): Promise<{ leader: Running; standby: Running }> {
  const holder = await stage.holder();
  if (!one || !other) throw new Error('two watchers are needed');
  const isOne = holder.startsWith(`${one.name}_`);
  return isOne ? { leader: one, standby: other } : { leader: other, standby: one };
}

const since = (from: number, who?: string) =>
  stage.receiver.arrived.filter((one) => one.at >= from && (who === undefined || one.who === who));

const isTold = (from: number, who: string, text: string) =>
  until(`${who} tells ${text}`, () => since(from, who).find(({ fact }) => JSON.stringify(fact).includes(text)));

const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
const makeNode = (name: string) => stage.bed.request('POST', '/api/v1/nodes', node(name));

describe('The watcher on a real API server, out of the files of its image, as the account of its manifests', () => {
  it('leads once nobody can hold the Lease, tells that it is alive, and has every failure mode look', async () => {
    await isTold(0, 'one', '"beat"');
    await until('every mode is told', () => {
      const told = new Set(since(0).flatMap(({ fact }) => (fact.event === 'observed' ? [fact.mode] : [])));
      return own.every((mode) => told.has(mode)) || undefined;
    });

    expect(await stage.holder()).toMatch(/^one_[0-9a-f]{8}$/);
    expect(await one?.page('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await one?.page('/livez')).toEqual({ status: 200, text: 'ok\n' });
    expect((await one?.page('/metrics'))?.text).toContain('gleaner_watcher_leading 1');
  });

  it('tells a change within five seconds, as a reference and nothing more', async () => {
    const from = performance.now();

    await makeNode('n-first');

    const told = await isTold(from, 'one', 'n-first');
    expect(told.at - from).toBeLessThan(5_000);
    expect(told.fact).toMatchObject({
      objects: [{ apiVersion: 'v1', kind: 'Node', name: 'n-first', uid: expect.any(String) }],
    });
  });

  it('is refused nothing, and was granted nothing that it does not use', async () => {
    const Rule = z.object({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      resourceNames: z.array(z.string()).optional(),
      verbs: z.array(z.string()),
    });
    const Role = z.object({ metadata: z.object({ namespace: z.string().optional() }), rules: z.array(Rule) });
    const text = readFileSync('infra/watcher/manifests/harvester.yaml', 'utf8');
    const granted = parseAllDocuments(text)
      .map((document) => Role.safeParse(document.toJS()).data)
      .flatMap((role) =>
        (role?.rules ?? []).flatMap(({ apiGroups, resources, resourceNames = [undefined], verbs }) =>
          apiGroups.flatMap((group) =>
            resources.flatMap((resource) =>
              resourceNames.flatMap((name) =>
                verbs.map((verb) => ({ namespace: role?.metadata.namespace, group, resource, name, verb })),
              ),
            ),
          ),
        ),
      );
    const audited = await until('the Lease is renewed', () => {
      const lines = stage.audited();
      return lines.some(({ verb }) => verb === 'patch') ? lines : undefined;
    });

    const refused = audited.filter(({ responseStatus }) => responseStatus?.code === 403);
    const spare = granted.filter(
      ({ namespace, group, resource, name, verb }) =>
        !audited.some(
          ({ objectRef, verb: used, requestURI }) =>
            used === verb &&
            objectRef?.resource === resource &&
            objectRef.apiGroup === group &&
            (namespace === undefined || objectRef.namespace === namespace) &&
            (name === undefined ||
              objectRef.name === name ||
              decodeURIComponent(requestURI).includes(`metadata.name=${name}`)),
        ),
    );
    expect(granted.length).toBeGreaterThan(20);
    expect(refused).toEqual([]);
    expect(spare).toEqual([]);
  });

  it('cannot write anything of its own, nor is there anything else to run', async () => {
    const { root } = stage.image;

    expect(() => readFileSync(`${root}/bin/sh`)).toThrow(/ENOENT/);
    expect(one?.log()).not.toMatch(/EACCES|EROFS|"level":"error"/);
  });

  it('is stood by, by another one, which watches nothing meanwhile', async () => {
    other = await stage.start('other');
    await until('the other is well', async () => (await other?.page('/healthz'))?.status === 200 || undefined);

    expect((await other.page('/metrics')).text).toContain('gleaner_watcher_leading 0');
    expect(since(0, 'other')).toEqual([]);
  });

  it('is followed within 30 seconds when it is killed in the middle of 500 changes: the next one looks at everything, and says what was missed', async () => {
    const { leader, standby } = await roles();
    const from = performance.now();
    const burst = Promise.all(Array.from({ length: 500 }, (_, index) => makeNode(`n-${index}`)));
    await isTold(from, leader.name, '"observed"');

    await leader.kill('SIGKILL');
    const killed = performance.now();
    await burst;
    await isTold(killed, standby.name, '"observed"');

    expect(performance.now() - killed).toBeLessThan(FAILOVER);
    const report = await isTold(killed, standby.name, 'nobody watched');
    expect(report.fact).toMatchObject({
      ...{ event: 'sighted', kind: 'everything' },
      because: expect.stringMatching(/: 50[1-9] objects of \d+ kinds re-checked, and every failure mode looks again$/),
    });
    const told = new Set(
      since(killed, standby.name).flatMap(({ fact }) => (fact.event === 'observed' ? [fact.mode] : [])),
    );
    expect([...told].sort()).toEqual([...own].sort());
    if (leader === one) one = await stage.start('one-again');
    else other = await stage.start('other-again');
  });

  it('sends nothing more before another one begins when it alone loses the API server, and stands by when it is back', async () => {
    await until('both are well', async () => {
      const pages = await Promise.all([one, other].map((watcher) => watcher?.page('/healthz')));
      return pages.every((page) => page?.status === 200) || undefined;
    });
    const { leader, standby } = await roles();
    const from = performance.now();

    leader.proxy.blackHole();
    await isTold(from, standby.name, '"observed"');

    expect(performance.now() - from).toBeLessThan(FAILOVER);
    const last = Math.max(0, ...since(from, leader.name).map(({ at }) => at));
    const begun = Math.min(...since(from, standby.name).map(({ at }) => at));
    expect(last).toBeLessThan(begun);
    expect(since(from, leader.name).map(({ fact }) => fact)).toMatchObject([{ event: 'blinded', kind: 'everything' }]);
    await until('it is unwell', async () => (await leader.page('/healthz')).status === 503 || undefined);
    leader.proxy.pass();
    await until('it stands by again', async () => (await leader.page('/healthz')).status === 200 || undefined);
    expect((await leader.page('/metrics')).text).toContain('gleaner_watcher_leading 0');
  });

  it('goes on leading, lists nothing anew and misses nothing while every connection is cut each second', async () => {
    const { leader } = await roles();
    const holder = await stage.holder();
    const lists = () => stage.audited().filter(({ verb }) => verb === 'list').length;
    const before = lists();

    for (let n = 0; n < 20; n += 1) {
      leader.proxy.cut();
      await until('a second passes', () => undefined, { withinMs: 1_000, everyMs: 1_000 }).catch(() => {});
    }
    const from = performance.now();
    await makeNode('n-after-the-cuts');

    await isTold(from, leader.name, 'n-after-the-cuts');
    expect(await stage.holder()).toBe(holder);
    expect(lists() - before).toBeLessThanOrEqual(11);
  });

  it('gives its Lease back when it is asked to end, and another one leads within seconds', async () => {
    const { leader, standby } = await roles();
    const from = performance.now();

    await leader.kill('SIGTERM');
    const ended = performance.now() - from;
    await isTold(from, standby.name, '"beat"');

    expect(leader.child.exitCode).toBe(0);
    expect(ended).toBeLessThan(6_000);
    expect(performance.now() - from).toBeLessThan(15_000);
  });
});
