import { nameOf, type Offer, type Step } from '../../shared/handler.ts';
import { CRDS } from './belongings.ts';
import type { Finding } from './finding.ts';

/** What Gleaner offers: the three patches in their order, or why it must not touch the driver. */
export function plan(finding: Finding): Offer {
  const because = refusal(finding);
  const prevention =
    finding.behaviour === 'follows'
      ? null
      : 'Raise Rancher to 2.11.0 or newer: there the driver follows the flag. Set the bare-metal flag to false first.';
  if (because !== undefined) return { refusal: { because }, plans: [], prevention };
  const steps = stepsOf(finding);
  return {
    refusal: null,
    prevention,
    plans: [
      {
        id: 'deactivate-driver',
        title: 'Deactivate the node driver harvester',
        risk: 'high',
        stopgap: false,
        does: `${flagsIn(finding)}NodeDriver harvester is deactivated.`,
        blastRadius:
          'Harvester is no longer offered for new clusters. Imported Harvester clusters stay imported, but their entry leaves the menu. For about two minutes Rancher logs "could not find the requested resource".',
        irreversible: `Rancher deletes the definitions ${CRDS.join(', ')} and every object in them; there are none now, which is checked again before each write.`,
        preconditions: [
          'no cluster, machine, machine template or machine configuration of the driver exists, and no RKE1 node or template (every list was read)',
          'the three definitions exist, without which Rancher refuses the change',
          'Deployment cattle-system/rancher-webhook is available',
        ],
        steps,
        onFailure: [],
        undo: {
          offered: false,
          because:
            'the flag is off, so an active driver would be the fault again; to have it back turn the feature harvester on, which activates the driver by itself',
        },
      },
    ],
  };
}

/** B3 of Rancher's own rules, and stricter: no override. */
function refusal({ users, missingCrds, unseen, webhook, baremetal }: Finding): string | undefined {
  if (users.length > 0) {
    return `in use by ${users.join(', ')}: deactivating the driver would delete their machine configurations, and Rancher could no longer reach or change these clusters. Delete or move them first`;
  }
  if (missingCrds.length > 0) {
    return `${missingCrds.join(', ')} is missing: Rancher's webhook cannot ask who uses the driver and refuses every change of it (rancher/rancher#44165, #50945); a person has to bring the definition back first`;
  }
  if (unseen.length > 0) return `nobody knows who uses the driver: not read were ${unseen.join(', ')}`;
  if (webhook === 'no')
    return 'Deployment cattle-system/rancher-webhook is not available, and without it the driver cannot be changed';
  if (webhook === 'unknown') return 'whether Deployment cattle-system/rancher-webhook is available was not read';
  if (baremetal.is === 'unseen') return 'the feature harvester-baremetal-container-workload could not be read';
  if (baremetal.is === 'locked-on') {
    return 'the feature harvester-baremetal-container-workload is locked to on: Rancher would turn the feature harvester on again with it';
  }
  return undefined;
}

const flagsIn = ({ baremetal, flag }: Finding) => {
  const features = [
    ...(needsBaremetal(baremetal.is) ? [`harvester-baremetal-container-workload (now ${baremetal.is})`] : []),
    ...(flag.is === 'off-by-default' ? ['harvester (now off by default)'] : []),
  ];
  return features.length > 0 ? `Sets to false: ${features.join(', then ')}. ` : '';
};

const needsBaremetal = (is: Finding['baremetal']['is']) => is === 'unset' || is === 'on';

function stepsOf({ driver, flag, baremetal, behaviour }: Finding): Step[] {
  const setFalse = { type: 'merge', body: { spec: { value: false } } } as const;
  const flags: Step[] = [];
  if (baremetal.feature && needsBaremetal(baremetal.is)) {
    flags.push({
      do: 'patch',
      target: baremetal.feature,
      patch: setFalse,
      guard: 'unused',
      because:
        'first of all: without a value Rancher 2.11.0-alpha8 to rc7 crash on it, and while it is on Rancher turns harvester on again',
    });
  }
  if (flag.is === 'off-by-default') {
    flags.push({
      do: 'patch',
      target: flag.feature,
      patch: setFalse,
      guard: 'unused',
      because: 'off by default is no decision: another default at the next start of Rancher would turn it on',
    });
  }
  const hasToWait = behaviour === 'follows' && flags.length > 0;
  const wait: Step = {
    do: 'wait',
    target: driver,
    until: 'rancher-had-its-minute',
    deadline: '2m',
    because: 'this Rancher deactivates the driver by itself once a flag is written',
  };
  return [
    ...flags,
    ...(hasToWait ? [wait] : []),
    {
      do: 'patch',
      target: driver,
      // No test of the old value: the core guards the write by resourceVersion, and what Rancher itself did meanwhile is no failure.
      patch: { type: 'json', operations: [{ op: 'replace', path: '/spec/active', value: false }] },
      guard: 'unused-and-off',
      because: `${nameOf(driver)} stays active until somebody deactivates it`,
    },
  ];
}
