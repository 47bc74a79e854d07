import { type Diagnosis, type Evidence, type NotThis, saw } from '../../../shared/handler.ts';
import type { Node } from '../../../shared/kinds.ts';
import type { Finding, NoNode } from '../finding.ts';
import { isReady, standingOf } from '../pods.ts';
import { closedBy, type Sight, since } from '../sight.ts';
import type { CauseName } from '../upstream.ts';

const not = (because: string): NotThis => ({ is: false, because });

/** No pod of Harvester is on a node: whether no node takes one, and the webhook that must allow to change that is down too. */
export function nowhere(sight: Sight): Diagnosis<Finding> {
  const [first] = sight.pods.map(({ standing }) => standing.because);
  if (sight.upgrade !== undefined) {
    return not(`${first}, while Upgrade ${sight.upgrade} drains nodes: that is the upgrade's to mend`);
  }
  const closed = sight.nodes.map((node) => ({ node, by: closedBy(node) }));
  const open = closed.find(({ by }) => by === 'none');
  if (closed.length > 0 && !open) return everyNodeClosed(sight, closed);
  if (isWebhookEvicted(sight)) return evicted(sight);
  return not(
    open
      ? `${first}, but Node ${open.node.metadata.name} takes pods: nothing keeps Harvester from starting for good`
      : `${first}, and no Node is in the picture that could say why`,
  );
}

/** Harvester's own pods are not in the picture, and those of its webhook have nowhere to be: the deadlock is suspected. */
export function webhookNowhere(sight: Sight): Diagnosis<Finding> | undefined {
  const isStuck =
    sight.webhooks.length > 0 && sight.webhooks.every(({ status }) => NOWHERE.includes(status?.phase ?? ''));
  if (!isStuck || sight.upgrade !== undefined) return undefined;
  const said = nowhere({
    ...sight,
    pods: sight.webhooks.map((pod) => ({ pod, standing: standingOf(pod, sight.look.at) })),
  });
  return said.is ? { ...said, confidence: 'suspected' } : undefined;
}

const NOWHERE = ['Pending', 'Failed'];

type Closed = readonly { readonly node: Node; readonly by: ReturnType<typeof closedBy> }[];

function everyNodeClosed(sight: Sight, closed: Closed): Diagnosis<Finding> {
  const other = closed.find(({ by }) => by === 'not-ready' || by === 'other-taint');
  if (other) {
    const why = other.by === 'not-ready' ? 'is not Ready' : 'has a taint of its own';
    return not(`no node takes a pod of Harvester, and Node ${other.node.metadata.name} ${why}: mend that first`);
  }
  const full = closed.filter(({ by }) => by === 'disk-pressure').map(({ node }) => node);
  return full.length > 0
    ? recognised(sight, full, { class: 'disk-pressure', cause: 'webhook-deadlock-disk-pressure' })
    : recognised(
        sight,
        closed.map(({ node }) => node),
        { class: 'all-cordoned', cause: 'all-nodes-cordoned-webhook-deadlock' },
      );
}

/** Pods of the webhook were evicted, and none that came after is ready. */
export const isWebhookEvicted = ({ webhooks }: Sight) =>
  webhooks.some(({ status }) => status?.reason === 'Evicted') && !webhooks.some(isReady);

const evicted = (sight: Sight) => recognised(sight, [], { class: 'evicted', cause: 'webhook-evicted-deadlock' });

const NAMES = (nodes: readonly Node[]) => nodes.map(({ metadata }) => metadata.name).join(', ');

const SUMMARY: Readonly<Record<NoNode['class'], (nodes: readonly Node[]) => string>> = {
  'all-cordoned': (nodes) => `No pod of Harvester can start: every node is cordoned (${NAMES(nodes)})`,
  'disk-pressure': (nodes) => `No pod of Harvester can start: disk pressure on ${NAMES(nodes)}`,
  evicted: () => 'No pod of Harvester starts, and all pods of harvester-webhook were evicted',
};

const BECAUSE: Readonly<Record<NoNode['class'], string>> = {
  'all-cordoned': 'nothing can be scheduled while every node is cordoned',
  'disk-pressure': 'nothing can be scheduled while the taint for disk pressure stands, and nothing else takes pods',
  evicted: 'the webhook was evicted and no pod of it came back',
};

const LOCK = {
  no: '; harvester-webhook, which must allow each change of a node, is down for the same reason, so it holds itself',
  unknown: '; harvester-webhook, which must allow each change of a node, is not in the picture and probably down too',
  yes: '; harvester-webhook still answers, so nodes can be changed',
};

/** Without the webhook's being down it is no deadlock, and of no known cause. */
function recognised(
  sight: Sight,
  nodes: readonly Node[],
  { class: what, cause }: { class: NoNode['class']; cause: CauseName },
): Diagnosis<Finding> {
  const { webhook } = sight;
  return {
    is: true,
    finding: {
      class: what,
      deployment: sight.ref,
      nodes: nodes.map(({ metadata }) => metadata.name),
      isWebhookDown: webhook !== 'yes',
    },
    cause: webhook === 'yes' ? 'unknown' : cause,
    confidence: webhook === 'unknown' ? 'probable' : 'certain',
    summary: SUMMARY[what](nodes),
    because: `${BECAUSE[what]}${LOCK[webhook]}`,
    users: "Harvester's page and API answer nothing, and no VM or pod that stops can start again.",
    mayWait: { untilMorning: false, because: 'whatever stops in the meantime stays down' },
    ...since(sight),
    evidence: [
      ...sight.pods.map(({ pod }) => saw(pod, 'status.phase', 'this pod waits for a node')),
      ...nodes.map(sawNode),
    ],
  };
}

function sawNode(node: Node): Evidence {
  const by = closedBy(node);
  return by === 'cordoned'
    ? saw(node, 'spec.unschedulable', 'the node is cordoned')
    : saw(node, 'spec.taints', 'the taint keeps every pod off the node');
}
