import { type Diagnosis, type Evidence, type NotThis, type ObjectRef, saw } from '../../../shared/handler.ts';
import { Setting } from '../../../shared/kinds.ts';
import { isBefore } from '../../../shared/versions.ts';
import type { Finding, Machines, OtherDenialClass } from '../finding.ts';
import type { Sign } from '../log.ts';
import { isBlocking, machineOf, type Pair, pairsOf, placeOf } from '../machines.ts';
import { obstaclesTo } from '../obstacles.ts';
import { type Sight, since } from '../sight.ts';
import { AFFECTED } from '../upstream.ts';
import { attached } from '../volumes.ts';

export const SETTING = 'storage-network';
const CAUSE = 'storage-network-setting-vs-running-vm';
const settingRef: ObjectRef = { apiVersion: Setting.apiVersion, kind: Setting.kind, name: SETTING };

const USERS =
  "Harvester's page and API answer nothing; virtual machines that run go on running, and none can be changed.";
const MAY_WAIT = {
  untilMorning: true,
  because: 'what runs goes on running; only management is down, and nothing gets worse',
};

/** The release, best by the image: the setting server-version may not have been written yet. */
async function versionOf({ look, deployment, pods }: Sight): Promise<string | undefined> {
  const containers = deployment?.spec?.template?.spec?.containers ?? pods[0]?.pod.spec?.containers ?? [];
  const image = (containers.find(({ name }) => name === 'apiserver') ?? containers[0])?.image;
  const tag = image?.split('@')[0]?.split('/').at(-1)?.split(':')[1];
  return tag ?? (await look.version()).harvester;
}

/** Whether the release has the validator's regression; undefined where the release cannot be read. */
function isAffected(version: string | undefined): boolean | undefined {
  const [early, late] = [isBefore(version, AFFECTED.from), isBefore(version, AFFECTED.before)];
  return early === undefined || late === undefined ? undefined : !early && late;
}

/** Whether the setting is there; `unknown` where settings were not captured. */
async function settingIs({ look }: Sight): Promise<'there' | 'absent' | 'unknown'> {
  if (await look.get(Setting, { name: SETTING })) return 'there';
  return (await look.captured(Setting)) && (await look.list(Setting)).length > 0 ? 'absent' : 'unknown';
}

/** The log says that the setting storage-network was denied. */
export async function denied(sight: Sight, sign: Sign, seen: readonly Evidence[]): Promise<Diagnosis<Finding>> {
  const setting = await settingIs(sight);
  if (setting === 'there') return exists;
  switch (sign.class) {
    case 'machines':
      return machines(sight, seen, { confidence: 'certain', because: BECAUSE_LOG });
    case 'volumes':
      return other(sight, 'volumes', await attached(sight.look), seen);
    case 'vcluster':
      return other(sight, 'vcluster', [], seen);
    default:
      return other(sight, 'strategy-conflict', sign.names === undefined ? [] : [sign.names], seen);
  }
}

const exists: NotThis = {
  is: false,
  because: 'the setting storage-network is there by now, so this denial is over: the next start of the pod passes it',
};

const BECAUSE_LOG =
  'the log says that the validator refused to create the setting storage-network until all VMs are stopped; the setting does not exist, so every start tries it again';

/** Without a log: a release with the fault, settings without storage-network, and a machine that is not stopped. */
export async function likely(sight: Sight, seen: readonly Evidence[]): Promise<Diagnosis<Finding> | undefined> {
  if ((await settingIs(sight)) !== 'absent' || isAffected(await versionOf(sight)) !== true) return undefined;
  const blocking = (await pairsOf(sight.look)).filter(isBlocking);
  if (blocking.length === 0) return undefined;
  return machines(sight, seen, {
    confidence: 'probable',
    because:
      'no log could be read, but the setting storage-network does not exist, this release refuses to create it while a VM is not stopped, and there are such VMs',
  });
}

async function machines(
  sight: Sight,
  seen: readonly Evidence[],
  how: { confidence: 'certain' | 'probable'; because: string },
): Promise<Diagnosis<Finding>> {
  const { look, ref } = sight;
  const version = await versionOf(sight);
  const blocking = (await pairsOf(look)).filter(isBlocking);
  const all = blocking.map((pair) => machineOf(pair, version)).filter((one) => one !== undefined);
  const finding: Machines = {
    class: 'machines',
    deployment: ref,
    machines: all,
    obstacles: await obstaclesTo(sight, blocking, all, version),
  };
  const names = blocking.map(({ vm }) => placeOf(vm));
  return {
    is: true,
    finding,
    cause: CAUSE,
    ...how,
    summary: `Harvester does not start: its setting storage-network is refused while ${list(names)} not stopped`,
    users: USERS,
    mayWait: MAY_WAIT,
    ...since(sight),
    evidence: [...seen, ...(await noSetting(sight)), ...blocking.map(notStopped)],
  };
}

const list = (names: readonly string[]) => {
  const shown = names.slice(0, 3).join(', ');
  if (names.length === 0) return 'some VM is';
  return names.length > 3
    ? `${shown} and ${names.length - 3} more VMs are`
    : `${shown} ${names.length > 1 ? 'are' : 'is'}`;
};

async function noSetting(sight: Sight): Promise<Evidence[]> {
  if ((await settingIs(sight)) !== 'absent') return [];
  const because = 'the setting does not exist, although others do: Harvester tries to create it at each start';
  return [{ object: settingRef, field: 'metadata.name', value: null, because }];
}

const notStopped = ({ vm }: Pair) =>
  saw(vm, 'status.printableStatus', `VM ${placeOf(vm)} does not say Stopped, and so counts as running`);

const WHY: Readonly<Record<OtherDenialClass, string>> = {
  volumes: 'a Longhorn volume is attached',
  vcluster: 'the vcluster add-on runs',
  'strategy-conflict': 'a VM has both running and runStrategy',
};

async function other(
  sight: Sight,
  what: OtherDenialClass,
  objects: readonly string[],
  seen: readonly Evidence[],
): Promise<Diagnosis<Finding>> {
  return {
    is: true,
    finding: { class: what, deployment: sight.ref, objects: [...objects] },
    cause: CAUSE,
    confidence: 'certain',
    summary: `Harvester does not start: its setting storage-network is refused while ${WHY[what]}`,
    because: 'the log says so, and every start tries to create the setting again',
    users: USERS,
    mayWait: MAY_WAIT,
    ...since(sight),
    evidence: [...seen, ...(await noSetting(sight))],
  };
}
