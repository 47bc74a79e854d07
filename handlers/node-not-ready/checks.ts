import { type Check, type Look, nameOf, type Verdict } from '../../shared/handler.ts';
import { isTrue, Node } from '../../shared/kinds.ts';
import { diagnose } from './diagnose.ts';
import { Finding } from './finding.ts';
import { isCordoned, isReady, PROMOTION } from './nodes.ts';
import { givenAddress, isReadyPod, vipOf, wantedAddress } from './vip-sight.ts';

const fixed = (because: string): Verdict => ({ is: 'fixed', because });
const waiting = (because: string): Verdict => ({ is: 'waiting', because });
const failed = (because: string): Verdict => ({ is: 'failed', because });

/** A living leader renews its Lease far more often; a look itself may be seconds old. */
const FRESH = 30_000;

const leaderStillSilent: Check<Finding> = async (look, finding) => {
  if (finding.about !== 'vip') return failed('this is not about the virtual IP');
  const now = await diagnose(look, finding.lease);
  if (!now.is) return failed(now.because);
  return JSON.stringify(Finding.parse(now.finding)) === JSON.stringify(finding)
    ? fixed('the same leader is still silent, and the address still does not answer')
    : failed('who leads the virtual IP, or how it is, changed since the plan was approved');
};

const leaseRenewed: Check<Finding> = async (look) => {
  const { age, holder } = await vipOf(look);
  if (age === undefined) return waiting('the Lease of the virtual IP cannot be read');
  return age < FRESH ? fixed(`Node ${holder} leads and renews`) : waiting('nobody has renewed the Lease yet');
};

const vipAnswers: Check<Finding> = async (look) => {
  const { probe } = await vipOf(look);
  if (!probe) return waiting('nobody can try whether the virtual IP answers');
  return probe.ok ? fixed('the virtual IP answers') : waiting(`the virtual IP does not answer: ${probe.because}`);
};

/** All that the API tells of the address, and the address itself where it can be tried. */
const vipWell: Check<Finding> = async (look) => {
  const vip = await vipOf(look);
  const { age, probe, pods } = vip;
  if (probe && !probe.ok) return waiting(`the virtual IP does not answer: ${probe.because}`);
  if (age === undefined || age >= FRESH) return waiting('the Lease of the virtual IP is not renewed');
  if (!pods.some(isReadyPod)) return waiting('no pod of kube-vip is ready');
  if (wantedAddress(vip) !== undefined && givenAddress(vip) !== wantedAddress(vip)) {
    return waiting('the Service does not have the address that was configured');
  }
  return fixed(probe ? 'the virtual IP is led, and answers' : 'the virtual IP is led');
};

async function nodeOf(look: Look, name: string): Promise<Node | Verdict> {
  const node = await look.get(Node, { name });
  if (node) return node;
  return (await look.captured(Node)) ? failed(`Node ${name} is not there any more`) : waiting('nodes cannot be read');
}

const PRESSURE: Readonly<Record<string, string>> = {
  PRESSURE_disk: 'DiskPressure',
  PRESSURE_memory: 'MemoryPressure',
  PRESSURE_pid: 'PIDPressure',
};

const nodeWell: Check<Finding> = async (look, finding) => {
  if (finding.about !== 'node') return failed('this is not about one node');
  const node = await nodeOf(look, finding.node.name);
  if ('is' in node) return node;
  if (!isReady(node)) return waiting(`${nameOf(finding.node)} is not Ready yet`);
  const pressure = PRESSURE[finding.class];
  if (pressure && isTrue(node, pressure)) return waiting(`${nameOf(finding.node)} still says ${pressure}`);
  return fixed(`${nameOf(finding.node)} is Ready`);
};

const promotionOver: Check<Finding> = async (look, finding) => {
  if (finding.about !== 'promotion') return failed('this is not about a promotion');
  const node = await nodeOf(look, finding.node.name);
  if ('is' in node) return node;
  const state = node.metadata.annotations[PROMOTION];
  if (state !== undefined && state !== 'complete') return waiting(`the promotion is still ${state}`);
  if (isCordoned(node)) return waiting(`${nameOf(finding.node)} is still cordoned`);
  return isReady(node) ? fixed(`${nameOf(finding.node)} is Ready`) : waiting(`${nameOf(finding.node)} is not Ready`);
};

export const checks: Readonly<Record<string, Check<Finding>>> = {
  'leader-still-silent': leaderStillSilent,
  'lease-renewed': leaseRenewed,
  'node-well': nodeWell,
  'promotion-over': promotionOver,
  'vip-answers': vipAnswers,
  'vip-well': vipWell,
};

/** What matters: the node is Ready, the promotion is over, the address is led and answers. */
export async function verify(look: Look, finding: Finding): Promise<Verdict> {
  switch (finding.about) {
    case 'node':
      return nodeWell(look, finding, finding.node);
    case 'promotion':
      return promotionOver(look, finding, finding.node);
    case 'vip':
      return vipWell(look, finding, finding.lease);
    case 'console':
      return fixed('nothing was broken');
  }
}
