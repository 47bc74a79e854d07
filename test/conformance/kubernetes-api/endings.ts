import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../shared/handler.ts';
import { at, isObject, listAt, numberAt, textAt } from '../../../shared/playground/json.ts';
import { until } from '../../cluster/bed/until.ts';
import {
  type ApiPlace,
  configMap,
  configMaps,
  created,
  custom,
  MERGE,
  metadata,
  pods,
  SPACE,
  widgets,
} from './place.ts';

export function endingsConform(place: () => ApiPlace): void {
  const send: ApiPlace['send'] = (...request) => place().send(...request);
  const codeOf = async (path: string) => (await send('GET', path)).code;

  describe('deleting', () => {
    it('leaves the object where the dry run stands in the body', async () => {
      const { uid } = metadata(await created(place(), configMaps, configMap('spared')));

      const { code } = await send('DELETE', `${configMaps}/spared`, { dryRun: ['All'], preconditions: { uid } });

      expect(code).toBe(200);
      expect(await codeOf(`${configMaps}/spared`)).toBe(200);
    });

    it('really deletes where the dry run stands in the query beside a body', async () => {
      const { uid } = metadata(await created(place(), configMaps, configMap('gone')));

      await send('DELETE', `${configMaps}/gone?dryRun=All`, { preconditions: { uid } });

      expect(await codeOf(`${configMaps}/gone`)).toBe(404);
    });

    it('leaves the object where the dry run stands in the query and there is no body', async () => {
      await created(place(), configMaps, configMap('spared-too'));

      const { code } = await send('DELETE', `${configMaps}/spared-too?dryRun=All`);

      expect(code).toBe(200);
      expect(await codeOf(`${configMaps}/spared-too`)).toBe(200);
    });

    it('is refused where another uid or revision is expected', async () => {
      const { uid, resourceVersion } = metadata(await created(place(), configMaps, configMap('guarded')));
      const other = '00000000-0000-4000-8000-000000000000';
      await send('PATCH', `${configMaps}/guarded`, { data: { a: 'b' } }, MERGE);

      const byUid = await send('DELETE', `${configMaps}/guarded`, { preconditions: { uid: other } });
      const byVersion = await send('DELETE', `${configMaps}/guarded`, { preconditions: { uid, resourceVersion } });

      expect([byUid.code, byVersion.code]).toEqual([409, 409]);
      expect(byUid.body).toMatchObject({ reason: 'Conflict' });
      expect(await codeOf(`${configMaps}/guarded`)).toBe(200);
    });

    it('waits for the finalizers, and takes no new ones', async () => {
      const path = `${widgets}/held`;
      await created(place(), widgets, custom('Widget', 'held', {}, { finalizers: ['gleaner.test/hold'] }));

      await send('DELETE', path);
      const held = await send('GET', path);
      const added = await send(
        'PATCH',
        path,
        { metadata: { finalizers: ['gleaner.test/hold', 'gleaner.test/more'] } },
        MERGE,
      );
      await send('PATCH', path, { metadata: { finalizers: [] } }, MERGE);

      expect(textAt(held.body, 'metadata', 'deletionTimestamp')).toMatch(/Z$/);
      expect(added.code).toBe(422);
      expect(await codeOf(path)).toBe(404);
    });

    it('an owner takes along what it owns', async () => {
      const { uid } = metadata(await created(place(), configMaps, configMap('owner')));
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
      const owned = configMap('owned');
      await created(place(), configMaps, { ...owned, metadata: { name: 'owned', ownerReferences } });

      await send('DELETE', `${configMaps}/owner`, { propagationPolicy: 'Background' });

      await until('the owned object goes', async () => (await codeOf(`${configMaps}/owned`)) === 404 || undefined);
    });

    it('a collection takes what the selector names', async () => {
      await created(place(), configMaps, configMap('many-1', {}, { set: 'many' }));
      await created(place(), configMaps, configMap('many-2', {}, { set: 'many' }));

      await send('DELETE', `${configMaps}?labelSelector=set%3Dmany`);

      expect([await codeOf(`${configMaps}/many-1`), await codeOf(`${configMaps}/many-2`)]).toEqual([404, 404]);
    });
  });

  podsConform(place);
}

const budgets = `/apis/policy/v1/namespaces/${SPACE}/poddisruptionbudgets`;
const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'main', image: 'none' }], ...spec },
});
const eviction = (name: string, deleteOptions: JsonObject = {}): JsonObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: SPACE },
  deleteOptions,
});

function podsConform(place: () => ApiPlace): void {
  const send: ApiPlace['send'] = (...request) => place().send(...request);
  const running = async (name: string, spec?: JsonObject) => {
    await created(place(), pods, pod(name, spec));
    return until(`${name} runs`, async () => {
      const { body } = await send('GET', `${pods}/${name}`);
      return textAt(body, 'status', 'phase') === 'Running' ? body : undefined;
    });
  };
  const budgeted = async (name: string, minAvailable: number, allowed: number) => {
    await created(place(), budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable, selector: { matchLabels: { app: name } } },
    });
    await until(`the budget of ${name} is counted`, async () => {
      const { body } = await send('GET', `${budgets}/${name}`);
      const status = at(body, 'status');
      return (
        (numberAt(status, 'currentHealthy') === 1 && numberAt(status, 'disruptionsAllowed') === allowed) || undefined
      );
    });
  };

  describe('a pod', () => {
    it('is placed on a node, runs there, and is found by its node and phase', async () => {
      const body = await running('placed');
      const node = textAt(body, 'spec', 'nodeName') ?? '';

      const { body: found } = await send(
        'GET',
        `${pods}?fieldSelector=${encodeURIComponent(`spec.nodeName=${node},status.phase=Running,metadata.name=placed`)}`,
      );

      expect(node).not.toBe('');
      expect(found).toMatchObject({ items: [{ metadata: { name: 'placed' } }] });
    });

    it('keeps the node that it has: most of its spec cannot be changed', async () => {
      await running('fixed');

      expect((await send('PATCH', `${pods}/fixed`, { spec: { nodeName: 'elsewhere' } }, MERGE)).code).toBe(422);
    });

    it('that no node takes says so in its status', async () => {
      await created(place(), pods, pod('stranded', { nodeSelector: { 'gleaner.test/nowhere': 'true' } }));

      const said = await until('the scheduler says why', async () => {
        const { body } = await send('GET', `${pods}/stranded`);
        const conditions = at(body, 'status', 'conditions');
        const found = Array.isArray(conditions)
          ? conditions.find((each) => textAt(each, 'type') === 'PodScheduled')
          : undefined;
        return isObject(found) ? found : undefined;
      });

      expect(said).toMatchObject({ status: 'False', reason: 'Unschedulable' });
      const nodes = "(\\d+) node\\(s\\) didn't match Pod's node affinity/selector";
      // Releases from 1.34 on speak of claims in between.
      const hope = 'preemption: 0/\\1 nodes are available: \\1 Preemption is not helpful for scheduling';
      expect(textAt(said, 'message')).toMatch(
        new RegExp(`^0/\\d+ nodes are available: ${nodes}. (no new claims to deallocate, )?${hope}.$`),
      );
    });

    it('says what its containers said, down to the last lines, and of the run before', async () => {
      await running('talker');
      await place().say({ namespace: SPACE, name: 'talker' }, 'main', ['one', 'two', 'three']);
      await place().say({ namespace: SPACE, name: 'talker' }, 'main', ['fatal'], true);

      const all = await send('GET', `${pods}/talker/log`);
      const tail = await send('GET', `${pods}/talker/log?container=main&tailLines=2`);
      const previous = await send('GET', `${pods}/talker/log?container=main&previous=true&tailLines=100`);
      const wrong = await send('GET', `${pods}/talker/log?container=other`);

      expect([all.body, tail.body, previous.body]).toEqual(['one\ntwo\nthree\n', 'two\nthree\n', 'fatal\n']);
      expect(wrong.code).toBe(400);
    });

    it('is not evicted while its budget allows none, not even for practice', async () => {
      await running('pinned');
      await budgeted('pinned', 1, 0);

      const real = await send('POST', `${pods}/pinned/eviction`, eviction('pinned'));
      const dry = await send('POST', `${pods}/pinned/eviction`, eviction('pinned', { dryRun: ['All'] }));

      expect([real.code, dry.code]).toEqual([429, 429]);
      expect(real.body).toMatchObject({
        reason: 'TooManyRequests',
        details: { causes: [{ reason: 'DisruptionBudget' }] },
      });
    });

    it('is evicted where its budget allows it, and goes', async () => {
      await running('free');
      await budgeted('free', 0, 1);

      const dry = await send('POST', `${pods}/free/eviction`, eviction('free', { dryRun: ['All'] }));
      const there = await send('GET', `${pods}/free`);
      const real = await send('POST', `${pods}/free/eviction`, eviction('free'));

      expect(textAt(there.body, 'metadata', 'deletionTimestamp')).toBeUndefined();
      expect([dry.code, real.code]).toEqual([201, 201]);
      await until('the pod goes', async () => (await send('GET', `${pods}/free`)).code === 404 || undefined);
    });
  });

  describe('a Deployment', () => {
    it('keeps its pods through a change of its template', async () => {
      const path = `/apis/apps/v1/namespaces/${SPACE}/deployments`;
      const labels = { app: 'rolled' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } };
      await created(place(), path, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'rolled' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      });
      const settled = (generation: number) =>
        until(`generation ${generation} has two ready pods of its own and no other`, async () => {
          const { body } = await send('GET', `${path}/rolled`);
          const status = at(body, 'status');
          const counts = ['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas'].map((field) =>
            numberAt(status, field),
          );
          return counts.join() === [generation, 2, 2, 2].join() || undefined;
        });
      await settled(1);

      const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-05T10:00:00Z' };
      await send('PATCH', `${path}/rolled`, { spec: { template: { metadata: { annotations } } } }, MERGE);
      await settled(2);

      const left = await until('only the new pods are left', async () => {
        const { body } = await send('GET', `${pods}?labelSelector=app%3Drolled`);
        return listAt(body, 'items').length === 2 ? body : undefined;
      });
      expect(left).toMatchObject({ items: [{ metadata: { annotations } }, { metadata: { annotations } }] });
    });
  });
}
