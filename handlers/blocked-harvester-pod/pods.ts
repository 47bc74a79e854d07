import type { Look } from '../../shared/handler.ts';
import { conditionOf, Pod } from '../../shared/kinds.ts';

export const SYSTEM = 'harvester-system';

/** For how long a container must have run to count as up: it has no probes, and is Ready for seconds at every restart. */
const STEADY = 5 * 60_000;

/** How a pod of Harvester stands. `crashing`: it was restarted twice or more, and does not stay up. */
export type Standing =
  | { readonly is: 'serving' | 'starting' | 'gone' | 'evicted' | 'pending'; readonly because: string }
  | { readonly is: 'image'; readonly because: string }
  | { readonly is: 'crashing'; readonly because: string; readonly exitCode?: number; readonly reason?: string };

const NAME = 'app.kubernetes.io/name';
const COMPONENT = 'app.kubernetes.io/component';

/** The hash and suffix that a Deployment gives its pods: letters and digits without vowels, `0`, `1` and `3`. */
const generated = (deployment: string) =>
  new RegExp(`^${deployment}-[b-df-hj-np-tv-xz2-9]{6,10}-[b-df-hj-np-tv-xz2-9]{5}$`);
const SERVER = generated('harvester');
const WEBHOOK = generated('harvester-webhook');

/** The webhook's pods share the name label: both labels tell; pods of a partial picture without any, their name. */
function isOf(pod: Pod, component: string, names: RegExp): boolean {
  const { labels, name } = pod.metadata;
  if (labels[NAME] !== undefined) return labels[NAME] === 'harvester' && labels[COMPONENT] === component;
  return Object.keys(labels).length === 0 && names.test(name);
}

/** The pods of Harvester itself and those of its webhook, by name. */
export async function podsOf(look: Look): Promise<{ servers: readonly Pod[]; webhooks: readonly Pod[] }> {
  const all = await look.list(Pod, { namespace: SYSTEM });
  const pods = [...all].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  return {
    servers: pods.filter((pod) => isOf(pod, 'apiserver', SERVER)),
    webhooks: pods.filter((pod) => isOf(pod, 'webhook-server', WEBHOOK)),
  };
}

export const containerOf = (pod: Pod) =>
  pod.status?.containerStatuses?.find(({ name }) => name === 'apiserver') ?? pod.status?.containerStatuses?.[0];

const IMAGE = [
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
];

/** How the pod stands at that moment. */
export function standingOf(pod: Pod, at: Date): Standing {
  const { name, deletionTimestamp } = pod.metadata;
  const phase = pod.status?.phase;
  if (deletionTimestamp) return { is: 'gone', because: `Pod ${name} is being deleted` };
  if (phase === 'Failed' && pod.status?.reason === 'Evicted')
    return { is: 'evicted', because: `Pod ${name} was evicted` };
  if (phase === 'Failed' || phase === 'Succeeded') return { is: 'gone', because: `Pod ${name} has ended` };
  const container = containerOf(pod);
  const waiting = container?.state?.waiting?.reason;
  if (waiting !== undefined && IMAGE.includes(waiting)) {
    return { is: 'image', because: `the container of Pod ${name} waits with ${waiting}` };
  }
  if (container?.state?.running) return runningPod(name, container, at);
  if (container && (container.state?.terminated || waiting === 'CrashLoopBackOff')) return stoppedPod(name, container);
  if (phase === 'Pending') return { is: 'pending', because: pendingBecause(pod) };
  return { is: 'starting', because: `Pod ${name} does not say how its container stands` };
}

type Container = NonNullable<ReturnType<typeof containerOf>>;

function runningPod(name: string, container: Container, at: Date): Standing {
  const startedAt = container.state?.running?.startedAt;
  const age = startedAt === undefined ? undefined : at.getTime() - Date.parse(startedAt);
  const isUp = age === undefined ? container.ready === true : age >= STEADY;
  if (isUp)
    return {
      is: 'serving',
      because: `Pod ${name} runs${age === undefined ? ' and is ready' : ' for 5 minutes or longer'}`,
    };
  if (doesNotStay(container)) return stoppedPod(name, container);
  return { is: 'starting', because: `Pod ${name} has been started and may still come up` };
}

/** Its run before this one failed, or it says that it is not ready, which without a probe no container says that runs. */
function doesNotStay({ ready, restartCount, lastState }: Container): boolean {
  const ended = lastState?.terminated;
  if (ended !== undefined) return ended.exitCode !== 0 && (restartCount ?? 2) >= 2;
  return ready === false && (restartCount ?? 0) >= 2;
}

function stoppedPod(name: string, container: Container): Standing {
  if ((container.restartCount ?? 2) < 2) {
    return { is: 'starting', because: `Pod ${name} has restarted once and may still come up` };
  }
  const { exitCode, reason } = container.state?.terminated ?? container.lastState?.terminated ?? {};
  return {
    is: 'crashing',
    because: `Pod ${name} ends again and again`,
    ...(exitCode !== undefined && { exitCode }),
    ...(reason !== undefined && { reason }),
  };
}

function pendingBecause(pod: Pod): string {
  const scheduled = conditionOf({ status: pod.status }, 'PodScheduled');
  return `Pod ${pod.metadata.name} is Pending${scheduled?.status === 'False' ? `, ${scheduled.reason ?? 'not scheduled'}` : ''}`;
}

/** Whether every container of the pod says that it is ready. */
export const isReady = (pod: Pod) => {
  const containers = pod.status?.containerStatuses ?? [];
  return !pod.metadata.deletionTimestamp && containers.length > 0 && containers.every(({ ready }) => ready === true);
};
