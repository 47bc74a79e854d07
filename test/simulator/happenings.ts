import fc from 'fast-check';
import type { Fault } from './cluster.ts';
import type { History } from './history.ts';
import { BROKEN, look, node, type Painted, vm } from './paint.ts';

const FAULTS: readonly Fault[] = ['none', 'lost-answer', 'lost-request', 'late', 'throttled', 'raced', 'rejected'];
const HOUR = 3_600_000;

const what = <const W extends string, R extends object>(name: W, rest: { [K in keyof R]: fc.Arbitrary<R[K]> }) =>
  fc.record<R>(rest).map((record) => ({ ...record, what: name }));
const one = <const T extends string>(...names: readonly T[]) => fc.constantFrom(...names);

/** What happens next: a delivery (perhaps twice, or two at once), time, a crash, a person, or somebody else's write. */
export const Happening = fc.oneof(
  { weight: 16, arbitrary: what('deliver', { pick: fc.nat(20), twice: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: what('together', {
      first: fc.nat(20),
      second: fc.nat(20),
      turns: fc.array(fc.nat(9), { minLength: 1 }),
    }),
  },
  { weight: 5, arbitrary: what('time', { ms: fc.integer({ min: 1_000, max: 40_000 }) }) },
  { weight: 1, arbitrary: what('time', { ms: fc.constantFrom(10 * 60_000, HOUR, 25 * HOUR) }) },
  { weight: 2, arbitrary: what('tick', {}) },
  { weight: 3, arbitrary: what('settle', { minutes: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 3, arbitrary: what('fault', { fault: fc.constantFrom(...FAULTS) }) },
  { weight: 2, arbitrary: what('crash', { at: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 3, arbitrary: what('look', {}) },
  { weight: 4, arbitrary: what('approve', { who: one('local:ann', 'slack:U1', 'local:bob', 'local:eve') }) },
  {
    weight: 1,
    arbitrary: what('click', { choice: one('reject', 'snooze', 'again'), pick: fc.nat(5) }),
  },
  { weight: 2, arbitrary: what('undo', {}) },
  { weight: 1, arbitrary: what('emergency', { choice: one('stop', 'resume') }) },
  { weight: 1, arbitrary: what('reach', { down: fc.boolean() }) },
  { weight: 1, arbitrary: what('policy', { as: one('alone', 'both', 'observe', 'apply') }) },
  {
    weight: 3,
    arbitrary: what('write', {
      as: one('beat', 'paint', 'heal', 'break', 'busy', 'unsound', 'vm', 'halt', 'storm', 'calm'),
    }),
  },
);
export type Happening = typeof Happening extends fc.Arbitrary<infer T> ? T : never;

export async function happen(world: Painted, happening: Happening, history: History) {
  const { cluster } = world;
  switch (happening.what) {
    case 'deliver':
      return world.deliver((count) => happening.pick % count, happening.twice);
    case 'together': {
      history.interleave(happening.turns);
      const picks = [happening.first, happening.second].map((pick) => world.deliver((count) => pick % count));
      await Promise.all(picks);
      return history.interleave([]);
    }
    case 'time':
      return world.advance(happening.ms);
    case 'tick':
      return world.tick();
    case 'fault':
      return failOnce(world, happening.fault);
    case 'crash':
      return history.crash(happening.at);
    case 'settle':
      return world.settle(happening.minutes);
    case 'undo': {
      const done = (await world.proposals()).findLast(({ state }) => ['fixed', 'failed', 'unknown'].includes(state));
      return done && void world.click({ choice: 'undo', proposal: done.id });
    }
    case 'look':
      return look(world);
    case 'write':
      write(world, happening.as);
      return happening.as === 'halt' ? history.halted() : undefined;
    case 'emergency':
      return void world.click({ choice: happening.choice, cluster: cluster.id });
    case 'reach':
      cluster.down = happening.down;
      return;
    case 'policy':
      return govern(world, happening.as);
    case 'approve': {
      const open = (await world.proposals()).find(({ state }) => state === 'open');
      const plan = open?.found.offer.plans[0]?.id;
      if (open && plan)
        world.click({ choice: 'approve', proposal: open.id, who: happening.who, plan, revision: open.revision });
      return;
    }
    case 'click': {
      const proposals = await world.proposals();
      const proposal = proposals[happening.pick % proposals.length]?.id;
      if (proposal) world.click({ choice: happening.choice, proposal, who: 'local:ann' });
      return;
    }
  }
}

function failOnce({ cluster }: Painted, fault: Fault) {
  let pending: Fault | undefined = fault;
  cluster.fault = () => {
    const now = pending ?? 'none';
    pending = undefined;
    return now;
  };
}

export function govern(world: Painted, as: 'alone' | 'both' | 'observe' | 'apply') {
  if (as === 'observe' || as === 'apply') Object.assign(world.cluster, { does: as });
  else
    world.approvers.splice(0, 2, ...(as === 'both' ? (['local:ann', 'local:bob'] as const) : (['local:ann'] as const)));
}

/** Writes as somebody else would. */
function write({ cluster, now, also }: Painted, as: string) {
  const beat = now().toISOString();
  const more = { metadata: { annotations: { sound: 'yes', beat } } };
  const broken = { broken: 'true', colour: 'red', ...also };
  if (as === 'beat') cluster.set({ ...(cluster.object('Node node1') ?? BROKEN) });
  if (as === 'paint') cluster.set(node({ ...broken, colour: beat }, more));
  if (as === 'heal') cluster.set(node({ colour: 'red', ...also }, more));
  if (as === 'break') cluster.set(node(broken, more));
  if (as === 'busy') cluster.set(node(broken, { metadata: { annotations: { busy: 'yes' } } }));
  if (as === 'unsound') cluster.set(node(broken, { metadata: { annotations: { sound: 'no' } } }));
  if (as === 'vm') cluster.set(vm('vm1'));
  if (as === 'halt') {
    // A stop of ours that is still on its way could not be told from theirs: nothing guards a subresource.
    cluster.settleLate();
    cluster.set(vm('vm1', false));
  }
  for (const name of ['node2', 'node3']) {
    const labels: Record<string, string> = as === 'storm' ? { broken: 'true' } : {};
    if (as === 'storm' || as === 'calm') cluster.set(node(labels, { metadata: { name, uid: `u-${name}` } }));
  }
}
