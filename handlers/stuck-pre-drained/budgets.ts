import type * as z from 'zod';
import type { Look } from '../../shared/handler.ts';
import { isDaemonSetPod, isTrue, type LabelSelector, Pod, PodDisruptionBudget } from '../../shared/kinds.ts';

/** A budget that forbids an eviction; `pods` are those on the node that it holds, where they are in the picture. */
export interface Block {
  readonly budget: PodDisruptionBudget;
  readonly pods: readonly Pod[];
}

/** What of the drain can be told from pods and budgets. */
export interface Drain {
  readonly blocks: readonly Block[];
  /** Pods on the node that the drain has to move. */
  readonly evictable: readonly Pod[];
  /** Pods on the node that are being deleted. */
  readonly going: readonly Pod[];
  /** A pod that two budgets select: the API server refuses to evict it (HTTP 500) whatever they allow. */
  readonly doubly: Pod | undefined;
}

/** Looks which budgets keep pods on the node (the drain library's rules: daemons and mirror pods stay). */
export async function drainOf(look: Look, node: string): Promise<Drain> {
  const budgets = await look.list(PodDisruptionBudget);
  const onNode = (await look.list(Pod)).filter((pod) => pod.spec?.nodeName === node && !stays(pod));
  const going = onNode.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const evictable = onNode.filter((pod) => pod.metadata.deletionTimestamp === undefined && isAlive(pod));
  const blocks = budgets.filter(isExhausted).flatMap((budget): Block[] => {
    const pods = evictable.filter((pod) => holds(budget, pod) && !mayGoUnhealthy(budget, pod));
    return pods.length > 0 || namesNode(budget, node) ? [{ budget, pods }] : [];
  });
  const doubly = evictable.find((pod) => budgets.filter((budget) => holds(budget, pod)).length > 1);
  return { blocks: blocks.sort(byName), evictable, going, doubly };
}

const byName = (a: Block, b: Block) => (a.budget.metadata.name < b.budget.metadata.name ? -1 : 1);

const stays = (pod: Pod) =>
  isDaemonSetPod(pod) || pod.metadata.annotations['kubernetes.io/config.mirror'] !== undefined;

const isAlive = ({ status }: Pod) => !['Succeeded', 'Failed'].includes(status?.phase ?? '');

/** It allows no eviction, and its status speaks of what it says now. */
export function isExhausted({ metadata, status }: PodDisruptionBudget): boolean {
  if (status?.disruptionsAllowed !== 0) return false;
  const { observedGeneration } = status;
  return (
    observedGeneration === undefined || metadata.generation === undefined || observedGeneration === metadata.generation
  );
}

export const holds = ({ metadata, spec }: PodDisruptionBudget, pod: Pod) =>
  metadata.namespace === pod.metadata.namespace && selects(spec?.selector, pod.metadata.labels);

/** Longhorn's budgets name their node: that tells even where the pod is not in the picture. */
const namesNode = ({ metadata, spec }: PodDisruptionBudget, node: string) =>
  metadata.namespace === 'longhorn-system' && spec?.selector?.matchLabels['longhorn.io/node'] === node;

/** Pods that are not ready may go while the healthy ones suffice, or always where the budget says so. */
function mayGoUnhealthy({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (isTrue(pod, 'Ready') || (pod.status?.conditions ?? []).length === 0) return false;
  const { currentHealthy = 0, desiredHealthy = 1 } = status ?? {};
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || currentHealthy >= desiredHealthy;
}

type Selector = z.infer<typeof LabelSelector>;

/** Whether a label selector selects these labels: an empty one selects all, none selects nothing. */
export function selects(selector: Selector | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (!selector) return false;
  const matches = Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value);
  return matches && (selector.matchExpressions ?? []).every((expression) => expressed(expression, labels));
}

function expressed(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] | undefined },
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
