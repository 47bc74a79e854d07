import { nameOf, refOf, saw } from '../../../shared/handler.ts';
import { conditionOf, Pod } from '../../../shared/kinds.ts';
import { type Drain, holds } from '../budgets.ts';
import { longhornOf } from '../longhorn-sight.ts';
import { isCordoned, isReady, MINUTE, type Sight, since } from '../sight.ts';
import { HARD, LONG, SOFT, type Told } from '../told.ts';
import { longhornCause } from './longhorn.ts';
import { helmOperation } from './rancher.ts';

/** Rancher drains the node: what keeps it from ending. */
export async function drainCause(sight: Sight, drain: Drain): Promise<Told | undefined> {
  const longhorn = await longhornOf(sight, drain.blocks);
  if (longhorn) return longhornCause(longhorn);
  return (
    (await apart(sight, drain)) ??
    otherBudget(sight, drain) ??
    (await helmOperation(sight)) ??
    lingering(sight, drain) ??
    (await unacknowledged(sight, drain))
  );
}

/** Pods that must not share a node, and only one other node that takes any. */
async function apart({ look, name, nodes, waiting }: Sight, { blocks }: Drain): Promise<Told | undefined> {
  const others = nodes.filter((node) => node.metadata.name !== name && !isCordoned(node) && isReady(node));
  if (others.length !== 1) return undefined;
  const crowded = (await look.list(Pod)).filter(
    (pod) => pod.status?.phase === 'Pending' && /anti-affinity/.test(conditionOf(pod, 'PodScheduled')?.message ?? ''),
  );
  const block = blocks.find(({ budget }) => crowded.some((pod) => holds(budget, pod)));
  const [pod] = crowded;
  if (!pod || (!block && (nodes.length !== 2 || waiting?.for === 'drain-error'))) return undefined;
  return {
    class: block ? 'P2a' : 'P2c',
    cause: 'two-node-anti-affinity-during-drain',
    confidence: block ? 'probable' : 'suspected',
    because: `replicas that must not share a node wait for Node ${name}, and ${others[0]?.metadata.name} is the only other one`,
    evidence: [
      saw(pod, 'status.conditions', 'no node may take this pod, because another replica is there'),
      ...(block ? [saw(block.budget, 'status.disruptionsAllowed', 'so this budget lets no other one go')] : []),
    ],
    objects: block ? [refOf(block.budget)] : [],
    patience: SOFT,
  };
}

/** A budget of somebody else, or two for one pod. */
function otherBudget({ name, waiting }: Sight, { blocks, doubly }: Drain): Told | undefined {
  const budgets = blocks.map(({ budget }) => budget);
  if (budgets.length === 0 && !doubly && waiting?.for !== 'drain-error') return undefined;
  const because =
    budgets.length > 0
      ? `${budgets.map((budget) => nameOf(refOf(budget))).join(', ')} lets no pod of Node ${name} go`
      : doubly
        ? `two budgets select one pod of Node ${name}, and then the API server refuses every eviction`
        : `the drain of Node ${name} failed, and Rancher tries it again and again`;
  return {
    class: budgets.length > 0 || doubly ? 'P2a' : 'P2c',
    cause: 'unknown',
    confidence: budgets.length > 0 || doubly ? 'certain' : 'probable',
    because,
    evidence: [
      ...budgets
        .slice(0, 5)
        .map((budget) => saw(budget, 'status.disruptionsAllowed', 'this budget allows no eviction')),
      ...(doubly ? [saw(doubly, 'metadata.labels', 'two budgets select these labels')] : []),
      ...(waiting ? [waiting.seen] : []),
    ],
    objects: budgets.map(refOf),
    patience: HARD,
  };
}

/** Pods that were told to go five minutes ago and are still there: the kubelet or a volume holds them. */
function lingering({ look, name }: Sight, { going }: Drain): Told | undefined {
  const old = going.filter(({ metadata }) => (since(look, metadata.deletionTimestamp) ?? 0) >= 5 * MINUTE);
  const [pod] = old;
  if (!pod) return undefined;
  return {
    class: 'P2b',
    cause: 'unknown',
    confidence: 'probable',
    because: `pods on Node ${name} were told to go minutes ago and do not end: its kubelet is silent, or a volume cannot be detached`,
    evidence: old.slice(0, 5).map((one) => saw(one, 'metadata.deletionTimestamp', 'should be gone since then')),
    objects: [],
    patience: HARD,
  };
}

/** Half an hour on, pods that nothing protects are still there and none was told to go: the drain has not begun. */
async function unacknowledged(sight: Sight, { evictable, going }: Drain): Promise<Told | undefined> {
  const { waiting, look, name, node, preDrain } = sight;
  const ready = evictable.filter((pod) => pod.status?.phase === 'Running');
  const isPlain = waiting?.for === 'drain' && node !== undefined && isCordoned(node);
  if (!isPlain || ready.length === 0 || going.length > 0 || (await isEvicting(sight))) return undefined;
  if (!(await look.captured(Pod))) return undefined;
  return {
    class: 'P1',
    cause: 'hook-not-acknowledged',
    confidence: 'probable',
    because: `Rancher waits to drain Node ${name}, and has told none of its pods to go although no budget forbids it: it was never told that the pre-drain job is done`,
    evidence: [
      ...(waiting ? [waiting.seen] : []),
      ...(preDrain ? [saw(preDrain, 'status.completionTime', 'the pre-drain job ended then')] : []),
    ],
    objects: preDrain ? [refOf(preDrain)] : [],
    patience: LONG,
  };
}

async function isEvicting({ look }: Sight): Promise<boolean> {
  const namespace = 'cattle-system';
  for (const { metadata } of await look.list(Pod, { namespace, labels: { app: 'rancher' } })) {
    const lines = await look.log({ namespace, name: metadata.name }, { container: 'rancher', tail: 500 });
    if (lines?.some((line) => line.includes('evicting pod'))) return true;
  }
  return false;
}
