import { nameOf, type ObjectRef, type Offer, type Plan } from '../../shared/handler.ts';
import type { Finding, OnNode, Vip } from './finding.ts';
import { type Advice, nodeAdvice, vipAdvice } from './runbook-texts.ts';

/** What Gleaner offers for a finding. Only a silent leader of the virtual IP is touched: all else lies on a host. */
export function plan(finding: Finding): Offer {
  switch (finding.about) {
    case 'node':
      return forNode(finding);
    case 'promotion':
      return forPromotion(finding);
    case 'console':
      return { refusal: { because: HARMLESS }, plans: [], prevention: null };
    case 'vip':
      return forVip(finding);
  }
}

const HARMLESS =
  'nothing is broken: the text on the console goes away when the node is upgraded to v1.5.0 or newer. Never switch the feature gate AuthorizeNodeWithSelectors off for it: from Kubernetes 1.34 on the API server then does not start';

const byHand = (target: ObjectRef, because: string, advice: Advice, until: string): Plan => ({
  id: 'by-hand',
  title: `Have ${nameOf(target)} looked at`,
  risk: 'low',
  stopgap: false,
  does: 'Asks a person; Gleaner itself changes nothing.',
  blastRadius: 'Looking changes nothing.',
  irreversible: null,
  preconditions: [],
  steps: [
    {
      ...{ do: 'ask', target, because, what: advice.what, until, deadline: '24h' },
      ...(advice.command !== undefined && { command: advice.command }),
    },
  ],
  onFailure: [],
  undo: { offered: false, because: 'Gleaner changes nothing here' },
});

function forNode(finding: OnNode): Offer {
  const { node, margin, role } = finding;
  const isTight = role === 'control-plane' && margin !== 'some';
  const because = `etcd can lose no further member: this needs a person now, and no other control-plane node may be cordoned, rebooted or removed until ${nameOf(node)} is back`;
  return {
    refusal: isTight ? { because } : null,
    prevention: null,
    plans: [
      byHand(node, 'what is broken lies on the host, where Gleaner cannot reach', nodeAdvice(finding), 'node-well'),
    ],
  };
}

/** fact: promote_controller.go; a running job that is deleted leaves the state unknown and the node cordoned. */
function forPromotion({ node, state, job }: Extract<Finding, { about: 'promotion' }>): Offer {
  const name = /^[a-z0-9][a-z0-9.-]*$/.test(node.name) ? node.name : 'NODE';
  const look = `kubectl -n harvester-system get jobs,pods -l harvesterhci.io/promote-node=${name} -o wide; kubectl -n cattle-system get deploy rancher rancher-webhook`;
  const retry = `kubectl -n harvester-system delete job ${job?.name ?? `harvester-promote-${name}`} --ignore-not-found && kubectl annotate node ${name} harvesterhci.io/promote-status- && kubectl uncordon ${name}`;
  const what =
    state === 'running'
      ? `See why the promotion of Node ${node.name} does not end: rancher and rancher-webhook must be available, and rke2-server must start on its host. Do not delete the job while it runs: the node would stay cordoned, in a state that nobody knows.`
      : `Find out first why the promotion of Node ${node.name} failed (rancher, rancher-webhook, rke2-server on its host). Then delete the failed job, take the annotation away and uncordon the node: Harvester tries again. A node that does not come up as a server must not be tried again.`;
  const command = state === 'running' ? look : `${look}\n${retry}`;
  const because = 'while a promotion stands, Harvester promotes no other node';
  return { refusal: null, plans: [byHand(node, because, { what, command }, 'promotion-over')], prevention: null };
}

const UNSURE: Readonly<Record<NonNullable<Vip['unsure']>, string>> = {
  'not-probed': 'nobody tried whether the virtual IP answers',
  'still-answers': 'the virtual IP still answers, and deleting its leader would cut it',
  'no-pod-seen': "no ready pod of kube-vip is seen on the leader's node",
  'holder-unfit': 'the node that leads is not a Ready control-plane node',
};

function forVip(finding: Vip): Offer {
  const advice = vipAdvice(finding);
  const asked = byHand(finding.lease, 'without the virtual IP the cluster cannot be managed', advice, 'vip-well');
  if (finding.fault === 'silent-leader' && finding.pod && finding.holder) {
    return { refusal: null, plans: [replaceLeader(finding, finding.pod, finding.holder)], prevention: null };
  }
  const refusal = finding.unsure === null ? null : { because: `${UNSURE[finding.unsure]}: nothing is touched` };
  return { refusal, plans: [asked], prevention: null };
}

function replaceLeader({ lease, hasStandby }: Vip, pod: ObjectRef, holder: string): Plan {
  return {
    id: 'replace-vip-leader',
    title: `Replace the silent leader of the virtual IP on Node ${holder}`,
    risk: hasStandby ? 'low' : 'medium',
    stopgap: false,
    does: `Deletes ${nameOf(pod)}; its DaemonSet makes it anew, and a new leader announces the address.`,
    blastRadius: hasStandby
      ? 'The virtual IP, which does not answer now, may be away for up to ten seconds more. No VM is touched.'
      : 'The virtual IP, which does not answer now, comes back with the new pod: no other control-plane node could lead meanwhile. No VM is touched.',
    irreversible: null,
    preconditions: [
      `the Lease of Node ${holder} was not renewed for a minute, and the address does not answer`,
      `Node ${holder} is a Ready control-plane node, and the pod is the one of kube-vip there`,
      hasStandby ? 'another control-plane node is Ready' : 'no other control-plane node is Ready: the blip is accepted',
    ],
    steps: [
      {
        ...{ do: 'delete', target: pod, guard: 'leader-still-silent' },
        because:
          'a leader that says it is ready and renews nothing does not come back by itself (harvester/harvester#11584)',
      },
      {
        ...{ do: 'wait', target: lease, until: 'lease-renewed', deadline: '2m' },
        because: 'a new leader renews the Lease every few seconds',
      },
      {
        ...{ do: 'wait', target: lease, until: 'vip-answers', deadline: '2m' },
        because: 'the address is announced anew, and neighbours learn it',
      },
    ],
    onFailure: [],
    undo: { offered: false, because: 'a pod that was deleted is not brought back; its successor is there' },
  };
}
