import { describe, expect, it } from 'vitest';
import { at, listAt, textAt } from '../../../shared/playground/json.ts';
import {
  type ApiPlace,
  configMap,
  configMaps,
  created,
  custom,
  gadgets,
  metadata,
  SPACE,
  watching,
  widgets,
  widgetsV2,
} from './place.ts';

export function readsConform(place: () => ApiPlace): void {
  const get = (path: string) => place().send('GET', path);
  const names = async (path: string) =>
    listAt((await get(path)).body, 'items').map((item) => textAt(item, 'metadata', 'name'));

  describe('reading', () => {
    it('tells what is served', async () => {
      const [version, groups, core, own] = await Promise.all(
        ['/version', '/apis', '/api/v1', '/apis/gleaner.test/v1'].map((path) => get(path)),
      );

      expect(textAt(version?.body, 'gitVersion')).toMatch(/^v1\.\d+/);
      expect(listAt(groups?.body, 'groups').map((each) => textAt(each, 'name'))).toContain('gleaner.test');
      expect(listAt(core?.body, 'resources')).toContainEqual(
        expect.objectContaining({ name: 'pods', kind: 'Pod', namespaced: true }),
      );
      const resources = listAt(own?.body, 'resources').map((each) => textAt(each, 'name'));
      expect(resources.toSorted()).toEqual(['gadgets', 'gadgets/status', 'widgets']);
    });

    it('answers a name that is not there with a Status that names it', async () => {
      const { code, body } = await get(`${widgets}/nobody`);

      expect(code).toBe(404);
      const details = { name: 'nobody', group: 'gleaner.test', kind: 'widgets' };
      expect(body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'NotFound', details, code: 404 });
    });

    it('answers 404 to a kind or a group that nobody serves', async () => {
      expect((await get('/apis/gleaner.test/v1/gizmos')).code).toBe(404);
      expect((await get('/apis/gleaner.nowhere/v1/gizmos')).code).toBe(404);
    });

    it('lists in pages that all come from one picture', async () => {
      for (const name of ['page-a', 'page-b', 'page-c', 'page-e'])
        await created(place(), configMaps, configMap(name, {}, { set: 'pages' }));

      const first = await get(`${configMaps}?labelSelector=set%3Dpages&limit=3`);
      await created(place(), configMaps, configMap('page-d', {}, { set: 'pages' }));
      const token = textAt(first.body, 'metadata', 'continue') ?? '';
      const second = await get(`${configMaps}?labelSelector=set%3Dpages&limit=3&continue=${encodeURIComponent(token)}`);

      expect(listAt(first.body, 'items')).toHaveLength(3);
      expect(listAt(second.body, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['page-e']);
      expect(textAt(second.body, 'metadata', 'continue') ?? '').toBe('');
      expect(metadata(second.body).resourceVersion).toBe(metadata(first.body).resourceVersion);
    });

    it('leaves the kind out of the items of a typed list, and in those of custom resources', async () => {
      await created(place(), configMaps, configMap('typed'));
      await created(place(), widgets, custom('Widget', 'untyped'));

      const typed = listAt((await get(configMaps)).body, 'items');
      const custom_ = listAt((await get(widgets)).body, 'items');

      expect(typed.every((item) => at(item, 'kind') === undefined)).toBe(true);
      expect(custom_.every((item) => at(item, 'kind') === 'Widget')).toBe(true);
    });

    it('selects by labels, equal and in sets', async () => {
      await created(place(), configMaps, configMap('red', {}, { hue: 'red', set: 'hues' }));
      await created(place(), configMaps, configMap('blue', {}, { hue: 'blue', set: 'hues' }));
      await created(place(), configMaps, configMap('plain', {}, { set: 'hues' }));
      const by = (selector: string) => names(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`);

      expect(await by('set=hues,hue=red')).toEqual(['red']);
      expect(await by('set==hues,hue!=red')).toEqual(['blue', 'plain']);
      expect(await by('set=hues,hue in (red, blue)')).toEqual(['blue', 'red']);
      expect(await by('set=hues,hue notin (red)')).toEqual(['blue', 'plain']);
      expect(await by('set=hues,hue')).toEqual(['blue', 'red']);
      expect(await by('set=hues,!hue')).toEqual(['plain']);
      expect((await get(`${configMaps}?labelSelector=${encodeURIComponent('hue in red')}`)).code).toBe(400);
    });

    it('selects by name, and refuses a field that cannot be selected by', async () => {
      await created(place(), configMaps, configMap('chosen'));
      await created(place(), widgets, custom('Widget', 'chosen'));

      expect(await names(`${configMaps}?fieldSelector=metadata.name%3Dchosen`)).toEqual(['chosen']);
      expect(await names(`${widgets}?fieldSelector=metadata.name%3Dchosen`)).toEqual(['chosen']);
      expect(
        await names(`/api/v1/configmaps?fieldSelector=metadata.name%3Dchosen,metadata.namespace%3D${SPACE}`),
      ).toEqual(['chosen']);
      expect((await get(`${configMaps}?fieldSelector=data.x%3Dy`)).code).toBe(400);
      expect((await get(`${widgets}?fieldSelector=spec.size%3D1`)).code).toBe(400);
    });

    it('serves every version of a kind from the same objects', async () => {
      await created(place(), widgets, custom('Widget', 'two-faced'));

      const { body } = await get(`${widgetsV2}/two-faced`);

      expect(body).toMatchObject({ apiVersion: 'gleaner.test/v2', spec: { size: 1 } });
    });

    it('lets an admin do everything', async () => {
      const resourceAttributes = { verb: 'delete', group: 'gleaner.test', resource: 'widgets', name: 'x' };

      const { code, body } = await place().send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes },
      });

      expect(code).toBe(201);
      expect(at(body, 'status', 'allowed')).toBe(true);
    });
  });
}

export function watchesConform(place: () => ApiPlace): void {
  const versionOf = async (path: string) => metadata((await place().send('GET', path)).body).resourceVersion;

  describe('watching', () => {
    it('tells each change after a revision', async () => {
      const from = await versionOf(configMaps);
      const watch = await watching(
        place(),
        `${configMaps}?resourceVersion=${from}&fieldSelector=metadata.name%3Dwatched`,
      );

      await created(place(), configMaps, configMap('watched'));
      await place().send('PATCH', `${configMaps}/watched`, { data: { a: 'b' } }, 'application/merge-patch+json');
      await place().send('DELETE', `${configMaps}/watched`);
      await watch.came('DELETED');
      watch.close();

      expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      const versions = watch.events.map(({ object }) => Number(metadata(object).resourceVersion));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(watch.events[2]?.object).toMatchObject({ data: { a: 'b' }, kind: 'ConfigMap' });
    });

    it('tells what happened before the watch began, from an older revision', async () => {
      const from = await versionOf(configMaps);
      await created(place(), configMaps, configMap('missed', {}, { set: 'missed' }));

      const watch = await watching(place(), `${configMaps}?resourceVersion=${from}&labelSelector=set%3Dmissed`);

      expect((await watch.came('ADDED')).map(({ name }) => name)).toEqual(['missed']);
      watch.close();
    });

    it('shows what is there where the revision is 0', async () => {
      await created(place(), configMaps, configMap('there', {}, { set: 'there' }));

      const watch = await watching(place(), `${configMaps}?resourceVersion=0&labelSelector=set%3Dthere`);

      expect((await watch.came('ADDED')).map(({ name }) => name)).toEqual(['there']);
      watch.close();
    });

    it('tells an object that no longer matches the selector as deleted', async () => {
      const from = await versionOf(configMaps);
      const watch = await watching(place(), `${configMaps}?resourceVersion=${from}&labelSelector=set%3Dleaving`);

      await created(place(), configMaps, configMap('leaver', {}, { set: 'leaving' }));
      await place().send(
        'PATCH',
        `${configMaps}/leaver`,
        { metadata: { labels: { set: 'gone' } } },
        'application/merge-patch+json',
      );

      expect((await watch.came('DELETED')).map(({ name }) => name)).toEqual(['leaver']);
      watch.close();
    });

    it('ends by itself after its timeout', async () => {
      const watch = await watching(
        place(),
        `${configMaps}?resourceVersion=${await versionOf(configMaps)}&timeoutSeconds=1`,
      );

      await watch.ended;

      expect(watch.events.filter(({ type }) => type !== 'BOOKMARK')).toEqual([]);
    });

    it('sends what is there and then a bookmark that says so, where initial events are asked for', async () => {
      await created(place(), gadgets, custom('Gadget', 'initial'));
      const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

      const watch = await watching(place(), `${gadgets}?${query}`);
      const [mark] = await watch.came('BOOKMARK');
      watch.close();

      expect(watch.events.map(({ type }) => type).indexOf('BOOKMARK')).toBeGreaterThan(0);
      expect(mark?.object).toMatchObject({
        kind: 'Gadget',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
      });
    });

    it('says inside the stream that a revision is too old, once the history is compacted', async ({ skip }) => {
      const { compact } = place();
      if (!compact) return skip();
      const from = await versionOf(configMaps);
      await created(place(), configMaps, configMap('compacted'));
      compact();

      const watch = await watching(place(), `${configMaps}?resourceVersion=${from}`);
      const [said] = await watch.came('ERROR');
      await watch.ended;

      expect(said?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    });
  });
}
