import type { Actor, Hands } from '../../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../../shared/handler.ts';
import type { Deployment } from '../../../shared/kinds.ts';
import { isBefore } from '../../../shared/versions.ts';
import { KubeVirt } from '../kinds.ts';
import { COMPONENTS, isPinned } from '../placement-signs.ts';
import { SYSTEM } from '../sight.ts';
import { budget } from './objects.ts';
import { deploymentNow, forget, hasRolledOver, hasWaited } from './records.ts';

const kubevirtRef: ObjectRef = {
  apiVersion: KubeVirt.apiVersion,
  kind: KubeVirt.kind,
  namespace: SYSTEM,
  name: 'kubevirt',
};

/** Its work queue lets a key through every five seconds, and gives a deleted budget five seconds before it looks. */
const QUEUE = 5_000;

/**
 * Plays virt-operator of KubeVirt 1.3.1 (pkg/virt-operator/resource/apply/reconcile.go InjectPlacementMetadata,
 * apps.go): without a placement the infrastructure is pinned to the control plane; virt-api is rolled over before
 * virt-controller is looked at; budgets that are gone are made anew.
 */
export const virtOperator: Actor = {
  name: 'virt-operator',
  plays: 'kubevirt v1.3.1 pkg/virt-operator/resource/apply/{reconcile,apps}.go',
  async act(hands) {
    const operator = await deploymentNow(hands, 'virt-operator');
    const found = await hands.get(kubevirtRef);
    if (!found || !operator || (operator.status?.availableReplicas ?? 0) === 0) return;
    const kubevirt = KubeVirt.schema.parse(found);
    const version = versionOf(operator);
    const pins = kubevirt.spec?.infra?.nodePlacement === undefined && isBefore(version, '1.3.0') === false;
    const generation = String(kubevirt.metadata.generation ?? 1);
    for (const name of COMPONENTS) {
      const settled = await isSettled(hands, name, pins, generation);
      await keepBudget(hands, name);
      if (!settled) return;
    }
    await report(hands, kubevirt, version);
  },
};

const versionOf = ({ spec }: Deployment) => spec?.template?.spec?.containers?.[0]?.image?.split(':').at(-1) ?? '';

/** Writes the template where it differs, and says whether it has rolled over. */
async function isSettled(hands: Hands, name: string, pins: boolean, generation: string): Promise<boolean> {
  const deployment = await deploymentNow(hands, name);
  if (!deployment) return false;
  const key = `roll ${name}`;
  const isSame =
    isPinned(deployment) === pins && deployment.metadata.annotations['kubevirt.io/generation'] === generation;
  if (isSame) {
    forget(hands, key);
    return hasRolledOver(deployment);
  }
  if (!hasWaited(hands, key, QUEUE)) return false;
  const nodeAffinity = pins ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } : null;
  await hands.merge(
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: SYSTEM, name },
    {
      metadata: { annotations: { 'kubevirt.io/generation': generation } },
      spec: { template: { spec: { affinity: { nodeAffinity } } } },
    },
  );
  return false;
}

const nodeSelectorTerms: JsonObject[] = ['control-plane', 'master'].map((role) => ({
  matchExpressions: [{ key: `node-role.kubernetes.io/${role}`, operator: 'Exists' }],
}));

async function keepBudget(hands: Hands, name: string): Promise<void> {
  const wanted = budget(name);
  const ref: ObjectRef = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    namespace: SYSTEM,
    name: `${name}-pdb`,
  };
  const key = `budget ${name}`;
  if (await hands.get(ref)) forget(hands, key);
  else if (hasWaited(hands, key, QUEUE)) await hands.create(wanted);
}

async function report(hands: Hands, { status }: KubeVirt, version: string): Promise<void> {
  if (status?.observedKubeVirtVersion === version) return;
  await hands.merge(kubevirtRef, { status: { phase: 'Deployed', observedKubeVirtVersion: version } }, 'status');
}
