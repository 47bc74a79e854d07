import type { Json, JsonObject } from '../../handler.ts';
import { selects } from '../api/selectors.ts';
import { at, isObject, listAt, objectAt, same, textAt } from '../json.ts';
import { type Controller, type Floor, isGoing, labels, MERGE, name, namespace } from './controller.ts';
import { isReady, nodeOf, ownedBy, phase } from './pod-facts.ts';

/** Keeps the Endpoints and one EndpointSlice of every Service that selects pods. */
export const endpoints: Controller = {
  name: 'endpoints',
  plays: 'kube-controller-manager: kubernetes pkg/controller/endpoint and pkg/controller/endpointslice',
  reads: ['/services', '/pods', '/endpoints', 'discovery.k8s.io/endpointslices'],
  async act(floor) {
    for (const service of floor.list('/services')) {
      if (!isGoing(service) && Object.keys(objectAt(service, 'spec', 'selector')).length > 0)
        await sync(floor, service);
    }
  },
};

async function sync(floor: Floor, service: JsonObject): Promise<void> {
  const selector = { matchLabels: objectAt(service, 'spec', 'selector') };
  const pods = floor
    .list('/pods')
    .filter(
      (pod) =>
        namespace(pod) === namespace(service) &&
        phase(pod) === 'Running' &&
        !isGoing(pod) &&
        selects(selector, labels(pod)),
    );
  const ports = listAt(service, 'spec', 'ports').map((port): Json => {
    const target = at(port, 'targetPort');
    return {
      ...(isObject(port) && port.name !== undefined && { name: port.name }),
      port: typeof target === 'number' ? target : (at(port, 'port') ?? 0),
      protocol: 'TCP',
    };
  });
  const metadata = { name: name(service), namespace: namespace(service) };
  const group = (ready: boolean) => pods.filter((pod) => isReady(pod) === ready).map(addressOf);
  const subset = {
    ...(group(true).length > 0 && { addresses: group(true) }),
    ...(group(false).length > 0 && { notReadyAddresses: group(false) }),
    ports,
  };
  await keep(floor, 'v1', 'endpoints', {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata,
    subsets: pods.length > 0 ? [subset] : null,
  });
  await keep(floor, 'discovery.k8s.io/v1', 'endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...metadata,
      labels: { 'kubernetes.io/service-name': name(service) },
      ownerReferences: [ownedBy(service, 'v1', 'Service')],
    },
    addressType: 'IPv4',
    endpoints: pods.map(
      (pod): Json => ({
        addresses: [textAt(pod, 'status', 'podIP') ?? ''],
        conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
        nodeName: nodeOf(pod) ?? '',
        targetRef: targetOf(pod),
      }),
    ),
    ports,
  });
}

const targetOf = (pod: JsonObject): JsonObject => ({
  kind: 'Pod',
  namespace: namespace(pod),
  name: name(pod),
  uid: textAt(pod, 'metadata', 'uid') ?? '',
});
const addressOf = (pod: JsonObject): JsonObject => ({
  ip: textAt(pod, 'status', 'podIP') ?? '',
  nodeName: nodeOf(pod) ?? '',
  targetRef: targetOf(pod),
});

/** Creates the object, or changes what is different. */
async function keep(floor: Floor, apiVersion: string, plural: string, wanted: JsonObject): Promise<void> {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  const path = `/${group ? 'apis' : 'api'}/${apiVersion}/namespaces/${namespace(wanted)}/${plural}`;
  const there = floor
    .list(`${group}/${plural}`)
    .find((each) => name(each) === name(wanted) && namespace(each) === namespace(wanted));
  const { metadata: _, apiVersion: __, kind: ___, ...content } = wanted;
  if (!there) await floor.send('POST', path, wanted);
  else if (Object.entries(content).some(([field, value]) => !same(there[field] ?? null, value))) {
    await floor.send('PATCH', `${path}/${name(wanted)}`, content, MERGE);
  }
}
