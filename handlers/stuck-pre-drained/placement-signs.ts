import { conditionOf, Deployment, isTrue, Pod, PodDisruptionBudget } from '../../shared/kinds.ts';
import { isBefore } from '../../shared/versions.ts';
import { isExhausted } from './budgets.ts';
import { KubeVirt } from './kinds.ts';
import { CONTROL_PLANE, isControlPlane, isCordoned, isReady, type Sight, SYSTEM } from './sight.ts';

/** KubeVirt's Deployments that are pinned to the control plane where no placement is set. */
export const COMPONENTS = ['virt-api', 'virt-controller'] as const;

type Sign = 'yes' | 'no' | 'unseen';

/** What is seen of one of the two Deployments; every sign of the fault that is not `no` may still be so. */
export interface Component {
  readonly name: string;
  readonly deployment: Deployment | undefined;
  readonly budget: PodDisruptionBudget | undefined;
  readonly stranded: Pod | undefined;
  readonly held: Pod | undefined;
  /** The template requires a control-plane node. */
  readonly isPinned: Sign;
  /** A failed drain names a pod of it. */
  readonly isNamed: boolean;
  /** Its budget allows no eviction. */
  readonly isExhausted: Sign;
  /** A pod of it is ready on the drained node. */
  readonly isHeld: Sign;
  /** A pod of it fits no node. */
  readonly isStranded: Sign;
}

/** KubeVirt's side of the fault (fact: kubevirt pkg/virt-operator/resource/apply/reconcile.go InjectPlacementMetadata). */
export interface Signs {
  readonly kubevirt: KubeVirt | undefined;
  readonly placement: 'absent' | 'empty' | 'set' | 'unseen';
  readonly components: readonly Component[];
  /** Why this cannot be the fault, whatever else is seen. */
  readonly against: string | undefined;
}

export async function signsOf(sight: Sight): Promise<Signs> {
  const { look } = sight;
  const kubevirt = await look.get(KubeVirt, { namespace: SYSTEM, name: 'kubevirt' });
  const components: Component[] = [];
  for (const name of COMPONENTS) components.push(await componentOf(sight, name));
  return { kubevirt, placement: placementOf(kubevirt), components, against: against(sight, kubevirt) };
}

function placementOf(kubevirt: KubeVirt | undefined): Signs['placement'] {
  if (!kubevirt) return 'unseen';
  const placement = kubevirt.spec?.infra?.nodePlacement;
  if (placement === undefined) return 'absent';
  return Object.keys(placement).length === 0 ? 'empty' : 'set';
}

function against({ node, nodes, name }: Sight, kubevirt: KubeVirt | undefined): string | undefined {
  if (node && !isCordoned(node)) return `Node ${name} is not cordoned`;
  if (node && !isControlPlane(node)) return `Node ${name} is no control-plane node`;
  const other = nodes.find(
    (one) => one.metadata.name !== name && isControlPlane(one) && !isCordoned(one) && isReady(one),
  );
  if (other) return `Node ${other.metadata.name} is a control-plane node that takes pods`;
  const version = kubevirt?.status?.observedKubeVirtVersion;
  if (isBefore(version, '1.3.0')) return `KubeVirt ${version} pins nothing`;
  return undefined;
}

async function componentOf({ look, name: node, waiting }: Sight, name: string): Promise<Component> {
  const deployment = await look.get(Deployment, { namespace: SYSTEM, name });
  const labels = { 'kubevirt.io': name };
  const pods = (await look.list(Pod, { namespace: SYSTEM, labels })).filter((pod) => !pod.metadata.deletionTimestamp);
  const budgets = await look.list(PodDisruptionBudget, { namespace: SYSTEM });
  const budget = budgets.find(
    ({ metadata, spec }) =>
      metadata.name === `${name}-pdb` || spec?.selector?.matchLabels['kubevirt.io'] === labels['kubevirt.io'],
  );
  const held = pods.find((pod) => pod.spec?.nodeName === node && isTrue(pod, 'Ready'));
  const stranded = pods.find(fitsNowhere);
  const isElsewhere = pods.some(
    (pod) => pod.spec?.nodeName !== undefined && pod.spec.nodeName !== node && isTrue(pod, 'Ready'),
  );
  return {
    ...{ name, deployment, budget, held, stranded },
    isNamed: (waiting?.pods ?? []).some((pod) => pod.startsWith(`${SYSTEM}/${name}-`)),
    isPinned: deployment ? sign(isPinned(deployment)) : 'unseen',
    isExhausted: budget ? sign(isExhausted(budget) && isAtItsLimit(budget)) : 'unseen',
    isHeld: held ? 'yes' : isElsewhere ? 'no' : 'unseen',
    isStranded: stranded ? 'yes' : pods.filter((pod) => isTrue(pod, 'Ready')).length > 1 ? 'no' : 'unseen',
  };
}

const sign = (is: boolean): Sign => (is ? 'yes' : 'no');

const isAtItsLimit = ({ status }: PodDisruptionBudget) =>
  status?.currentHealthy === undefined ||
  status.desiredHealthy === undefined ||
  status.currentHealthy <= status.desiredHealthy;

/** Whether the template requires nodes of the control plane. */
export const isPinned = ({ spec }: Deployment): boolean =>
  (
    spec?.template?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ??
    []
  ).some(({ matchExpressions }) => matchExpressions?.some(({ key }) => key === CONTROL_PLANE));

/** The scheduler's own words: Kubernetes 1.20 and newer say "node affinity/selector", older ones "node selector". */
function fitsNowhere(pod: Pod): boolean {
  const scheduled = conditionOf(pod, 'PodScheduled');
  return (
    pod.status?.phase === 'Pending' &&
    scheduled?.status === 'False' &&
    scheduled.reason === 'Unschedulable' &&
    /didn't match (Pod's )?node (affinity|selector)/.test(scheduled.message ?? '')
  );
}
