import { failureMode, type Json, refOf, trigger } from '../../shared/handler.ts';
import { Deployment, isTrue, Service } from '../../shared/kinds.ts';
import { otherSubjects } from './causes/other-kinds.ts';
import { checks, verify } from './checks.ts';
import { diagnose } from './diagnose.ts';
import { Finding } from './finding.ts';
import { soundStatus } from './good.ts';
import {
  BlockDevice,
  IPPool,
  LoadBalancer,
  NetworkAttachmentDefinition,
  UIPlugin,
  Upgrade,
  VirtualMachineImage,
} from './kinds.ts';
import { plan } from './plan.ts';
import { CONTROLLER, SYSTEM, WEBHOOK } from './sight.ts';
import { causes } from './upstream.ts';

/** What of a pool tells that bookings changed or its status was erased; the times of its conditions do not. */
const poolFields = (pool: IPPool): Json => ({
  ranges: pool.spec.ranges.map(({ subnet, gateway, rangeStart, rangeEnd }) =>
    [subnet, gateway, rangeStart, rangeEnd].map((value) => value ?? ''),
  ),
  ready: isTrue(pool, 'Ready'),
  total: pool.status?.total ?? null,
  available: pool.status?.available ?? null,
  allocated: pool.status?.allocated ?? null,
  leaving: pool.metadata.deletionTimestamp !== undefined,
});

/** A pool of load balancer addresses whose status a careless save erased, so that addresses in use are handed out again. */
export default failureMode<Finding>({
  id: 'ippool-status-wiped',
  title: 'An IP pool lost its status',
  on: 'harvester',
  urgency: 'soon',
  causes,
  finding: Finding,
  triggers: [
    trigger({ kind: IPPool, fields: poolFields }),
    trigger({
      kind: LoadBalancer,
      fields: ({ spec, status }) => [
        spec?.ipam ?? '',
        status?.allocatedAddress?.ipPool ?? '',
        status?.allocatedAddress?.ip ?? '',
      ],
    }),
  ],
  // A new load balancer is written to the pool first and to itself a moment later: one look may fall between the two.
  settle: '30s',
  again: '5m',
  rights: {
    read: [
      { kind: IPPool },
      { kind: LoadBalancer },
      { kind: Service },
      { kind: NetworkAttachmentDefinition },
      { kind: Deployment, namespace: SYSTEM, names: [CONTROLLER, WEBHOOK] },
      { kind: UIPlugin, namespace: 'cattle-ui-plugin-system', names: ['harvester'] },
      { kind: Upgrade },
      { kind: VirtualMachineImage },
      { kind: BlockDevice },
    ],
    patch: [{ kind: IPPool }],
  },

  async subjects(look) {
    return [...(await look.list(IPPool)).map(refOf), ...(await otherSubjects(look))];
  },
  diagnose,
  plan,
  checks,
  verify,
  verification: { every: '10s', hold: '60s', deadline: '5m' },
  lastGood: { kind: IPPool, good: soundStatus },
});
