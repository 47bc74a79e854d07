import { type Check, type Look, nameOf, type ObjectRef, type Verdict } from '../../shared/handler.ts';
import { isTrue, Upgrade } from '../../shared/kinds.ts';
import type { Finding } from './finding.ts';
import { UpgradePlan } from './kinds.ts';
import { SYSTEM } from './sight.ts';

export const fixed = (because: string): Verdict => ({ is: 'fixed', because });
export const waiting = (because: string): Verdict => ({ is: 'waiting', because });
export const failed = (because: string): Verdict => ({ is: 'failed', because });

const STATE = 'harvesterhci.io/upgradeState';
const LATER = ['Post-draining', 'Waiting Reboot', 'Succeeded'];

/** Whether the node has left what held it: it is Post-draining or further. */
export async function movedOn(look: Look, { upgrade: ref, node }: Finding): Promise<Verdict> {
  if (ref.kind === UpgradePlan.kind) return movedOnV2(look, ref, node);
  const upgrade = await look.get(Upgrade, ref);
  if (!upgrade) return gone(look, ref);
  const is = upgrade.metadata.labels[STATE];
  if (is === 'Succeeded') return fixed(`${nameOf(ref)} succeeded`);
  const state = upgrade.status?.nodeStatuses?.[node]?.state ?? 'unknown';
  if (LATER.includes(state)) return fixed(`Node ${node} is ${state}`);
  if (state === 'Failed' || is === 'Failed') return failed(`the upgrade of Node ${node} failed`);
  return waiting(`Node ${node} is still ${state}`);
}

async function movedOnV2(look: Look, ref: ObjectRef, node: string): Promise<Verdict> {
  const state = (await look.get(UpgradePlan, ref))?.status?.nodeUpgradeStatuses?.[node]?.state;
  const isSo = state === undefined || /^pre-?drain/i.test(state);
  return isSo ? waiting(`Node ${node} is ${state ?? 'not to be read'}`) : fixed(`Node ${node} is ${state}`);
}

async function gone(look: Look, ref: ObjectRef): Promise<Verdict> {
  return (await look.captured(Upgrade, SYSTEM))
    ? failed(`${nameOf(ref)} is not there any more`)
    : waiting('upgrades cannot be read');
}

/** Whether no node is upgraded any more, so that a placement may be taken back. */
export const upgradeEnded: Check<Finding> = async (look, { upgrade: ref }) => {
  const upgrade = await look.get(Upgrade, ref);
  if (!upgrade) {
    return (await look.captured(Upgrade, SYSTEM))
      ? fixed(`${nameOf(ref)} is gone`)
      : waiting('upgrades cannot be read');
  }
  const isOver = ['Succeeded', 'Failed'].includes(upgrade.metadata.labels[STATE] ?? '') || isTrue(upgrade, 'Completed');
  return isOver ? fixed(`${nameOf(ref)} is over`) : waiting(`${nameOf(ref)} is still under way`);
};
