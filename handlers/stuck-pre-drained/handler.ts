import { failureMode, trigger } from '../../shared/handler.ts';
import { conditionOf, Deployment, Job, Lease, Node, Pod, PodDisruptionBudget, Upgrade } from '../../shared/kinds.ts';
import { CAPI_NAMESPACES } from './causes/cluster-api.ts';
import { checks, verify } from './checks.ts';
import { diagnose, subjects } from './diagnose.ts';
import { Finding } from './finding.ts';
import {
  ControlPlane,
  KubeVirt,
  Machine,
  ManagedChart,
  ProvisioningCluster,
  UpgradeControllerPlan,
  UpgradePlan,
  VirtualMachineInstance,
} from './kinds.ts';
import { Attachment, Engine, InstanceManager, Replica, Volume } from './longhorn-kinds.ts';
import { LONGHORN } from './longhorn-sight.ts';
import { plan } from './plan.ts';
import { generationOf } from './settled.ts';
import { FLEET, SYSTEM } from './sight.ts';
import { causes } from './upstream.ts';

/** An upgrade that stands still at a node which Harvester calls Pre-drained: Rancher drains it, or upgrades its RKE2. */
export default failureMode<Finding>({
  id: 'stuck-pre-drained',
  title: 'An upgrade stands still at a Pre-drained node',
  on: 'harvester',
  urgency: 'soon',
  causes,
  finding: Finding,
  triggers: [
    trigger({
      kind: Upgrade,
      where: { namespace: SYSTEM },
      fields: ({ metadata, status }) => [
        metadata.labels['harvesterhci.io/upgradeState'] ?? '',
        Object.entries(status?.nodeStatuses ?? {}).map(([node, { state }]) => [node, state ?? '']),
      ],
    }),
    trigger({
      kind: PodDisruptionBudget,
      fields: ({ status }) => (status?.disruptionsAllowed === 0 ? 'blocks' : undefined),
    }),
    trigger({
      kind: Machine,
      where: { namespace: FLEET },
      fields: (machine) => conditionOf(machine, 'Reconciled')?.message ?? null,
    }),
    trigger({
      kind: KubeVirt,
      where: { namespace: SYSTEM },
      fields: ({ spec, status }) => [spec?.infra?.nodePlacement ?? null, status?.phase ?? ''],
    }),
  ],
  // A budget between two evictions allows none for a moment: it has to be seen twice, a minute apart.
  settle: '60s',
  // A stall changes nothing, so no event tells of it.
  again: '60s',
  rights: {
    read: [
      { kind: Upgrade, namespace: SYSTEM },
      { kind: UpgradePlan },
      { kind: Node },
      { kind: Pod },
      { kind: PodDisruptionBudget },
      { kind: Job, namespace: SYSTEM },
      { kind: Deployment, namespace: SYSTEM },
      { kind: Lease, namespace: SYSTEM, names: ['plndr-svcs-lock'] },
      { kind: KubeVirt, namespace: SYSTEM },
      { kind: VirtualMachineInstance },
      { kind: Machine, namespace: FLEET },
      { kind: ProvisioningCluster, namespace: FLEET },
      { kind: ControlPlane, namespace: FLEET },
      { kind: ManagedChart, namespace: FLEET, names: ['harvester'] },
      { kind: UpgradeControllerPlan, namespace: 'cattle-system' },
      ...[Volume, Replica, Engine, InstanceManager, Attachment].map((kind) => ({ kind, namespace: LONGHORN })),
    ],
    logs: [LONGHORN, 'cattle-system', ...CAPI_NAMESPACES],
    patch: [{ kind: KubeVirt, namespace: SYSTEM, names: ['kubevirt'] }],
    delete: [{ kind: PodDisruptionBudget, namespace: SYSTEM, names: ['virt-api-pdb', 'virt-controller-pdb'] }],
  },
  subjects,
  diagnose,
  plan,
  checks,
  verify,
  // From the end of the drain to Post-draining: RKE2's plan takes two to five minutes, a slow host far longer.
  verification: { every: '30s', hold: '60s', deadline: '30m' },
  lastGood: { kind: KubeVirt, good: generationOf },
});
