import { describe, expect, it } from 'vitest';
import { paintMode } from '../../test/simulator/mode.ts';
import { BROKEN, paintWorld } from '../../test/simulator/paint.ts';
import { manualClock } from '../adapters/clock/manual.ts';
import type { Mode, ObjectRef } from '../handler.ts';
import type { Fact } from '../model.ts';
import type { Watched } from '../ports/cluster.ts';
import { watch } from './watch.ts';

const other: Mode = { ...paintMode, id: 'other', triggers: paintMode.triggers.map((wake) => ({ ...wake })) };
const nodes = (count: number, from = 0): ObjectRef[] =>
  Array.from({ length: count }, (_, index) => ({ apiVersion: 'v1', kind: 'Node', name: `node${from + index}` }));

/** A watch whose cluster says what the test says. */
function watched(modes: readonly Mode[] = [paintMode]) {
  const painted = paintWorld([BROKEN]);
  const clock = manualClock('2026-01-15T12:00:00Z');
  const published: Fact[] = [];
  const ending = new AbortController();
  let tell = (_: Watched) => {};
  const bus = {
    publish: async (outgoing: readonly { fact: Fact }[]) => void published.push(...outgoing.map((one) => one.fact)),
  };
  const cluster = {
    ...painted.cluster,
    async watch(_: unknown, say: typeof tell) {
      tell = say;
    },
  };
  void watch({ ...painted.world, modes }, { bus, clock }, cluster, ending.signal);
  const changed = (mode: Mode, objects: readonly ObjectRef[]) => {
    for (const wake of mode.triggers) tell({ is: 'changed', wake, objects });
  };
  return { clock, published, ending, changed, tell: (what: Watched) => tell(what) };
}

const named = (facts: readonly Fact[]) =>
  facts.map((fact) =>
    fact.event === 'observed' ? [fact.mode, fact.objects.map(({ name }) => name).join(' ')] : fact.event,
  );

describe('a watch', () => {
  it('tells of a change at once', () => {
    const { changed, published } = watched();

    changed(paintMode, nodes(1));

    expect(named(published)).toEqual([['paint', 'node0']]);
  });

  it('makes one event of everything that follows within a second', () => {
    const { changed, published, clock } = watched();
    changed(paintMode, nodes(1));

    for (let index = 1; index <= 3; index++) {
      clock.advance(300);
      changed(paintMode, nodes(1, index));
    }
    clock.advance(100);

    expect(named(published)).toEqual([
      ['paint', 'node0'],
      ['paint', 'node1 node2 node3'],
    ]);
  });

  it('goes on gathering by the second while a storm lasts, and misses none of its end', () => {
    const { changed, published, clock } = watched();

    for (let index = 0; index < 50; index++) {
      changed(paintMode, nodes(1, index));
      clock.advance(100);
    }
    clock.advance(1_000);

    expect(published).toHaveLength(6);
    expect(named(published).at(-1)).toEqual(['paint', expect.stringMatching(/ node49$/)]);
  });

  it('tells at once again when a second has passed without a change', () => {
    const { changed, published, clock } = watched();
    changed(paintMode, nodes(1));
    clock.advance(1_000);

    changed(paintMode, nodes(1, 1));

    expect(named(published)).toEqual([
      ['paint', 'node0'],
      ['paint', 'node1'],
    ]);
  });

  it('does not let the storm of one mode hold back another', () => {
    const { changed, published } = watched([paintMode, other]);
    changed(paintMode, nodes(1));
    changed(paintMode, nodes(1, 1));

    changed(other, nodes(1, 2));

    expect(named(published)).toEqual([
      ['paint', 'node0'],
      ['other', 'node2'],
    ]);
  });

  it('names the first twenty objects of a storm', () => {
    const { changed, published } = watched();

    changed(paintMode, nodes(30));

    expect(published).toMatchObject([{ objects: nodes(20) }]);
  });

  it('publishes nothing once it was ended', () => {
    const { changed, published, clock, ending } = watched();
    changed(paintMode, nodes(1));
    changed(paintMode, nodes(1, 1));

    ending.abort();
    clock.advance(5_000);

    expect(published).toHaveLength(1);
  });

  it('tells that it sees nothing of a kind, and that it sees again', () => {
    const { tell, published } = watched();
    const [{ kind } = { kind: undefined }] = paintMode.triggers;
    if (!kind) throw new Error('the mode has no trigger');

    tell({ is: 'blind', kind, because: 'HTTP 403' });
    tell({ is: 'seeing', kind });

    expect(published).toMatchObject([
      { event: 'blinded', because: 'not seeing any Node: HTTP 403' },
      { event: 'sighted', because: 'seeing every Node again' },
    ]);
  });
});
