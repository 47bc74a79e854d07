import type { Look } from '../../shared/handler.ts';
import { type Deployment, Node, Pod } from '../../shared/kinds.ts';
import { isCordoned, isReady } from './sight.ts';

const UNITS: Readonly<Record<string, number>> = {
  ...{ m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 },
};

/** A Kubernetes quantity (`500m`, `64Gi`, `1e3`) as a number; undefined where it is none. */
export function quantity(text: string | number | undefined): number | undefined {
  if (typeof text === 'number') return text;
  const match = /^(\d+(?:\.\d+)?(?:e\d+)?)([a-zA-Z]*)$/.exec(text ?? '');
  const unit = UNITS[match?.[2] ?? ''];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

type Requests = Readonly<Record<string, string | number>> | undefined;

const sumOf = (resource: string, requests: readonly Requests[]) =>
  requests.reduce((sum, each) => sum + (quantity(each?.[resource]) ?? 0), 0);

/** Whether another node would take a pod of each of these Deployments; `unknown` where sizes are not in the picture. */
export async function roomFor(
  look: Look,
  deployments: readonly Deployment[],
  drained: string,
): Promise<'yes' | 'no' | 'unknown'> {
  const nodes = (await look.list(Node)).filter((node) => node.metadata.name !== drained && takesPods(node));
  if (nodes.length === 0) return 'no';
  if (!(await look.captured(Pod))) return 'unknown';
  const pods = await look.list(Pod);
  const asked = deployments.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []).map(requestsOf);
  const answers = nodes.map((node) => fits(node, pods, asked));
  if (answers.includes(true)) return 'yes';
  return answers.includes(undefined) ? 'unknown' : 'no';
}

/** KubeVirt's pods tolerate `CriticalAddonsOnly` and nothing else once their placement is empty. */
const takesPods = (node: Node) =>
  isReady(node) &&
  !isCordoned(node) &&
  !(node.spec?.taints ?? []).some(({ key, effect }) => effect !== 'PreferNoSchedule' && key !== 'CriticalAddonsOnly');

const requestsOf = ({ resources }: { resources?: { requests?: Requests } | undefined }) => resources?.requests;

function fits(node: Node, pods: readonly Pod[], asked: readonly Requests[]): boolean | undefined {
  const there = pods
    .filter(({ spec, status }) => spec?.nodeName === node.metadata.name && status?.phase !== 'Succeeded')
    .flatMap(({ spec }) => (spec?.containers ?? []).map(requestsOf));
  const answers = ['cpu', 'memory'].map((resource) => {
    const all = quantity(node.status?.allocatable?.[resource]);
    return all === undefined ? undefined : sumOf(resource, [...there, ...asked]) <= all;
  });
  return answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;
}
