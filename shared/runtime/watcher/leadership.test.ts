import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PretendLease, pretendLease } from '../../../test/watcher/pretend-lease.ts';
import { type Machine, type MachineClock, type Universe, universe } from '../../../test/watcher/universe.ts';
import { Closed, gate } from './gate.ts';
import { type Leadership, leadership, type Term } from './leadership.ts';
import { PATIENCE, SEND } from './tenure.ts';

const quiet = { info() {}, warn() {}, error() {} };

/** Something that went out, in true time. */
interface Sent {
  readonly who: number;
  readonly from: number;
  readonly to: number;
}

interface Contender {
  readonly machine: Machine;
  readonly wall: MachineClock;
  readonly leadership: Leadership;
  readonly terms: Term[];
  reach(isReached: boolean): void;
  stop(): void;
}

interface Skew {
  readonly offset: number;
  readonly rate: number;
}

/** A process that wants to lead, and sends without end while it may. */
function contender(
  world: { universe: Universe; lease: PretendLease; sent: Sent[]; random: () => number },
  who: number,
  skew: Skew,
): Contender {
  const { universe: all, lease, sent, random } = world;
  const machine = all.machine();
  const [steady, wall] = [machine.clock(0, skew.rate), machine.clock(skew.offset, skew.rate)];
  const client = lease.client(steady, PATIENCE);
  const clocks = { steady, wall };
  const out = gate(clocks);
  const over = new AbortController();
  const terms: Term[] = [];
  const leading = leadership({
    lease: client,
    me: `watcher-${who}`,
    clocks,
    random,
    log: quiet,
    note: () => `noted by ${who}`,
  });

  /** A request on the wire takes effect when it arrives, at the latest when it is cut off. */
  async function send(): Promise<void> {
    const from = all.now();
    await out.through((signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const takes = random() * 2 * SEND;
      sent.push({ who, from, to: from + Math.min(takes, SEND / skew.rate) });
      const cancel = steady.after(takes, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
      return promise;
    });
  }

  async function lead(term: Term): Promise<void> {
    terms.push(term);
    out.open(term.left);
    while (!term.over.aborted) {
      await send().catch(async (error) => {
        if (!(error instanceof Closed)) return;
        await new Promise<void>((resolve) => void steady.after(500, resolve));
      });
    }
    out.open(undefined);
  }

  void leading.run(lead, over.signal);
  return { ...{ machine, wall, terms }, leadership: leading, reach: client.reach, stop: () => over.abort() };
}

function stage(count: number, skews: readonly Skew[] = [], random: () => number = () => 0.5) {
  const all = universe();
  const lease = pretendLease(all, random);
  const sent: Sent[] = [];
  const world = { universe: all, lease, sent, random };
  const some = Array.from({ length: count }, (_, who) => contender(world, who, skews[who] ?? { offset: 0, rate: 1 }));
  const leaders = () =>
    some.flatMap(({ leadership: one, machine }, who) =>
      one.standing() === 'leading' && !machine.isDead() ? [who] : [],
    );
  return { ...world, some, leaders };
}

/** Pairs of different senders whose requests were under way at once, each with the one before that ended last. */
function overlaps(sent: readonly Sent[]): (readonly [Sent, Sent])[] {
  const last = new Map<number, Sent>();
  return sent.flatMap((one) => {
    const others = [...last.values()].filter(({ who, to }) => who !== one.who && one.from < to);
    const own = last.get(one.who);
    if (!own || own.to < one.to) last.set(one.who, one);
    return others.map((other) => [other, one] as const);
  });
}

describe('Of several watchers', () => {
  it('one leads, and the others stand by', async () => {
    const { universe: all, leaders, some, sent } = stage(3);

    await all.pass(60_000);

    expect(leaders()).toHaveLength(1);
    expect(some.map(({ leadership: one }) => one.standing()).filter((how) => how === 'waiting')).toHaveLength(2);
    expect(sent.length).toBeGreaterThan(3);
  });

  it('another leads within 30 seconds after the leader was killed', async () => {
    const { universe: all, leaders, some, sent } = stage(2);
    await all.pass(60_000);
    const [first = -1] = leaders();
    const at = all.now();

    some[first]?.machine.kill();
    await all.pass(30_000);

    const [second] = leaders();
    expect(second).toBe(1 - first);
    expect(some[1 - first]?.terms).toMatchObject([{ note: `noted by ${first}`, inOrder: false }]);
    expect(sent.filter(({ who, from }) => who === second && from > at)[0]?.from).toBeLessThanOrEqual(at + 30_000);
  });

  it('another leads within a few seconds after the leader gave up in order, and knows that it was so', async () => {
    const { universe: all, leaders, some } = stage(2);
    await all.pass(60_000);
    const [first = -1] = leaders();

    some[first]?.stop();
    await all.pass(4_500 + 2 * SEND);

    expect(leaders()).toEqual([1 - first]);
    expect(some[1 - first]?.terms).toMatchObject([{ note: `noted by ${first}`, inOrder: true }]);
  });

  it('the leader stops sending before another one begins when it alone loses the API server', async () => {
    const { universe: all, leaders, some, sent } = stage(2);
    await all.pass(60_000);
    const [first = -1] = leaders();
    const at = all.now();

    some[first]?.reach(false);
    await all.pass(120_000);

    const last = Math.max(...sent.filter(({ who }) => who === first).map(({ to }) => to));
    const begun = Math.min(...sent.filter(({ who, from }) => who !== first && from > at).map(({ from }) => from));
    expect(last).toBeLessThan(begun);
    expect(leaders()).toEqual([1 - first]);
    expect(some[first]?.leadership.standing()).toBe('apart');
  });

  it('nobody takes over although somebody deletes the Lease, and the leader goes on', async () => {
    const { universe: all, leaders, lease, sent } = stage(3);
    await all.pass(60_000);
    const [first = -1] = leaders();

    lease.remove();
    await all.pass(60_000);

    expect(leaders()).toEqual([first]);
    expect(lease.record()?.holder).toBe(`watcher-${first}`);
    expect(overlaps(sent)).toEqual([]);
  });

  it('the leader gives up at once when its wall clock shows that it slept, and at most renews then', async () => {
    const { universe: all, leaders, some, sent } = stage(2);
    await all.pass(60_000);
    const [first = -1] = leaders();

    some[first]?.wall.jump(3_600_000);

    expect(some[first]?.leadership.standing()).toBe('apart');
    await all.pass(30_000);
    expect(leaders()).toHaveLength(1);
    expect(overlaps(sent)).toEqual([]);
  });
});

/** One of them by number; 3: whoever leads at that moment. */
const who = fc.oneof(fc.nat(2), { arbitrary: fc.constant(3), weight: 2 });
const Act = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 100, max: 40_000 }) }), weight: 4 },
  fc.record({
    do: fc.constant('weather' as const),
    latency: fc.integer({ min: 0, max: 4_000 }),
    loss: fc.constantFrom(0, 0.1, 0.5),
  }),
  { arbitrary: fc.record({ do: fc.constant('reach' as const), who, isReached: fc.boolean() }), weight: 4 },
  fc.record({ do: fc.constant('freeze' as const), who, ms: fc.integer({ min: 100, max: 60_000 }) }),
  fc.record({ do: fc.constant('jump' as const), who, ms: fc.integer({ min: -3_600_000, max: 3_600_000 }) }),
  fc.record({ do: fc.constant('kill' as const), who: fc.nat(1) }),
  fc.record({ do: fc.constant('stop' as const), who: fc.nat(1) }),
  fc.record({ do: fc.constant('remove' as const) }),
);
type Act = typeof Act extends fc.Arbitrary<infer A> ? A : never;

type Stage = ReturnType<typeof stage>;

function act({ some, lease, leaders }: Stage, what: Act): unknown {
  const one = 'who' in what ? some[what.who === 3 ? (leaders()[0] ?? 0) : what.who] : undefined;
  switch (what.do) {
    case 'pass':
      return undefined;
    case 'weather':
      return lease.weather(what);
    case 'reach':
      return one?.reach(what.isReached);
    case 'freeze':
      return one?.machine.freeze(what.ms);
    case 'jump':
      return one?.wall.jump(what.ms);
    case 'kill':
      return one?.machine.kill();
    case 'stop':
      return one?.stop();
    case 'remove':
      return lease.remove();
  }
}

const Skews = fc.array(
  fc.record({
    offset: fc.integer({ min: -600_000, max: 600_000 }),
    rate: fc.double({ min: 0.98, max: 1.02, noNaN: true }),
  }),
  { minLength: 3, maxLength: 3 },
);

describe('Two leaders', () => {
  it('never send at once, whatever becomes of clocks, machines, the Lease and the way to it; and somebody leads in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        Skews,
        fc.array(Act, { minLength: 5, maxLength: 30 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (skews, acts, chance) => {
          const all = stage(3, skews, () => chance.next().value ?? 0.5);
          await all.universe.pass(30_000);
          for (const what of acts) {
            act(all, what);
            await all.universe.pass(what.do === 'pass' ? what.ms : 200);
          }

          expect(overlaps(all.sent)).toEqual([]);

          all.lease.weather({ latency: 50, loss: 0 });
          for (const one of all.some) one.reach(true);
          await all.universe.pass(120_000);
          expect(all.leaders()).toHaveLength(1);
          expect(overlaps(all.sent)).toEqual([]);
        },
      ),
      { numRuns: Number(process.env.GLEANER_RUNS ?? 60) },
    );
  }, 120_000);
});
