import { nameOf, refOf, saw } from '../../../shared/handler.ts';
import { conditionOf } from '../../../shared/kinds.ts';
import { isReady, MINUTE, type Sight, since } from '../sight.ts';
import { LONG, SOFT, type Told } from '../told.ts';
import type { CauseName } from '../upstream.ts';
import { capiUnauthorized } from './cluster-api.ts';

/** Only these two components serve with certificates of their own, which expire apart from all others. */
const OWN_CERTIFICATES = ['kube-controller-manager', 'kube-scheduler'];

/** The drain is over and RKE2 is upgraded on the host: what the planner waits for, and what the node shows. */
export async function hostCause(sight: Sight): Promise<Told> {
  const unauthorized = await capiUnauthorized(sight);
  if (unauthorized) return unauthorized;
  const { waiting, node, name } = sight;
  if (waiting?.for === 'probes') return probes(sight, waiting.probes);
  const ready = node && conditionOf(node, 'Ready');
  // RKE2 is restarted by its upgrade: for a few minutes every node is silent.
  if (node && !isReady(node) && (since(sight.look, ready?.lastTransitionTime) ?? SOFT) >= 5 * MINUTE) {
    const because = `Node ${name} is not Ready (${ready?.reason ?? 'without a reason'}): RKE2 does not come up there`;
    return { ...p3(sight, 'rke2-server-stuck-activating', 'probable', because), patience: SOFT };
  }
  if (waiting && ['plan', 'plan-failed', 'kubelet'].includes(waiting.for)) {
    const because = `Rancher waits for the host of Node ${name} to apply its plan (${waiting.for})`;
    return p3(sight, 'unknown', 'probable', because);
  }
  return p3(sight, 'unknown', 'suspected', `the drain of Node ${name} is over and its host does not go on`);
}

function probes(sight: Sight, waited: readonly string[]): Told {
  const list = waited.join(', ');
  const areOwn = waited.length > 0 && waited.every((probe) => OWN_CERTIFICATES.includes(probe));
  return areOwn
    ? p3(
        sight,
        'expired-rke2-certificates',
        'probable',
        `Rancher waits for the probes of ${list} only: these two have serving certificates of their own, and those expire first`,
      )
    : p3(sight, 'planner-waiting-for-probes', 'probable', `Rancher waits for the probes ${list}`);
}

/** A stall of the host, with what shows it. How long the drain took before is not known, so it is said late. */
function p3(sight: Sight, cause: CauseName, confidence: Told['confidence'], because: string): Told {
  const { node, waiting, machine } = sight;
  return {
    class: 'P3',
    cause,
    confidence,
    because,
    evidence: [
      ...(waiting ? [waiting.seen] : []),
      ...(node ? [saw(node, 'status.conditions', `what ${nameOf(refOf(node))} says of itself`)] : []),
    ],
    objects: [node, machine].flatMap((object) => (object ? [refOf(object)] : [])),
    patience: LONG,
  };
}
