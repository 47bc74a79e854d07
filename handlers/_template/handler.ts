import * as z from 'zod';
import { failureMode, type ObjectRef, refOf, saw, trigger } from '../../shared/handler.ts';
import { Node } from '../../shared/kinds.ts';

/** What was found, in the words that the plan needs: names and uids; no times, counts or messages. */
const Finding = z.object({ node: z.string() });

const refTo = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Node', name });

/** A sixth mode that only the tests know: a node that carries the label `example.test/broken`. */
export default failureMode<z.infer<typeof Finding>>({
  id: 'template',
  title: 'A node is labelled broken',
  on: 'harvester',
  urgency: 'morning',
  causes: { unknown: { what: 'Somebody labelled the node.', upstream: [] } },
  finding: Finding,
  triggers: [trigger({ kind: Node, fields: (node) => node.metadata.labels['example.test/broken'] ?? null })],
  settle: '0s',
  again: '5m',
  rights: { read: [{ kind: Node }], patch: [{ kind: Node }] },

  async subjects(look) {
    return (await look.list(Node)).map(refOf);
  },

  async diagnose(look, subject) {
    const node = await look.get(Node, subject);
    if (!node) return { is: false, because: `Node ${subject.name} is not there` };
    if (node.metadata.labels['example.test/broken'] === undefined) {
      return { is: false, because: 'the label example.test/broken is not set' };
    }
    return {
      is: true,
      finding: { node: subject.name },
      cause: 'unknown',
      confidence: 'certain',
      summary: `Node ${subject.name} is labelled broken`,
      because: 'the label example.test/broken is set, which nothing but a person does',
      users: 'nothing',
      mayWait: { untilMorning: true, because: 'a label moves no workload' },
      evidence: [saw(node, 'metadata.labels', 'the label example.test/broken is set')],
    };
  },

  plan: ({ node }) => ({
    refusal: null,
    prevention: null,
    plans: [
      {
        id: 'remove-label',
        title: 'Remove the label',
        risk: 'low',
        stopgap: false,
        does: `Removes the label example.test/broken of Node ${node}.`,
        blastRadius: 'One label of one node.',
        irreversible: null,
        preconditions: [],
        steps: [
          {
            do: 'patch',
            target: refTo(node),
            patch: { type: 'merge', body: { metadata: { labels: { 'example.test/broken': null } } } },
            because: 'without the label the node counts as sound again',
          },
        ],
        onFailure: [],
        undo: { offered: false, because: 'setting the label again would bring the fault back' },
      },
    ],
  }),

  checks: {},

  async verify(look, { node }) {
    const now = await look.get(Node, { name: node });
    const gone = now !== undefined && now.metadata.labels['example.test/broken'] === undefined;
    return gone
      ? { is: 'fixed', because: 'the label is gone' }
      : { is: 'waiting', because: 'the label is still there' };
  },
  verification: { every: '10s', hold: '30s', deadline: '2m' },
});
