import * as z from 'zod';
import { type Json, type JsonObject, JsonValue } from '../../handler.ts';
import { at, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { remove } from './deletion.ts';
import { type Answer, type Asked, objectOf } from './request.ts';
import { selects } from './selectors.ts';
import { badRequest, conflict, Refusal } from './status.ts';
import { current, type Press, stamp } from './writes.ts';

/** What containers have said, by `namespace/pod/container`, with ` previous` behind for the last run. */
export type Logs = Map<string, readonly string[]>;

export const logKey = (pod: { namespace: string; name: string }, container: string, previous = false) =>
  `${pod.namespace}/${pod.name}/${container}${previous ? ' previous' : ''}`;

/** GET of `pods/NAME/log`, as text. */
export function log(press: Press, logs: Logs, asked: Asked): Answer {
  const pod = current(press, asked);
  const { name = '', namespace = '', query } = asked;
  const container = containerOf(pod, name, query.get('container'));
  requireKubelet(press, pod, name, container);
  const previous = query.get('previous') === 'true';
  const lines = logs.get(logKey({ namespace, name }, container, previous)) ?? (previous ? undefined : []);
  // kubernetes pkg/kubelet/kubelet_pods.go, validateContainerLogStatus
  if (!lines) throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const tail = query.get('tailLines');
  const kept = tail === null ? lines : lines.slice(Math.max(0, lines.length - Number(tail)));
  return { code: 200, body: kept.map((line) => `${line}\n`).join(''), headers: { 'content-type': 'text/plain' } };
}

function containerOf(pod: JsonObject, name: string, asked: string | null): string {
  const all = ['containers', 'initContainers']
    .flatMap((field) => listAt(pod, 'spec', field))
    .map((each) => textAt(each, 'name') ?? '');
  const main = listAt(pod, 'spec', 'containers').map((each) => textAt(each, 'name') ?? '');
  if (asked === null && main.length > 1) {
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${main.join(' ')}]`);
  }
  const container = asked ?? main[0] ?? '';
  if (!all.includes(container)) throw badRequest(`container ${container} is not valid for pod ${name}`);
  return container;
}

/** Logs come from the pod's node: without a node, or where the node is silent, there are none. */
function requireKubelet({ store }: Press, pod: JsonObject, name: string, container: string): void {
  const nodeName = textAt(pod, 'spec', 'nodeName');
  if (nodeName === undefined) throw badRequest(`pod ${name} does not have a host assigned`);
  const node = store.get('/nodes', nodeName);
  const ready = listAt(node, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
  if (node && textAt(ready, 'status') !== 'Unknown') return;
  const namespace = textAt(pod, 'metadata', 'namespace');
  const url = `https://${nodeName}:10250/containerLogs/${namespace}/${name}/${container}`;
  throw new Refusal(500, '', `Get "${url}": dial tcp: connect: no route to host`);
}

const BindingBody = z.object({ target: z.object({ name: z.string() }) });

/** POST of `pods/NAME/binding`: what a scheduler does. */
export function bind(press: Press, asked: Asked): Answer {
  const pod = current(press, asked);
  const { target } = BindingBody.parse(objectOf(asked));
  const { name = '' } = asked;
  if (textAt(pod, 'spec', 'nodeName')) throw conflict(asked.resource, name, `pod ${name} is already assigned to node`);
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: stamp(press.now()) };
  const others = listAt(pod, 'status', 'conditions').filter((each) => textAt(each, 'type') !== 'PodScheduled');
  press.store.write('/pods', {
    ...pod,
    spec: { ...objectAt(pod, 'spec'), nodeName: target.name },
    status: { ...objectAt(pod, 'status'), conditions: [...others, scheduled] },
  });
  return { code: 201, body: success };
}

const success: Json = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

const EvictionBody = z.object({ deleteOptions: z.record(z.string(), JsonValue).nullish() });

/** POST of `pods/NAME/eviction` (kubernetes pkg/registry/core/pod/storage/eviction.go). */
export function evict(press: Press, asked: Asked): Answer {
  const pod = current(press, asked);
  const options = EvictionBody.parse(objectOf(asked)).deleteOptions ?? {};
  const budgets = budgetsOf(press, pod);
  const counted =
    at(pod, 'metadata', 'deletionTimestamp') === undefined && textAt(pod, 'status', 'phase') === 'Running';
  if (counted && budgets.length > 1) {
    throw new Refusal(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = counted ? budgets : [];
  const isDry = listAt(options, 'dryRun').includes('All');
  if (budget) spend(press, budget, pod, isDry);
  remove(press, { ...asked, method: 'DELETE', sub: undefined, body: options });
  return { code: 201, body: success };
}

function budgetsOf({ store }: Press, pod: JsonObject): readonly JsonObject[] {
  const namespace = textAt(pod, 'metadata', 'namespace');
  return store
    .snapshot('policy/poddisruptionbudgets')
    .objects.filter((budget) => textAt(budget, 'metadata', 'namespace') === namespace)
    .filter((budget) => selects(at(budget, 'spec', 'selector'), objectAt(pod, 'metadata', 'labels')));
}

function spend({ store, now }: Press, budget: JsonObject, pod: JsonObject, isDry: boolean): void {
  const name = textAt(budget, 'metadata', 'name') ?? '';
  const status = objectAt(budget, 'status');
  const seen = numberAt(status, 'observedGeneration') ?? 0;
  if (seen < (numberAt(budget, 'metadata', 'generation') ?? 0)) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, { 'retry-after': '10' });
  }
  const current = numberAt(status, 'currentHealthy') ?? 0;
  const desired = numberAt(status, 'desiredHealthy') ?? 0;
  const ready = listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );
  const always = textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow';
  if (!ready && (always || (current >= desired && desired > 0))) return;
  const allowed = numberAt(status, 'disruptionsAllowed') ?? 0;
  if (allowed <= 0)
    throw refused(`The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`);
  if (isDry) return;
  const disruptedPods = { ...objectAt(status, 'disruptedPods'), [textAt(pod, 'metadata', 'name') ?? '']: stamp(now()) };
  store.write('policy/poddisruptionbudgets', {
    ...budget,
    status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods },
  });
}

const refused = (message: string, headers: Record<string, string> = {}) =>
  new Refusal(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message }] },
    headers,
  );
