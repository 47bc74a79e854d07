import { type Diagnosis, type Look, nameOf, type ObjectRef, refOf } from '../../shared/handler.ts';
import { Lease, Node } from '../../shared/kinds.ts';
import { falseAlarm } from './causes/console.ts';
import { onNode } from './causes/node.ts';
import { onVip } from './causes/vip.ts';
import type { Finding } from './finding.ts';
import { sightOf } from './sight.ts';
import { LEASE, vipOf } from './vip-sight.ts';

/** Every node, and the Lease by which the virtual IP is led: it stays the same whoever leads. */
export async function subjects(look: Look): Promise<readonly ObjectRef[]> {
  const { lease, service, pods } = await vipOf(look);
  const named: ObjectRef = { apiVersion: Lease.apiVersion, kind: Lease.kind, ...LEASE };
  const led = lease ? [refOf(lease)] : service || pods.length > 0 ? [named] : [];
  return [...(await look.list(Node)).map(refOf), ...led];
}

/** Goes down the decision tree for a node, or looks at the virtual IP. */
export async function diagnose(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  const sight = await sightOf(look);
  if (subject.kind === Lease.kind) return onVip(sight, subject);
  const node = sight.nodes.find(({ metadata }) => metadata.name === subject.name);
  if (!node) return { is: false, because: `${nameOf(subject)} is not there, or could not be read` };
  const said = (await onNode(sight, node)) ?? (await falseAlarm(sight, node));
  return said ?? { is: false, because: `${nameOf(subject)} is Ready and under no pressure` };
}
