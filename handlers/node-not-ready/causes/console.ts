import { type Diagnosis, saw } from '../../../shared/handler.ts';
import type { Node } from '../../../shared/kinds.ts';
import { isBefore, release } from '../../../shared/versions.ts';
import type { Finding } from '../finding.ts';
import { isReady } from '../nodes.ts';
import type { Sight } from '../sight.ts';

/**
 * Consoles before v1.5.0-rc4 list pods with the rights of their own node, which Kubernetes 1.32 and newer refuses: they
 * show NotReady although all is well (harvester/harvester#7963). No object records it: all others must be seen to be well.
 */
export async function falseAlarm({ look, nodes }: Sight, node: Node): Promise<Diagnosis<Finding> | undefined> {
  const { kubernetes } = await look.version();
  if (isBefore(kubernetes, '1.32.0') !== false || !nodes.every(isReady)) return undefined;
  const old = nodes.filter(hasOldConsole);
  const [first, ...others] = old.filter((one) => one !== firstOf(nodes));
  if (!first || ![first, ...others].includes(node)) return undefined;
  const probe = await look.probe('vip');
  if (!probe?.ok) return undefined;
  if (node !== first)
    return { is: false, because: `what is said of the console of Node ${first.metadata.name} holds for this one, too` };
  const names = [first, ...others].map(({ metadata }) => metadata.name);
  return {
    is: true,
    finding: { about: 'console', class: 'CONSOLE_FALSE_ALARM', nodes: names },
    cause: 'node-authorizer-selectors',
    confidence: 'suspected',
    summary: `The consoles of ${names.join(', ')} may show NotReady although all is well`,
    because: `all nodes are Ready and the virtual IP answers; these consoles are older than v1.5.0 and talk to Kubernetes ${kubernetes}, which refuses what they ask`,
    users: 'nothing: only a text on the console is wrong',
    mayWait: { untilMorning: true, because: 'it ends by itself when the node is upgraded to v1.5.0 or newer' },
    evidence: [saw(node, 'status.nodeInfo', 'an old console and a kubelet of its own')],
  };
}

/** The node that was installed first asks with the administrator's rights: its console is always right. */
const firstOf = (nodes: readonly Node[]) =>
  [...nodes].sort((a, b) => createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];

const createdAt = ({ metadata }: Node) => Date.parse(metadata.creationTimestamp ?? '') || 0;

function hasOldConsole({ status }: Node): boolean {
  const version = /Harvester (v\d\S*)/.exec(status?.nodeInfo?.osImage ?? '')?.[1];
  return release(version) !== undefined && isBefore(version, '1.5.0-rc4') === true;
}
