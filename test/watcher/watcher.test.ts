import { describe, expect, it } from 'vitest';
import template from '../../handlers/_template/handler.ts';
import { Node, Pod } from '../../shared/kinds.ts';
import type { Fact } from '../../shared/model.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import { type Account, cursorIn } from '../../shared/runtime/watcher/cursor.ts';
import { gate } from '../../shared/runtime/watcher/gate.ts';
import { PATIENCE } from '../../shared/runtime/watcher/tenure.ts';
import { watcher } from '../../shared/runtime/watcher/watcher.ts';
import { watcherMetrics } from '../../shared/runtime/watcher/watcher-metrics.ts';
import { pretendLease } from './pretend-lease.ts';
import { universe } from './universe.ts';

const MINUTE = 60_000;
const quiet = { info() {}, warn() {}, error() {} };
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', name, uid: name });

/** One Lease, one bus that may be down, and watchers whose view a test brings about. */
function stage() {
  const all = universe();
  const lease = pretendLease(all, () => 0.5);
  const taken: { readonly fact: Fact; readonly at: number; readonly who: string }[] = [];
  let failure: Error | undefined;
  let tries = 0;

  function start(name: string) {
    const machine = all.machine();
    const clocks = { steady: machine.clock(0, 1), wall: machine.clock(0, 1) };
    const out = gate(clocks);
    const over = new AbortController();
    const client = lease.client(clocks.steady, PATIENCE);
    const metrics = watcherMetrics(clocks.wall.now);
    let view: { readonly bus: Bus; readonly seen: Account } | undefined;
    const one = watcher({
      cluster: { id: 'c1', name: 'one', flavour: 'harvester' },
      ...{ modes: [template], version: '0.1.0', lease: client, me: name, clocks, random: () => 0.5 },
      ...{ gate: out, log: quiet, metrics },
      bus: {
        publish: (outgoing) =>
          out.through(async () => {
            tries += 1;
            if (failure) throw failure;
            taken.push(...outgoing.map(({ fact }) => ({ fact, at: all.now(), who: name })));
          }),
      },
      watch(bus, seen, signal) {
        view = { bus, seen };
        return new Promise((resolve) => void signal.addEventListener('abort', () => resolve()));
      },
    });
    const running = one.run(over.signal);
    const say = (fact: Fact) => void view?.bus.publish([{ fact }]);
    return {
      ...{ machine, one, metrics, running, reach: client.reach },
      stop: () => over.abort(),
      isLooking: () => view !== undefined,
      sees: (objects: number) => view?.seen.listed(Node, 'nodes', objects),
      hears: () => view?.seen.heard(Node, 'nodes'),
      seesPods: () => view?.seen.listed(Pod, 'pods', 5),
      changes: (name: string) =>
        say({ event: 'observed', cluster: 'c1', mode: template.id, because: 'changed', objects: [node(name)] }),
      isBlind: (kind: string) => say({ event: 'blinded', cluster: 'c1', kind, because: `not seeing any ${kind}: 403` }),
      seesAgain: (kind: string) =>
        say({ event: 'sighted', cluster: 'c1', kind, because: `seeing every ${kind} again` }),
    };
  }

  return {
    ...{ all, lease, taken, start },
    tries: () => tries,
    bus(because?: string, more: object = {}) {
      failure = because === undefined ? undefined : Object.assign(new Error(because), more);
    },
    since: (from: number) => taken.filter(({ at }) => at >= from).map(({ fact }) => fact),
  };
}

async function leading(bed: ReturnType<typeof stage>, name = 'a') {
  const one = bed.start(name);
  await bed.all.pass(30_000);
  one.sees(3);
  await bed.all.pass(30_000);
  return one;
}

describe('A watcher that begins to lead', () => {
  it('has every failure mode look, tells that it is alive, and says nothing of a past that there was not', async () => {
    const bed = stage();

    const one = await leading(bed);

    expect(bed.taken.map(({ fact }) => fact)).toEqual([
      { event: 'beat', cluster: 'c1', name: 'one', flavour: 'harvester', version: '0.1.0' },
      { event: 'observed', cluster: 'c1', mode: template.id, because: 'a watcher began to lead', objects: [] },
    ]);
    expect(one.one.unwell()).toBeUndefined();
  });

  it('beats every five minutes', async () => {
    const bed = stage();
    await leading(bed);

    await bed.all.pass(60 * MINUTE);

    expect(bed.taken.filter(({ fact }) => fact.event === 'beat')).toHaveLength(13);
  });

  it('tells a change within two seconds, and gathers what follows', async () => {
    const bed = stage();
    const one = await leading(bed);
    const from = bed.all.now();

    for (let n = 0; n < 100; n += 1) {
      one.changes(`n${n}`);
      await bed.all.pass(10);
    }
    await bed.all.pass(2_000);

    const told = bed.since(from);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ event: 'observed', because: 'changed', objects: [node('n0')] });
  });
});

describe('While the bus is down', () => {
  it('for ten minutes it keeps what is new without growing, and tells it afterwards, with what happened', async () => {
    const bed = stage();
    const one = await leading(bed);
    const from = bed.all.now();
    bed.bus('the bus answered 503');

    for (let n = 0; n < 600; n += 1) {
      one.changes(`n${n}`);
      one.hears();
      await bed.all.pass(1_000);
    }
    const tries = bed.tries();
    const metrics = one.metrics.text();
    const unwell = one.one.unwell();
    bed.bus();
    await bed.all.pass(35_000);

    expect(tries).toBeLessThan(40);
    expect(metrics).toContain('gleaner_watcher_waiting 2');
    expect(unwell).toContain('it leads and cannot send since 2026-01-15T12:01:00');
    expect(bed.since(from).map(({ event }) => event)).toEqual(['observed', 'beat', 'sighted']);
    expect(bed.since(from)[0]).toMatchObject({ objects: expect.arrayContaining([node('n0')]) });
    expect(bed.since(from)[2]).toMatchObject({
      kind: 'everything',
      because: expect.stringMatching(
        /^nothing could be sent from 12:01:00 UTC to 12:11:\d\d UTC \(the bus answered 503\): 5\d\d changes of objects came meanwhile/,
      ),
    });
    expect(one.one.unwell()).toBeUndefined();
  });

  it('the cursor stands still, so that the next leader counts from when nothing more arrived', async () => {
    const bed = stage();
    const one = await leading(bed);
    one.hears();
    bed.bus('down');

    one.changes('n1');
    for (let n = 0; n < 60; n += 1) {
      await bed.all.pass(1_000);
      one.hears();
    }

    expect(cursorIn(bed.lease.record()?.note)?.seen).toEqual({ Node: '2026-01-15T12:01:00.000Z' });
    one.machine.kill();
    bed.bus();
    const next = await leading(bed, 'b');
    next.sees(500);
    await bed.all.pass(60_000);
    expect(bed.taken.filter(({ who }) => who === 'b').map(({ fact }) => fact)).toContainEqual({
      ...{ event: 'sighted', cluster: 'c1', kind: 'everything' },
      because: expect.stringMatching(
        /^nobody watched from 12:01:00 UTC to 12:02:\d\d UTC: 3 objects of 1 kind re-checked/,
      ),
    });
  });

  it('waits as long as it is asked to', async () => {
    const bed = stage();
    const one = await leading(bed);
    bed.bus('the ingest answered 429', { retryAfter: 25 });
    const before = bed.tries();

    one.changes('n1');
    await bed.all.pass(24_900);
    const soon = bed.tries();
    await bed.all.pass(200);

    expect([soon - before, bed.tries() - before]).toEqual([1, 2]);
  });
});

describe('A watcher that does not see a kind', () => {
  it('says so, is unwell, and reports afterwards what was re-checked', async () => {
    const bed = stage();
    const one = await leading(bed);
    one.hears();
    await bed.all.pass(50_000);
    const from = bed.all.now();

    one.isBlind('Node');
    await bed.all.pass(5_000);
    const unwell = one.one.unwell();
    await bed.all.pass(7 * MINUTE);
    one.seesAgain('Node');
    one.sees(212);
    await bed.all.pass(15_000);

    expect(unwell).toBe('it leads and does not see 1 kind: Node');
    expect(one.one.unwell()).toBeUndefined();
    expect(bed.since(from).filter(({ event }) => event !== 'beat')).toEqual([
      { event: 'blinded', cluster: 'c1', kind: 'Node', because: 'not seeing any Node: 403' },
      {
        ...{ event: 'sighted', cluster: 'c1', kind: 'Node' },
        because: 'not seeing any Node from 12:01:00 UTC to 12:08:55 UTC: 212 objects re-checked',
      },
    ]);
  });

  it('leaves it to the next leader to say that it is seen again', async () => {
    const bed = stage();
    const one = await leading(bed);
    one.isBlind('Pod');
    await bed.all.pass(10_000);

    one.stop();
    await bed.all.pass(5_000);
    const next = await leading(bed, 'b');
    next.seesPods();
    await bed.all.pass(10_000);

    expect(bed.taken.filter(({ who }) => who === 'b').map(({ fact }) => fact)).toContainEqual({
      ...{ event: 'sighted', cluster: 'c1', kind: 'Pod' },
      because: 'seeing every Pod again, after another watcher began to lead',
    });
  });
});

describe('The end of a leader', () => {
  it('in order: it sends what waits, gives the Lease back, and another one leads within seconds', async () => {
    const bed = stage();
    const [one, other] = [await leading(bed), bed.start('b')];
    await bed.all.pass(30_000);
    const from = bed.all.now();

    one.changes('n1');
    one.changes('n2');
    one.stop();
    await bed.all.pass(100);
    await one.running;
    await bed.all.pass(5_000);

    expect(bed.since(from)[0]).toMatchObject({ event: 'observed', objects: [node('n1'), node('n2')] });
    expect(other.isLooking()).toBe(true);
    expect(bed.lease.record()?.holder).toBe('b');
    expect(bed.since(from).filter(({ event }) => event === 'sighted')).toEqual([]);
  });

  it('without the API server: it says so while it may, then nothing, and is unwell', async () => {
    const bed = stage();
    const one = await leading(bed);
    const from = bed.all.now();

    one.reach(false);
    await bed.all.pass(20_000);
    one.changes('n1');
    await bed.all.pass(5 * MINUTE);
    const silence = bed.since(from + 18_000);
    const unwell = one.one.unwell();
    one.reach(true);
    await bed.all.pass(40_000);

    expect(bed.since(from)[0]).toMatchObject({ event: 'blinded', kind: 'everything' });
    expect(silence).toEqual([]);
    expect(unwell).toContain('neither leads nor stands by');
    expect(bed.since(from)).toContainEqual({
      ...{ event: 'sighted', cluster: 'c1', kind: 'everything' },
      because: expect.stringMatching(/^nobody watched from /),
    });
    expect(one.one.unwell()).toBeUndefined();
  });
});
