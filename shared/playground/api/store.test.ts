import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../handler.ts';
import { textAt } from '../json.ts';
import { type Change, idOf, objectStore } from './store.ts';

type Act =
  | { readonly is: 'write'; readonly name: string; readonly value: number }
  | { readonly is: 'remove'; readonly name: string };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ is: fc.constant('write' as const), name, value: fc.nat(3) }),
  fc.record({ is: fc.constant('remove' as const), name }),
);
const KEY = '/configmaps';

function perform(store: ReturnType<typeof objectStore>, each: Act): void {
  if (each.is === 'remove') store.remove(KEY, each.name);
  else store.write(KEY, { metadata: { name: each.name }, data: { value: each.value } });
}

function replay(objects: readonly JsonObject[], changes: readonly Change[]): JsonObject[] {
  const known = new Map(objects.map((object) => [idOf(object), object]));
  for (const { is, object } of changes) {
    if (is === 'DELETED') known.delete(idOf(object));
    else known.set(idOf(object), object);
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

it('a list and the changes since its revision give the list of now', () => {
  fc.assert(
    fc.property(fc.array(act), fc.array(act), (before, after) => {
      const store = objectStore();
      for (const each of before) perform(store, each);
      const then = store.snapshot(KEY);
      const heard: Change[] = [];
      store.follow(KEY, (change) => heard.push(change));

      for (const each of after) perform(store, each);

      expect(replay(then.objects, store.since(KEY, then.revision) ?? [])).toEqual(store.snapshot(KEY).objects);
      expect(heard).toEqual(store.since(KEY, then.revision));
    }),
  );
});

it('each change has a revision of its own, which is the resourceVersion of its object', () => {
  fc.assert(
    fc.property(fc.array(act), (acts) => {
      const store = objectStore();
      for (const each of acts) perform(store, each);

      const changes = store.since(KEY, 0) ?? [];
      expect(new Set(changes.map(({ revision }) => revision)).size).toBe(changes.length);
      for (const { object, revision } of changes)
        expect(textAt(object, 'metadata', 'resourceVersion')).toBe(String(revision));
    }),
  );
});

it('forgets its oldest changes and says so, rather than leaving any out', () => {
  const store = objectStore();
  for (let round = 0; round < 5000; round++) store.write(KEY, { metadata: { name: 'busy' }, data: { round } });

  expect(store.since(KEY, 1)).toBeUndefined();
  const recent = store.revision() - 100;
  expect(store.since(KEY, recent)?.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 100 }, (_, index) => recent + index + 1),
  );
});
