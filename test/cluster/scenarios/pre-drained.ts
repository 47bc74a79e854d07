import { z } from 'zod';
import { create } from '../bed/create.ts';
import { type NodeAgent, startNodeAgent } from '../bed/node-agent.ts';
import type { Answer } from '../bed/requester.ts';
import type { Bed } from '../bed/start-bed.ts';
import { until } from '../bed/until.ts';
import { budgetOf, type Component, components, deploymentOf, namespace, nodes } from './pre-drained-objects.ts';

const podsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
      spec: z.object({ nodeName: z.string().optional() }),
      status: z.object({
        phase: z.string(),
        conditions: z
          .array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() }))
          .default([]),
      }),
    }),
  ),
});

/** A pod of virt-api or virt-controller, in short. */
interface PodSeen {
  readonly name: string;
  /** Undefined while no node accepts it. */
  readonly node: string | undefined;
  readonly phase: string;
  /** Why the scheduler finds no node for it. */
  readonly unschedulable: string | undefined;
}

/** A drain that cannot end, and what one can do to it. */
export interface PreDrained {
  readonly agent: NodeAgent;
  /** The cordoned node, the only one of the control plane. */
  readonly node: string;
  pods(component: Component): Promise<PodSeen[]>;
  /** How many pods the budget lets go at this moment. */
  disruptionsAllowed(component: Component): Promise<number>;
  /** What `kubectl drain` and Rancher do with each pod. */
  evict(pod: string): Promise<Answer>;
  /** Evicts every pod of the two Deployments on the node, again and again as a drain does; resolves when none is left. */
  drain(withinMs?: number): Promise<void>;
  /** What virt-operator does once the KubeVirt object has `spec.infra.nodePlacement: {}`. */
  loseAffinity(component: Component): Promise<void>;
}

/**
 * Brings about the incident "stuck Pre-drained" (PD-01) with nothing faked but the nodes' agents: the pods of virt-api
 * and virt-controller may run on control-plane nodes alone, there is one of these, and it is being drained. Each
 * budget has let one pod go, whose replacement finds no node; so neither lets the other pod go. `now`: the nodes' clock,
 * where it is not the machine's.
 */
export async function arrangePreDrained(bed: Bed, now?: () => Date): Promise<PreDrained> {
  await create(bed.request, '/api/v1/namespaces', { metadata: { name: namespace } });
  const agent = await startNodeAgent(bed, nodes, now);
  for (const component of components) {
    await create(bed.request, path('apis/policy/v1', 'poddisruptionbudgets'), budgetOf(component));
    await create(bed.request, path('apis/apps/v1', 'deployments'), deploymentOf(component));
  }
  const seen = { agent, node: nodes[0].name, ...views(bed), ...deeds(bed) };
  const incident = { ...seen, drain: (withinMs?: number) => drain(seen, withinMs) };
  await Promise.all(components.map((component) => untilHealthy(incident, component)));
  await bed.request('PATCH', `/api/v1/nodes/${incident.node}`, { spec: { unschedulable: true } });
  await Promise.all(components.map((component) => evictFirst(incident, component)));
  return incident;
}

function views(bed: Bed): Pick<PreDrained, 'pods' | 'disruptionsAllowed'> {
  return {
    async pods(component) {
      const { body } = await bed.request('GET', `${path('api/v1', 'pods')}?labelSelector=kubevirt.io=${component}`);
      return podsSchema
        .parse(body)
        .items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata, spec, status }) => ({
          name: metadata.name,
          node: spec.nodeName,
          phase: status.phase,
          unschedulable: status.conditions.find((each) => each.type === 'PodScheduled' && each.status === 'False')
            ?.message,
        }));
    },
    async disruptionsAllowed(component) {
      const { body } = await bed.request('GET', `${path('apis/policy/v1', 'poddisruptionbudgets')}/${component}-pdb`);
      return z.object({ status: z.object({ disruptionsAllowed: z.number() }) }).parse(body).status.disruptionsAllowed;
    },
  };
}

function deeds(bed: Bed): Pick<PreDrained, 'evict' | 'loseAffinity'> {
  return {
    evict: (pod) => {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
      return bed.request('POST', `${path('api/v1', 'pods')}/${pod}/eviction`, eviction);
    },
    async loseAffinity(component) {
      const change = { spec: { template: { spec: { affinity: { nodeAffinity: null } } } } };
      await bed.request('PATCH', `${path('apis/apps/v1', 'deployments')}/${component}`, change);
    },
  };
}

async function drain(incident: Omit<PreDrained, 'drain'>, withinMs = 60_000): Promise<void> {
  const round = async () => {
    const pods = (await Promise.all(components.map(incident.pods))).flat().filter(({ node }) => node === incident.node);
    await Promise.all(pods.map(({ name }) => incident.evict(name)));
    return pods.length === 0 || undefined;
  };
  await until(`${incident.node} is drained`, round, { withinMs, everyMs: 1000 });
}

async function untilHealthy(incident: PreDrained, component: Component): Promise<void> {
  await until(`both pods of ${component} run and one may be disrupted`, async () => {
    const pods = await incident.pods(component);
    const running = pods.filter(({ phase, node }) => phase === 'Running' && node === incident.node);
    return (running.length === 2 && (await incident.disruptionsAllowed(component)) === 1) || undefined;
  });
}

async function evictFirst(incident: PreDrained, component: Component): Promise<void> {
  const [first] = await incident.pods(component);
  const { code } = await incident.evict(first?.name ?? '');
  if (code !== 201) throw new Error(`the first eviction of ${component} should pass, and got ${code}`);
  await until(`the replacement in ${component} finds no node and the budget is spent`, async () => {
    const stranded = (await incident.pods(component)).some(({ unschedulable }) => unschedulable !== undefined);
    return (stranded && (await incident.disruptionsAllowed(component)) === 0) || undefined;
  });
}

function path(api: string, plural: string): string {
  return `/${api}/namespaces/${namespace}/${plural}`;
}
