import type { Json, JsonObject } from '../../handler.ts';
import { at, isObject, listAt, objectAt, same, textAt, withField } from '../json.ts';
import type { Resource } from './resource.ts';
import { selects } from './selectors.ts';
import type { Fault } from './status.ts';

/** Fields set where the object has none. */
const filled = (object: JsonObject, field: string, defaults: JsonObject): JsonObject => ({
  ...object,
  [field]: { ...defaults, ...objectAt(object, field) },
});

const tolerateFor5Minutes = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** What the API server itself writes into a new object of a built-in kind, as far as rules, actors and people look. */
const DEFAULTS: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  pods(pod) {
    const tolerations = listAt(pod, 'spec', 'tolerations');
    const missing = tolerateFor5Minutes.filter(
      ({ key }) => !tolerations.some((each) => [undefined, key].includes(textAt(each, 'key'))),
    );
    const spec = {
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
    };
    const asked = filled(pod, 'spec', spec);
    return {
      ...asked,
      spec: { ...objectAt(asked, 'spec'), tolerations: [...tolerations, ...missing] },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    };
  },
  namespaces: (namespace) => ({
    ...filled(namespace, 'spec', { finalizers: ['kubernetes'] }),
    status: { phase: 'Active' },
  }),
  deployments: (deployment) =>
    filled(deployment, 'spec', {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    }),
  replicasets: (set) => filled(set, 'spec', { replicas: 1 }),
  daemonsets: (set) =>
    filled(set, 'spec', {
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    }),
  services: (service) => ({
    ...filled(service, 'spec', { type: 'ClusterIP', sessionAffinity: 'None' }),
    status: { loadBalancer: {} },
  }),
};

export function withDefaults({ group, plural, schema }: Resource, object: JsonObject): JsonObject {
  const isOurs = schema === undefined && (group === '' || group === 'apps');
  return (isOurs ? DEFAULTS[plural]?.(object) : undefined) ?? object;
}

/** A node's kubelet creates it together with its status (kubernetes pkg/registry/core/node/strategy.go). */
export const keepsStatus = ({ group, plural }: Resource) => group === '' && plural === 'nodes';

const required = (field: string): Fault => ({ reason: 'FieldValueRequired', field, message: 'Required value' });

/** What the API server refuses in a built-in kind, as far as a drill could get it wrong. */
export function builtInFaults({ group, plural }: Resource, object: JsonObject): readonly Fault[] {
  if (group === '' && plural === 'pods') return containerFaults(at(object, 'spec'), 'spec');
  if (group !== 'apps') return [];
  const template = at(object, 'spec', 'template');
  const labels = objectAt(template, 'metadata', 'labels');
  const selector = at(object, 'spec', 'selector');
  const mismatch: Fault = {
    reason: 'FieldValueInvalid',
    field: 'spec.template.metadata.labels',
    message: `Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``,
  };
  return [
    ...(isObject(selector) ? [] : [required('spec.selector')]),
    ...(isObject(selector) && !selects(selector, labels) ? [mismatch] : []),
    ...containerFaults(at(template, 'spec'), 'spec.template.spec'),
  ];
}

function containerFaults(spec: Json | undefined, path: string): readonly Fault[] {
  const containers = listAt(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`)];
  return containers.flatMap((container, index) =>
    ['name', 'image']
      .filter((field) => !textAt(container, field))
      .map((field) => required(`${path}.containers[${index}].${field}`)),
  );
}

/** What of a pod's spec may change once it is there (kubernetes pkg/apis/core/validation, ValidatePodUpdate). */
const MUTABLE_OF_PODS = [
  'activeDeadlineSeconds',
  'terminationGracePeriodSeconds',
  'tolerations',
  'containers',
  'schedulingGates',
];

/** What of a built-in object must not change. */
export function immutableFaults({ group, plural }: Resource, before: JsonObject, after: JsonObject): readonly Fault[] {
  if (group === 'apps' && !same(at(before, 'spec', 'selector'), at(after, 'spec', 'selector'))) {
    return [{ reason: 'FieldValueInvalid', field: 'spec.selector', message: 'Invalid value: field is immutable' }];
  }
  if (group !== '' || plural !== 'pods') return [];
  const fixed = (pod: JsonObject) =>
    MUTABLE_OF_PODS.reduce((spec, field) => withField(spec, field, undefined), objectAt(pod, 'spec'));
  const message = `Forbidden: pod updates may not change fields other than \`spec.containers[*].image\` and some others`;
  return same(fixed(before), fixed(after)) ? [] : [{ reason: 'FieldValueForbidden', field: 'spec', message }];
}
