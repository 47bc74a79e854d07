import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trigger } from '../../../handler.ts';
import { Pod } from '../../../kinds.ts';
import type { JsonObject } from '../../../objects.ts';
import { memory } from './memory.ts';

const phase = trigger({ kind: Pod, fields: (pod) => pod.status?.phase });

const pod = (name: string, version: string, status: JsonObject, uid = `uid-${name}`): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', status },
  metadata: { name, namespace: 'ns', uid, resourceVersion: version },
});
const running = { phase: 'Running' };

describe('What is remembered of a collection', () => {
  it('names the object that a change belongs to', () => {
    const known = memory(Pod, [phase]);

    const changes = known.put(pod('a', '1', running));

    expect(changes).toEqual([
      { wake: phase, ref: { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'a', uid: 'uid-a' } },
    ]);
  });

  it('does not look twice at a version that it knows', () => {
    let looked = 0;
    const known = memory(Pod, [{ kind: Pod, fields: () => (looked += 1) }]);

    known.put(pod('a', '1', running));
    known.put(pod('a', '1', running));

    expect(looked).toBe(1);
  });

  it('takes an object that its kind can no longer read for a change, once', () => {
    const known = memory(Pod, [phase]);
    known.put(pod('a', '1', running));

    expect(known.put(pod('a', '2', { phase: 7 }))).toHaveLength(1);
    expect(known.put(pod('a', '3', { phase: 8 }))).toHaveLength(0);
    expect(known.put(pod('a', '4', running))).toHaveLength(1);
  });

  it('says nothing of an object that never mattered, nor of its end', () => {
    const known = memory(Pod, [{ kind: Pod, fields: () => undefined }]);

    expect(known.put(pod('a', '1', running))).toEqual([]);
    expect(known.drop(pod('a', '2', running))).toEqual([]);
  });

  it('knows after any list exactly what the list holds, and tells exactly the difference', () => {
    const world = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('Pending', 'Running', 'Failed'));
    fc.assert(
      fc.property(fc.array(world, { minLength: 1, maxLength: 6 }), (worlds) => {
        const known = memory(Pod, [phase]);
        let before: Record<string, string> = {};
        for (const [turn, now] of worlds.entries()) {
          const comparison = known.compare();
          const changes = Object.entries(now).flatMap(([name, is]) => [
            ...comparison.put(pod(name, `${turn}-${name}`, { phase: is })),
          ]);
          changes.push(...comparison.end());

          const names = new Set([...Object.keys(before), ...Object.keys(now)]);
          const expected = [...names].filter((name) => before[name] !== now[name]);
          expect(changes.map(({ ref }) => ref.name).sort()).toEqual(expected.sort());
          expect(known.size).toBe(Object.keys(now).length);
          before = now;
        }
      }),
      { numRuns: 500 },
    );
  });
});
