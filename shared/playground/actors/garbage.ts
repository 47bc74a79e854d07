import type { JsonObject } from '../../handler.ts';
import type { ApiServer } from '../api/api-server.ts';
import { apiVersionOf, keyOf } from '../api/resource.ts';
import { at, listAt, textAt } from '../json.ts';
import { type Controller, type Floor, isGoing, name, namespace, uid } from './controller.ts';

/** Deletes what belongs to owners that are gone, and what is left in namespaces that are going. */
export function garbage(api: ApiServer): Controller {
  const resources = () => new Map(api.registry.all().map((each) => [keyOf(each), each]));
  return {
    name: 'garbage',
    plays:
      'kube-controller-manager: kubernetes pkg/controller/garbagecollector (background) and pkg/controller/namespace',
    get reads() {
      return api.store.keys();
    },
    async act(floor) {
      const all = [...resources()].flatMap(([key, resource]) =>
        floor.list(key).map((object) => ({ resource, object })),
      );
      const there = new Set(all.map(({ object }) => uid(object)));
      const going = new Set(floor.list('/namespaces').filter(isGoing).map(name));
      for (const { resource, object } of all) {
        if (isGoing(object) || !(isOrphan(object, there) || going.has(namespace(object)))) continue;
        const root = resource.group ? `/apis/${apiVersionOf(resource)}` : '/api/v1';
        const inside = resource.namespaced ? `/namespaces/${namespace(object)}` : '';
        await floor.send('DELETE', `${root}${inside}/${resource.plural}/${name(object)}`, {
          preconditions: { uid: uid(object) },
        });
      }
      endNamespaces(
        api,
        floor,
        all.map(({ object }) => namespace(object)),
      );
    },
  };
}

function isOrphan(object: JsonObject, there: ReadonlySet<string>): boolean {
  const owners = listAt(object, 'metadata', 'ownerReferences').filter((owner) => at(owner, 'uid') !== undefined);
  return owners.length > 0 && !owners.some((owner) => there.has(textAt(owner, 'uid') ?? ''));
}

function endNamespaces(api: ApiServer, floor: Floor, inUse: readonly string[]): void {
  for (const each of floor.list('/namespaces')) {
    if (isGoing(each) && !inUse.includes(name(each))) api.store.remove('/namespaces', name(each));
  }
}
