import * as z from 'zod';
import { failureMode, kind, type ObjectRef, optional, refOf, type Step, saw, trigger } from '../../shared/handler.ts';
import { Node } from '../../shared/kinds.ts';

/** A pretend VM: it runs or it does not. */
const Vm = kind(
  { apiVersion: 'example.test/v1', kind: 'Vm', plural: 'vms', namespaced: true },
  { spec: optional(z.object({ running: optional(z.boolean()) })) },
);

const Finding = z.object({
  node: z.string(),
  uid: z.string(),
  colour: z.string(),
  vms: z.array(z.string()),
  /** What else mending it takes. */
  also: z.string(),
});
const vmRef = (name: string): ObjectRef => ({ apiVersion: 'example.test/v1', kind: 'Vm', namespace: 'default', name });

const start = (name: string): Step => ({
  do: 'call',
  target: vmRef(name),
  subresource: 'start',
  body: {},
  goal: 'running',
  because: 'it ran before',
});

/** The steps of the nodes labelled `also: delete` and `also: restart`. */
function extra(also: string, node: string): Step[] {
  if (also === 'delete') return [{ do: 'delete', target: vmRef(`scrap-${node}`), because: 'it is in the way' }];
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  return also === 'restart' ? [{ do: 'restart', target, because: 'it must begin afresh' }] : [];
}

/**
 * A mode with every kind of step: nodes labelled `broken` are mended while the VMs that are labelled with the node's
 * name stand still. Its finding depends on the label `colour`, so that a test can change what was approved.
 */
export const paintMode = failureMode<z.infer<typeof Finding>>({
  id: 'paint',
  title: 'A node is broken',
  on: 'harvester',
  urgency: 'soon',
  causes: { unknown: { what: 'somebody broke it', upstream: [] } },
  finding: Finding,
  triggers: [trigger({ kind: Node, fields: ({ metadata }) => metadata.labels.broken ?? null })],
  settle: '30s',
  again: '5m',
  rights: { read: [{ kind: Node }, { kind: Vm }], patch: [{ kind: Node }] },
  storm: 3,
  lastGood: {
    kind: Node,
    async good(look, ref) {
      const node = await look.get(Node, ref);
      return node && node.metadata.labels.broken === undefined
        ? { colour: node.metadata.labels.colour ?? '' }
        : undefined;
    },
  },
  subjects: async (look) => (await look.list(Node)).map(refOf),
  async diagnose(look, subject) {
    const node = await look.get(Node, subject);
    if (node?.metadata.labels.broken === undefined) return { is: false, because: 'the label is not set' };
    const vms = await look.list(Vm, { labels: { node: subject.name } });
    return {
      is: true,
      finding: {
        node: subject.name,
        uid: node.metadata.uid ?? '',
        colour: node.metadata.labels.colour ?? '',
        vms: vms.map(({ metadata }) => metadata.name).sort(),
        also: node.metadata.labels.also ?? '',
      },
      cause: 'unknown',
      confidence: 'certain',
      summary: `Node ${subject.name} is broken`,
      because: 'the label says so',
      users: 'nothing yet',
      mayWait: { untilMorning: true, because: 'it is only a label' },
      evidence: [saw(node, 'metadata.labels', 'the label is set')],
    };
  },
  plan: ({ node, uid, vms, also }) => ({
    refusal: null,
    prevention: null,
    plans: [
      {
        ...{ id: 'mend', title: 'Mend the node', risk: 'low', stopgap: false, does: `Mends ${node}.` },
        ...{ blastRadius: 'one node', irreversible: null, preconditions: [] },
        steps: [
          ...vms.map(
            (name): Step => ({
              ...{ do: 'call', target: vmRef(name), subresource: 'stop', body: {}, goal: 'stopped' },
              because: 'the node can only be mended while it stands still',
            }),
          ),
          {
            do: 'patch',
            target: { apiVersion: 'v1', kind: 'Node', name: node, uid },
            patch: { type: 'merge', body: { metadata: { labels: { broken: null } } } },
            guard: 'quiet',
            because: 'without the label it is sound',
          },
          ...extra(also, node),
          {
            ...{ do: 'wait', target: { apiVersion: 'v1', kind: 'Node', name: node }, until: 'sound', deadline: '2m' },
            because: 'its controller takes a moment',
          },
          ...vms.map(start),
        ],
        onFailure: vms.map(start),
        undo: { offered: true, when: 'sound', because: 'the label can be set again' },
      },
    ],
  }),
  checks: {
    async stopped(look, _finding, target) {
      const vm = await look.get(Vm, target);
      return vm?.spec?.running === false
        ? { is: 'fixed', because: `Vm ${target.name} stands still` }
        : { is: 'waiting', because: `Vm ${target.name} runs` };
    },
    async running(look, _finding, target) {
      const vm = await look.get(Vm, target);
      return vm?.spec?.running === true
        ? { is: 'fixed', because: `Vm ${target.name} runs` }
        : { is: 'waiting', because: `Vm ${target.name} does not run` };
    },
    async quiet(look, _finding, target) {
      const node = await look.get(Node, target);
      return node?.metadata.annotations.busy === undefined
        ? { is: 'fixed', because: 'nobody works on it' }
        : { is: 'waiting', because: `somebody works on ${target.name}` };
    },
    async sound(look, { node }) {
      const seen = await look.get(Node, { name: node });
      return seen?.metadata.annotations.sound === 'yes'
        ? { is: 'fixed', because: 'its controller says that it is sound' }
        : { is: 'waiting', because: 'its controller has not said that it is sound' };
    },
  },
  async verify(look, { node }) {
    const seen = await look.get(Node, { name: node });
    if (!seen) return { is: 'failed', because: 'the node is gone' };
    return seen.metadata.labels.broken === undefined
      ? { is: 'fixed', because: 'the label is gone' }
      : { is: 'waiting', because: 'the label is still there' };
  },
  verification: { every: '10s', hold: '30s', deadline: '5m' },
});
