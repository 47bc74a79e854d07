import { failureMode, type Json, trigger } from '../../shared/handler.ts';
import { ConfigMap, conditionOf, Job, Lease, Node, Pod, Service, Upgrade } from '../../shared/kinds.ts';
import { checks, verify } from './checks.ts';
import { diagnose, subjects } from './diagnose.ts';
import { Finding } from './finding.ts';
import { MAINTENANCE, PROMOTION, SYSTEM } from './nodes.ts';
import { plan } from './plan.ts';
import { causes } from './upstream.ts';
import { LEASE } from './vip-sight.ts';

const WATCHED = ['Ready', 'DiskPressure', 'MemoryPressure', 'PIDPressure'];

/** What of a node tells of a fault: no heartbeats, no images, no times. */
const nodeFields = (node: Node): Json => ({
  conditions: WATCHED.map((type) => conditionOf(node, type)?.status ?? ''),
  reason: conditionOf(node, 'Ready')?.reason ?? '',
  cordoned: node.spec?.unschedulable === true,
  versions: [node.status?.nodeInfo?.kubeletVersion ?? '', node.status?.nodeInfo?.osImage ?? ''],
  notes: [node.metadata.annotations[MAINTENANCE] ?? '', node.metadata.annotations[PROMOTION] ?? ''],
});

/** A node that is not Ready, a promotion that hangs, a virtual IP that does not answer; and a console that only says so. */
export default failureMode<Finding>({
  id: 'node-not-ready',
  title: 'A node is not Ready',
  on: 'harvester',
  urgency: 'now',
  causes,
  finding: Finding,
  triggers: [
    trigger({ kind: Node, fields: nodeFields }),
    // Renewals are noise: only another leader wakes, and a Lease that grows old is seen by looking again.
    trigger({
      kind: Lease,
      where: { namespace: SYSTEM, fields: { 'metadata.name': LEASE.name } },
      fields: ({ spec }) => spec?.holderIdentity ?? '',
    }),
    trigger({
      kind: Job,
      where: { namespace: SYSTEM },
      fields: ({ metadata, status }) =>
        metadata.labels['harvesterhci.io/promote-node'] === undefined
          ? undefined
          : [status?.active ?? 0, status?.succeeded ?? 0, status?.failed ?? 0],
    }),
  ],
  // Nodes tell since when; a virtual IP that one probe missed has to be missed again a minute later.
  settle: '60s',
  again: '60s',
  rights: {
    read: [
      { kind: Node },
      { kind: Upgrade, namespace: SYSTEM },
      { kind: Pod, namespace: SYSTEM },
      { kind: Job, namespace: SYSTEM },
      { kind: Lease, namespace: SYSTEM, names: [LEASE.name] },
      { kind: ConfigMap, namespace: SYSTEM, names: ['vip'] },
      { kind: Service, namespace: 'kube-system', names: ['ingress-expose', 'rke2-traefik'] },
    ],
    logs: [SYSTEM],
    delete: [{ kind: Pod, namespace: SYSTEM }],
  },
  storm: 2,
  subjects,
  diagnose,
  plan,
  checks,
  verify,
  verification: { every: '10s', hold: '60s', deadline: '5m' },
});
