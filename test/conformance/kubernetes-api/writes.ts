import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../shared/handler.ts';
import { at, listAt, numberAt, objectAt, textAt, withMetadata } from '../../../shared/playground/json.ts';
import {
  type ApiPlace,
  configMap,
  configMaps,
  created,
  custom,
  gadgets,
  JSON_PATCH,
  MERGE,
  metadata,
  pods,
  widgets,
} from './place.ts';

const generation = (body: Json) => numberAt(body, 'metadata', 'generation');
const STRATEGIC = 'application/strategic-merge-patch+json';

export function writesConform(place: () => ApiPlace): void {
  const send: ApiPlace['send'] = (...request) => place().send(...request);
  const get = async (path: string) => (await send('GET', path)).body;

  describe('creating', () => {
    it('gives an object its uid, revision, time and generation', async () => {
      const body = await created(place(), widgets, custom('Widget', 'born'));

      expect(metadata(body).uid).toMatch(/^[0-9a-f]{8}-/);
      expect(Number(metadata(body).resourceVersion)).toBeGreaterThan(0);
      expect(textAt(body, 'metadata', 'creationTimestamp')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(generation(body)).toBe(1);
    });

    it('refuses a name that is taken, and a namespace that is not there', async () => {
      await created(place(), configMaps, configMap('taken'));

      const again = await send('POST', configMaps, configMap('taken'));
      const nowhere = await send('POST', '/api/v1/namespaces/nowhere/configmaps', configMap('lost'));

      expect(again.code).toBe(409);
      expect(again.body).toMatchObject({ reason: 'AlreadyExists' });
      expect(nowhere.code).toBe(404);
    });

    it('takes neither a revision nor the status of a pod, but the status of a node', async () => {
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      const spec = { containers: [{ name: 'main', image: 'none' }], nodeSelector: { 'gleaner.test/nowhere': 'true' } };
      const revised = configMap('revised');

      const refused = await send('POST', configMaps, withMetadata(revised, { resourceVersion: '1' }));
      const pod = await created(place(), pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'told' },
        spec,
        status,
      });
      const node = await created(place(), '/api/v1/nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'told' },
        spec: { unschedulable: true },
        status: { phase: 'Running' },
      });
      await send('DELETE', '/api/v1/nodes/told');

      expect(refused.code).toBe(500);
      expect(at(pod, 'status', 'phase')).toBe('Pending');
      expect(at(node, 'status', 'phase')).toBe('Running');
    });

    it('makes up a name where only its beginning is given', async () => {
      const body = await created(place(), configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'made-' },
      });

      expect(metadata(body).name).toMatch(/^made-[a-z0-9]{5}$/);
    });

    it('fills in defaults and prunes what the schema does not know', async () => {
      const body = await created(place(), widgets, custom('Widget', 'shaped', { spec: { size: 2, flavour: 'sweet' } }));

      expect(at(body, 'spec')).toEqual({ size: 2, colour: 'grey' });
    });

    it('refuses what lacks a required field or has one of another type', async () => {
      const missing = await send('POST', widgets, custom('Widget', 'missing', { spec: { colour: 'red' } }));
      const wrong = await send('POST', widgets, custom('Widget', 'wrong', { spec: { size: 'big' } }));

      expect(missing.code).toBe(422);
      expect(missing.body).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'spec.size' }] } });
      expect(wrong.code).toBe(422);
    });

    it('refuses a pod without containers and a Deployment that does not select its own pods', async () => {
      const pod = await send('POST', pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'empty' },
        spec: { containers: [] },
      });
      const template = {
        metadata: { labels: { app: 'other' } },
        spec: { containers: [{ name: 'main', image: 'none' }] },
      };
      const spec = { selector: { matchLabels: { app: 'this' } }, template };
      const path = pods.replace('/api/v1', '/apis/apps/v1').replace('pods', 'deployments');
      const deployment = await send('POST', path, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'odd' },
        spec,
      });

      expect([pod.code, deployment.code]).toEqual([422, 422]);
    });
  });

  describe('replacing', () => {
    it('refuses an older revision', async () => {
      const old = objectAt(await created(place(), configMaps, configMap('replaced')));
      await send('PATCH', `${configMaps}/replaced`, { data: { a: 'b' } }, MERGE);

      const { code, body } = await send('PUT', `${configMaps}/replaced`, { ...old, data: { a: 'c' } });

      expect(code).toBe(409);
      expect(body).toMatchObject({ reason: 'Conflict' });
    });

    it('wants a revision for a custom resource', async () => {
      await created(place(), widgets, custom('Widget', 'unversioned'));

      const { code } = await send(
        'PUT',
        `${widgets}/unversioned`,
        custom('Widget', 'unversioned', { spec: { size: 2 } }),
      );

      expect(code).toBe(422);
    });

    it('refuses another uid', async () => {
      const body = objectAt(await created(place(), configMaps, configMap('other-uid')));

      const { code } = await send(
        'PUT',
        `${configMaps}/other-uid`,
        withMetadata(body, { uid: '00000000-0000-4000-8000-000000000000' }),
      );

      expect(code).toBe(409);
    });
  });

  describe('a kind without a status subresource', () => {
    it('takes its status from the main path, loses it in a PUT without one, and has no path for it', async () => {
      const body = await created(place(), widgets, custom('Widget', 'wiped', { status: { total: 3 } }));
      const { resourceVersion } = metadata(body);

      const put = await send('PUT', `${widgets}/wiped`, custom('Widget', 'wiped', {}, { resourceVersion }));

      expect(at(body, 'status')).toEqual({ total: 3 });
      expect(put.code).toBe(200);
      expect(at(put.body, 'status')).toBeUndefined();
      expect((await send('GET', `${widgets}/wiped/status`)).code).toBe(404);
      expect((await send('PATCH', `${widgets}/wiped/status`, { status: { total: 3 } }, MERGE)).code).toBe(404);
    });

    it('counts a change of the status as a generation, and checks it by the schema', async () => {
      await created(place(), widgets, custom('Widget', 'counted'));

      const changed = await send('PATCH', `${widgets}/counted`, { status: { total: 4 } }, MERGE);
      const partial = await send('PATCH', `${widgets}/counted`, { status: { total: null, taken: {} } }, MERGE);

      expect(generation(changed.body)).toBe(2);
      expect(partial.code).toBe(422);
      expect(partial.body).toMatchObject({ details: { causes: [{ field: 'status.total' }] } });
    });
  });

  describe('a kind with a status subresource', () => {
    it('drops a status that is created or patched on the main path', async () => {
      const body = await created(place(), gadgets, custom('Gadget', 'main', { status: { total: 3 } }));
      const patched = await send('PATCH', `${gadgets}/main`, { status: { total: 4 }, spec: { size: 5 } }, MERGE);

      expect(at(body, 'status')).toBeUndefined();
      expect(at(patched.body, 'status')).toBeUndefined();
      expect(at(patched.body, 'spec', 'size')).toBe(5);
      expect(generation(patched.body)).toBe(2);
    });

    it('changes the status alone on its own path, and counts no generation', async () => {
      await created(place(), gadgets, custom('Gadget', 'own-path'));

      const { body } = await send(
        'PATCH',
        `${gadgets}/own-path/status`,
        { status: { total: 4 }, spec: { size: 9 } },
        MERGE,
      );

      expect(at(body, 'status')).toEqual({ total: 4 });
      expect(at(body, 'spec', 'size')).toBe(1);
      expect(generation(body)).toBe(1);
    });

    it('keeps its status in a PUT without one', async () => {
      await created(place(), gadgets, custom('Gadget', 'kept'));
      const { body } = await send('PATCH', `${gadgets}/kept/status`, { status: { total: 4 } }, MERGE);

      const put = await send(
        'PUT',
        `${gadgets}/kept`,
        custom('Gadget', 'kept', {}, { resourceVersion: metadata(body).resourceVersion }),
      );

      expect(at(put.body, 'status')).toEqual({ total: 4 });
    });
  });

  describe('a merge patch', () => {
    it('is refused where it names an older revision', async () => {
      const { resourceVersion } = metadata(await created(place(), configMaps, configMap('locked')));
      await send('PATCH', `${configMaps}/locked`, { data: { a: '1' } }, MERGE);

      const { code } = await send(
        'PATCH',
        `${configMaps}/locked`,
        { metadata: { resourceVersion }, data: { a: '2' } },
        MERGE,
      );

      expect(code).toBe(409);
      expect(at(await get(`${configMaps}/locked`), 'data', 'a')).toBe('1');
    });

    it('is refused where it names another uid', async () => {
      await created(place(), configMaps, configMap('uid-locked'));

      const uid = '00000000-0000-4000-8000-000000000000';
      const { code } = await send('PATCH', `${configMaps}/uid-locked`, { metadata: { uid }, data: { a: '2' } }, MERGE);

      expect([409, 422]).toContain(code);
      expect(at(await get(`${configMaps}/uid-locked`), 'data', 'a')).toBeUndefined();
    });

    it('keeps an empty object', async () => {
      await created(place(), widgets, custom('Widget', 'hollow'));

      const { body } = await send('PATCH', `${widgets}/hollow`, { status: { total: 1, taken: {} } }, MERGE);

      expect(at(body, 'status', 'taken')).toEqual({});
    });

    it('that changes nothing leaves the revision', async () => {
      const before = await created(place(), configMaps, configMap('idle', { a: '1' }));

      const { body } = await send('PATCH', `${configMaps}/idle`, { data: { a: '1' } }, MERGE);

      expect(metadata(body).resourceVersion).toBe(metadata(before).resourceVersion);
    });

    it('tells who wrote last, and when', async () => {
      await created(place(), widgets, custom('Widget', 'signed'));

      await send('PATCH', `${widgets}/signed?fieldManager=gleaner`, { metadata: { labels: { by: 'gleaner' } } }, MERGE);

      const managers = listAt(await get(`${widgets}/signed`), 'metadata', 'managedFields');
      expect(managers).toContainEqual(
        expect.objectContaining({
          manager: 'gleaner',
          operation: 'Update',
          time: expect.stringMatching(/^\d{4}-.*Z$/),
        }),
      );
    });

    it('is the only kind beside a JSON patch that custom resources take', async () => {
      await created(place(), widgets, custom('Widget', 'strategic'));
      await created(place(), configMaps, configMap('strategic'));

      expect((await send('PATCH', `${widgets}/strategic`, { spec: { size: 2 } }, STRATEGIC)).code).toBe(415);
      expect((await send('PATCH', `${configMaps}/strategic`, { data: { a: 'b' } }, STRATEGIC)).code).toBe(200);
    });
  });

  jsonPatchesConform(place);
  dryRunsConform(place);
}

function jsonPatchesConform(place: () => ApiPlace): void {
  const patch = (path: string, operations: readonly JsonObject[]) =>
    place().send('PATCH', path, operations, JSON_PATCH);

  describe('a JSON patch', () => {
    it('changes all or nothing, and says no more than 422 where a test fails', async () => {
      await created(place(), widgets, custom('Widget', 'tested'));

      const { code, body } = await patch(`${widgets}/tested`, [
        { op: 'replace', path: '/spec/size', value: 7 },
        { op: 'test', path: '/metadata/uid', value: 'another' },
      ]);

      expect(code).toBe(422);
      expect(body).toMatchObject({ reason: 'Invalid' });
      expect(listAt(body, 'details', 'causes')).toEqual([]);
      expect(at((await place().send('GET', `${widgets}/tested`)).body, 'spec', 'size')).toBe(1);
    });

    it('tests for absence with null', async () => {
      await created(place(), widgets, custom('Widget', 'absent'));
      const restore = [
        { op: 'test', path: '/status', value: null },
        { op: 'add', path: '/status', value: { total: 5 } },
      ];

      const first = await patch(`${widgets}/absent`, restore);
      const second = await patch(`${widgets}/absent`, restore);

      expect([first.code, second.code]).toEqual([200, 422]);
      expect(at(first.body, 'status')).toEqual({ total: 5 });
    });

    it('lets one of twenty win where each tests the same revision', async () => {
      const { resourceVersion } = metadata(await created(place(), configMaps, configMap('raced', { n: '0' })));

      const codes = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const { code } = await patch(`${configMaps}/raced`, [
            { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
            { op: 'replace', path: '/data/n', value: String(index + 1) },
          ]);
          return code;
        }),
      );

      expect(codes.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 422)]);
    });

    it('is refused where it removes or replaces what is not there', async () => {
      await created(place(), configMaps, configMap('bare'));

      const removed = await patch(`${configMaps}/bare`, [{ op: 'remove', path: '/data/none' }]);
      const added = await patch(`${configMaps}/bare`, [{ op: 'add', path: '/data/none/deeper', value: 'x' }]);

      expect([removed.code, added.code]).toEqual([422, 422]);
    });
  });
}

function dryRunsConform(place: () => ApiPlace): void {
  const send: ApiPlace['send'] = (...request) => place().send(...request);

  describe('a dry run', () => {
    it('of a patch or a creation shows the result and stores nothing', async () => {
      const before = await created(place(), widgets, custom('Widget', 'dry'));

      const patched = await send('PATCH', `${widgets}/dry?dryRun=All`, { spec: { size: 8 } }, MERGE);
      const born = await send('POST', `${widgets}?dryRun=All`, custom('Widget', 'never'));

      expect(at(patched.body, 'spec', 'size')).toBe(8);
      expect(born.code).toBe(201);
      expect((await send('GET', `${widgets}/dry`)).body).toEqual(before);
      expect((await send('GET', `${widgets}/never`)).code).toBe(404);
    });

    it('is refused where it asks for anything but All', async () => {
      await created(place(), widgets, custom('Widget', 'half-dry'));

      expect((await send('PATCH', `${widgets}/half-dry?dryRun=Some`, { spec: { size: 8 } }, MERGE)).code).toBe(422);
      expect(at((await send('GET', `${widgets}/half-dry`)).body, 'spec', 'size')).toBe(1);
    });

    it('of a wrong patch is refused as the patch would be', async () => {
      await created(place(), widgets, custom('Widget', 'dry-wrong'));

      expect((await send('PATCH', `${widgets}/dry-wrong?dryRun=All`, { status: { taken: {} } }, MERGE)).code).toBe(422);
    });
  });

  describe('field validation', () => {
    it('warns of unknown fields, and refuses them where it is strict', async () => {
      await created(place(), widgets, custom('Widget', 'strict'));
      const unknown = { spec: { flavour: 'sweet' } };

      const warned = await send('PATCH', `${widgets}/strict`, unknown, MERGE);
      const refused = await send('PATCH', `${widgets}/strict?fieldValidation=Strict`, unknown, MERGE);
      const born = await send(
        'POST',
        `${widgets}?fieldValidation=Strict`,
        custom('Widget', 'strict-2', { spec: { size: 1, flavour: 'sweet' } }),
      );

      expect(warned.code).toBe(200);
      expect(warned.headers.warning).toContain('unknown field');
      expect(refused.code).toBe(422);
      expect(born.code).toBe(400);
    });
  });
}
