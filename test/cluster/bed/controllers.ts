import { join } from 'node:path';
import type { Place } from './apiserver.ts';
import type { Recipe } from './component.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { KeyPair } from './pki.ts';

/** The controllers that a bed runs unless the test names others. */
const usualControllers: readonly string[] = [
  'deployment-controller',
  'replicaset-controller',
  'disruption-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'job-controller',
  'daemonset-controller',
];

/** What a test may change about the controllers. */
export interface ControllerOptions {
  /** Replaces `usualControllers`; an empty list means no controller manager at all. */
  readonly controllers?: readonly string[];
  /** Adds the controllers that turn a silent node Unknown, after 20 s instead of 40 s, and evict its pods. */
  readonly nodeLifecycle?: boolean;
}

/** kube-controller-manager, or undefined where no controller is wanted. */
export function controllersRecipe(program: string, place: Place, options: ControllerOptions): Recipe | undefined {
  const { controllers = usualControllers, nodeLifecycle = false } = options;
  const lifecycle = nodeLifecycle ? ['node-lifecycle-controller', 'taint-eviction-controller'] : [];
  const wanted = [...controllers, ...lifecycle];
  if (wanted.length === 0) return undefined;
  const args = [`--controllers=${wanted.join(',')}`];
  if (nodeLifecycle) args.push('--node-monitor-grace-period=20s', '--node-monitor-period=2s');
  return follower(program, 'kube-controller-manager', place, place.pki.controllers, args);
}

/** kube-scheduler. */
export function schedulerRecipe(program: string, place: Place): Recipe {
  return follower(program, 'kube-scheduler', place, place.pki.scheduler, []);
}

/**
 * A client of the API server that opens no port. It has nothing to ask whether it is ready: whoever waits for its
 * doings waits with a deadline anyway.
 */
function follower(program: string, name: string, place: Place, keys: KeyPair, more: readonly string[]): Recipe {
  const path = join(place.folder, `${name}.kubeconfig`);
  const kubeconfig = writeKubeconfig(path, { server: place.url, ca: place.pki.ca.cert, user: name, keys });
  return {
    program,
    logFile: join(place.folder, `${name}.log`),
    args: [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...more],
    ready: () => Promise.resolve(),
  };
}
