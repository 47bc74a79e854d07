import { type Diagnosis, type Evidence, nameOf, refOf, saw } from '../../../shared/handler.ts';
import { isTrue, type Pod } from '../../../shared/kinds.ts';
import type { Ending, Finding } from '../finding.ts';
import { VirtualMachineBackup } from '../kinds.ts';
import { readSign, type Sign } from '../log.ts';
import { containerOf, type Standing, SYSTEM } from '../pods.ts';
import { closedBy, type Sight, since } from '../sight.ts';
import type { CauseName } from '../upstream.ts';
import { isWebhookEvicted } from './no-node.ts';
import { denied, likely } from './storage-network.ts';

/** A pod that ends again and again. */
export interface Crash {
  readonly pod: Pod;
  readonly standing: Extract<Standing, { is: 'crashing' }>;
}

/** Enough lines for a panic's stack. */
const TAIL = 400;
/** As much of a line as evidence shows. */
const SHOWN = 500;

/** Why the pods end again and again: by their logs; without one, by what else the picture shows. */
export async function crashing(sight: Sight, first: Crash, crashes: readonly Crash[]): Promise<Diagnosis<Finding>> {
  const logs = await logsOf(sight, crashes);
  const told = logs.find(({ sign }) => sign !== undefined);
  if (told?.sign) return bySign(sight, told.crash, told.sign);
  const isSilent = logs.every(({ isRead }) => !isRead);
  const guess = isSilent ? await likely(sight, [sawCrash(first)]) : undefined;
  return guess ?? unexplained(sight, first);
}

async function logsOf({ look }: Sight, crashes: readonly Crash[]) {
  return Promise.all(
    crashes.map(async (crash) => {
      const pod = { namespace: SYSTEM, name: crash.pod.metadata.name };
      const container = containerOf(crash.pod)?.name ?? 'apiserver';
      const previous = await look.log(pod, { container, previous: true, tail: TAIL });
      const current = await look.log(pod, { container, tail: TAIL });
      return { crash, sign: readSign([previous, current]), isRead: Boolean(previous?.length || current?.length) };
    }),
  );
}

async function bySign(sight: Sight, crash: Crash, sign: Sign): Promise<Diagnosis<Finding>> {
  const evidence = [sawCrash(crash), sawLine(crash.pod, sign)];
  switch (sign.class) {
    case 'machines':
    case 'volumes':
    case 'vcluster':
    case 'strategy-conflict':
      return denied(sight, sign, evidence);
    default: {
      const cause = await causeOf(sight, sign);
      return recognised(sight, { class: sign.class, cause, confidence: 'certain' }, evidence);
    }
  }
}

/** What the log says, made more specific by what else is seen. */
async function causeOf(sight: Sight, sign: Sign): Promise<CauseName> {
  if (sign.class === 'webhook-silent') return whyWebhookSilent(sight);
  if (sign.class !== 'panic' || sign.cause !== 'unknown' || !/nil pointer/.test(sign.line)) return sign.cause;
  const backups = await sight.look.list(VirtualMachineBackup);
  const isOld = backups.some(({ status }) => status?.backupTarget === undefined);
  return isOld ? 'panic-vm-backup-nil' : 'unknown';
}

function whyWebhookSilent(sight: Sight): CauseName {
  const closed = sight.nodes.map(closedBy);
  const isDown = sight.webhook === 'no';
  if (isDown && closed.length > 0 && closed.every((by) => by === 'cordoned'))
    return 'all-nodes-cordoned-webhook-deadlock';
  if (isDown && closed.length > 0 && closed.every((by) => by === 'cordoned' || by === 'disk-pressure')) {
    return 'webhook-deadlock-disk-pressure';
  }
  return isWebhookEvicted(sight) ? 'webhook-evicted-deadlock' : 'webhook-no-endpoints-at-boot';
}

/** No line of a log says why. What is another fault's, or passes by itself, is left to it. */
function unexplained(sight: Sight, { pod, standing }: Crash): Diagnosis<Finding> {
  const node = sight.nodes.find(({ metadata }) => metadata.name === pod.spec?.nodeName);
  if (node && !isTrue(node, 'Ready')) {
    return {
      is: false,
      because: `${standing.because}, and its Node ${node.metadata.name} is not Ready: mend that first`,
    };
  }
  if (sight.upgrade !== undefined) {
    return {
      is: false,
      because: `${standing.because} while Upgrade ${sight.upgrade} is under way, and no log says why`,
    };
  }
  const isOut = standing.reason === 'OOMKilled' || standing.exitCode === 137;
  const what: Ending = isOut ? 'out-of-memory' : standing.exitCode === 2 ? 'panic' : 'crash';
  return recognised(sight, { class: what, cause: 'unknown', confidence: 'probable' }, [sawCrash({ pod, standing })]);
}

/** A container that is not even made. */
export function imageless(sight: Sight, pod: Pod, because: string): Diagnosis<Finding> {
  if (sight.upgrade !== undefined) {
    return { is: false, because: `${because} while Upgrade ${sight.upgrade} is under way: that brings the images` };
  }
  const evidence = saw(pod, 'status.containerStatuses', 'the container cannot be made');
  return recognised(sight, { class: 'image', cause: 'unknown', confidence: 'certain' }, [evidence]);
}

const WHY: Readonly<Record<Ending, string>> = {
  'setting-denied': 'the validator refuses a setting that it writes at start',
  'webhook-silent': 'harvester-webhook does not answer when it starts',
  'webhook-unregistered': 'harvester-webhook never registered itself',
  'webhook-untrusted': 'the certificate of harvester-webhook is not trusted',
  'bootstrap-denied': "Rancher's webhook refuses what it sets up",
  'migration-network': 'the setting vm-migration-network is refused while a VM migrates',
  'template-invalid': "its VM templates do not match the cluster's definition",
  'not-an-iso-install': "Rancher's kinds are not there, as on a cluster that was not installed from the ISO",
  'api-unreachable': 'it cannot reach the Kubernetes API',
  panic: 'it panics',
  'out-of-memory': 'it is killed for want of memory',
  image: 'its image or configuration is not there',
  crash: 'it ends with an error that no rule knows',
};

export function recognised(
  sight: Sight,
  { class: what, cause, confidence }: { class: Ending; cause: CauseName; confidence: 'certain' | 'probable' },
  evidence: readonly Evidence[],
): Diagnosis<Finding> {
  return {
    is: true,
    finding: { class: what, deployment: sight.ref },
    cause,
    confidence,
    summary: `Harvester does not start: ${WHY[what]}`,
    because: evidence.map((one) => `${nameOf(one.object)}: ${one.because}`).join('; '),
    users: "Harvester's page and API answer nothing; virtual machines that run go on running, and none can be changed.",
    mayWait: { untilMorning: true, because: 'what runs goes on running; only management is down' },
    ...since(sight),
    evidence,
  };
}

function sawCrash({ pod, standing }: Crash): Evidence {
  const end = standing.exitCode === undefined ? '' : `, last with exit code ${standing.exitCode}`;
  return {
    object: refOf(pod),
    field: 'status.containerStatuses',
    value: standing.reason ?? 'CrashLoopBackOff',
    because: `the container ends again and again${end}`,
  };
}

const sawLine = (pod: Pod, { line }: Sign): Evidence => ({
  object: refOf(pod),
  field: 'log',
  value: line.slice(0, SHOWN),
  because: `the last run ended of: ${gist(line)}`,
});

/** The message of a logrus line, without its escapes and shortened. */
function gist(line: string): string {
  const message = (/msg="(.*)"/.exec(line)?.[1] ?? line).replaceAll('\\"', '"');
  return message.length > 200 ? `${message.slice(0, 199)}…` : message;
}
