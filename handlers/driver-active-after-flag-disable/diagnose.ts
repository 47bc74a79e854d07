import { type Diagnosis, type Evidence, type Look, nameOf, type ObjectRef, refOf, saw } from '../../shared/handler.ts';
import { conditionOf, Deployment, Pod } from '../../shared/kinds.ts';
import type { Behaviour, Finding } from './finding.ts';
import { BAREMETAL, behaviourOf, effective, flag, HARVESTER, MULTI_CLUSTER } from './flags.ts';
import { Feature, NodeDriver } from './kinds.ts';
import type { CauseName } from './upstream.ts';
import { missingCrds, usersOf } from './users.ts';

export const RANCHER = 'cattle-system';
export const WEBHOOK = 'rancher-webhook';

/** How many users the evidence shows. */
const SHOWN = 10;
const LOG_LINES = 2000;
/** The frame of the crash in which a bare-metal flag without a value ends (rancher #49303). */
const PANIC = /feature\.\(\*handler\)\.syncHarvesterBaremetalContainerWorkloadFeature/;

/** Recognises a driver that is active while its flag is off. */
export async function diagnose(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  const driver = await look.get(NodeDriver, subject);
  const feature = await flag(look, HARVESTER);
  const why = await whyNot(look, driver, feature);
  if (why !== undefined || !driver || !feature) {
    return { is: false, because: why ?? `${nameOf(subject)} or its flag could not be read` };
  }

  const panic = await panicLine(look, feature);
  const finding = await findingOf(look, driver, feature, panic !== undefined);
  return {
    is: true,
    finding,
    cause: causeOf(finding),
    confidence: isCertain(finding, panic !== undefined) ? 'certain' : 'probable',
    ...wordsOf(finding),
    evidence: await evidenceOf(look, driver, feature, panic),
  };
}

async function whyNot(look: Look, driver: NodeDriver | undefined, feature: Feature | undefined) {
  if (!driver) {
    return (await look.captured(NodeDriver))
      ? 'NodeDriver harvester is not there: nothing can be active'
      : 'NodeDriver harvester is not in the picture';
  }
  if (driver.spec.active !== true) return 'NodeDriver harvester is not active';
  if (effective(await flag(look, MULTI_CLUSTER)) === false) {
    return `the feature ${MULTI_CLUSTER} is off: this is the Rancher inside Harvester, which has no use for node drivers`;
  }
  if (!feature) return 'the feature harvester is not in the picture, so nobody knows whether it is off';
  const locked = feature.status?.lockedValue;
  if (locked !== undefined) return `the feature harvester is locked to ${locked}: Rancher was started so, on purpose`;
  const isOn = effective(feature);
  if (isOn === undefined) return 'neither the value nor the default of the feature harvester can be read';
  return isOn ? 'the feature harvester is on, so its driver ought to be active' : undefined;
}

async function findingOf(look: Look, driver: NodeDriver, feature: Feature, panics: boolean): Promise<Finding> {
  const { users, unseen } = await usersOf(look);
  const crds = await missingCrds(look);
  const baremetal = await baremetalOf(look);
  const seen = await behaviourOf(look);
  const behaviour = seen === 'unknown' && panics ? 'panics' : seen;
  return {
    class: classOf(users, crds.missing, baremetal.is, behaviour),
    driver: refOf(driver),
    flag: { feature: refOf(feature), is: feature.spec?.value === false ? 'off' : 'off-by-default' },
    baremetal,
    behaviour,
    users,
    unseen: crds.unseen ? [...unseen, 'CustomResourceDefinition (apiextensions.k8s.io/v1)'].sort() : unseen,
    missingCrds: crds.missing,
    webhook: await webhookOf(look),
    airgap: driver.spec.builtin === false && conditionOf(driver, 'Downloaded')?.status !== 'True',
  };
}

function classOf(
  users: readonly string[],
  missing: readonly string[],
  baremetal: Finding['baremetal']['is'],
  behaviour: Behaviour,
): Finding['class'] {
  if (users.length > 0) return 'in-use';
  if (missing.length > 0) return 'missing-crd';
  if (behaviour === 'ignores') return 'by-design';
  return behaviour === 'panics' && baremetal === 'unset' ? 'panic' : 'not-synced';
}

async function baremetalOf(look: Look): Promise<Finding['baremetal']> {
  const feature = await flag(look, BAREMETAL);
  if (!feature) return { feature: null, is: (await look.captured(Feature)) ? 'absent' : 'unseen' };
  const { lockedValue } = feature.status ?? {};
  const value = feature.spec?.value;
  const state = value === undefined ? 'unset' : value ? 'on' : 'off';
  return { feature: refOf(feature), is: lockedValue === undefined ? state : lockedValue ? 'locked-on' : 'off' };
}

export async function webhookOf(look: Look): Promise<Finding['webhook']> {
  const deployment = await look.get(Deployment, { namespace: RANCHER, name: WEBHOOK });
  if (deployment) return (deployment.status?.availableReplicas ?? 0) > 0 ? 'yes' : 'no';
  return (await look.captured(Deployment, RANCHER)) ? 'no' : 'unknown';
}

/** The line of a Rancher log that shows the crash; asked for only where this Rancher may crash at all. */
async function panicLine(look: Look, feature: Feature): Promise<string | undefined> {
  const behaviour = await behaviourOf(look);
  const { is } = await baremetalOf(look);
  if (feature.spec?.value !== false || is !== 'unset' || behaviour === 'ignores' || behaviour === 'follows')
    return undefined;
  for (const pod of await look.list(Pod, { namespace: RANCHER })) {
    const { name, labels } = pod.metadata;
    if (labels.app !== 'rancher' && !/^rancher-(?!webhook)/.test(name)) continue;
    for (const previous of [true, false]) {
      const options = { container: 'rancher', previous, tail: LOG_LINES };
      const line = (await look.log({ namespace: RANCHER, name }, options))?.find((text) => PANIC.test(text));
      if (line !== undefined) return line.trim().slice(0, 200);
    }
  }
  return undefined;
}

/** The cause follows from what is seen of Rancher's release, unless somebody uses the driver. */
function causeOf({ users, behaviour, baremetal }: Finding): CauseName {
  if (users.length > 0) return 'driver-in-use-by-clusters';
  if (behaviour === 'ignores') return 'by-design-before-2.11';
  return behaviour === 'panics' && baremetal.is === 'unset'
    ? 'baremetal-flag-unset-crash'
    : 'feature-handler-does-not-sync-driver';
}

const isCertain = ({ users, behaviour, class: is }: Finding, panics: boolean) =>
  users.length > 0 || (is === 'panic' ? panics : behaviour !== 'unknown');

const BECAUSE: Readonly<Record<Behaviour, string>> = {
  ignores:
    'this Rancher turns the driver on with the flag and never off; it stays active until somebody deactivates it',
  panics: 'this Rancher crashes on the bare-metal flag without a value before it comes to the driver, or gave up at it',
  follows: 'this Rancher deactivates the driver within seconds, and did not',
  unknown: 'the flag is off and the driver is active; the release of Rancher, which would tell why, cannot be read',
};

function wordsOf(finding: Finding) {
  const { users, behaviour, airgap, class: is } = finding;
  const used =
    users.length > 0 ? `, and in use by ${users.slice(0, 3).join(', ')}${users.length > 3 ? ' and more' : ''}` : '';
  const crashes = is === 'panic';
  return {
    summary: `NodeDriver harvester is active although the feature harvester is off${used}`,
    because: users.length > 0 ? 'clusters were made with the driver, so Rancher keeps it' : BECAUSE[behaviour],
    users: crashes
      ? "Rancher restarts again and again; its page and the clusters' agents lose it each time."
      : `Harvester is still offered for new clusters${airgap ? ', and Rancher goes on trying to download its driver' : ''}.`,
    mayWait: crashes
      ? { untilMorning: false, because: 'Rancher does not stay up while its feature handler crashes' }
      : {
          untilMorning: true,
          because:
            users.length > 0
              ? 'the driver works for the clusters that need it'
              : 'an active driver that nobody uses breaks nothing',
        },
  };
}

async function evidenceOf(look: Look, driver: NodeDriver, feature: Feature, panic: string | undefined) {
  const baremetal = await flag(look, BAREMETAL);
  const { evidence: users } = await usersOf(look);
  const evidence: Evidence[] = [
    saw(driver, 'spec.active', 'the driver is active'),
    saw(feature, 'spec.value', 'the flag is off, or has no value'),
    saw(feature, 'status.default', 'what holds where the flag has no value'),
  ];
  if (baremetal)
    evidence.push(saw(baremetal, 'spec.value', 'without a value Rancher 2.11.0-alpha8 to rc7 crash on it'));
  if (driver.spec.builtin === false) evidence.push(saw(driver, 'spec.url', 'it is not built in: Rancher downloads it'));
  evidence.push(...users.slice(0, SHOWN));
  if (panic !== undefined) {
    evidence.push({ object: refOf(feature), field: 'log of Rancher', value: panic, because: 'the crash itself' });
  }
  return evidence;
}
