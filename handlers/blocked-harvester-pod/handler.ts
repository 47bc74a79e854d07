import { failureMode, trigger } from '../../shared/handler.ts';
import { Deployment, Node, Pod, Setting, Upgrade } from '../../shared/kinds.ts';
import { SETTING } from './causes/storage-network.ts';
import { checks, verify } from './checks.ts';
import { diagnose, subjects } from './diagnose.ts';
import { Finding } from './finding.ts';
import {
  Bundle,
  Event,
  ManagedChart,
  Manifest,
  VirtualMachine,
  VirtualMachineBackup,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
  Volume,
} from './kinds.ts';
import { strategyOf } from './machines.ts';
import { plan } from './plan.ts';
import { containerOf, SYSTEM } from './pods.ts';
import { NAME, VIRT_API, WEBHOOK } from './sight.ts';
import { causes } from './upstream.ts';

/** Harvester's own server does not come up: it is denied what it writes at start, or has nowhere to run. */
export default failureMode<Finding>({
  id: 'blocked-harvester-pod',
  title: 'Harvester does not start',
  on: 'harvester',
  urgency: 'soon',
  causes,
  finding: Finding,
  triggers: [
    trigger({
      kind: Pod,
      where: { namespace: SYSTEM, labels: { 'app.kubernetes.io/name': 'harvester' } },
      fields: (pod) => [
        pod.status?.phase ?? '',
        containerOf(pod)?.state?.waiting?.reason ?? '',
        containerOf(pod)?.lastState?.terminated?.exitCode ?? null,
        pod.metadata.deletionTimestamp !== undefined,
      ],
    }),
    trigger({
      kind: Setting,
      where: { fields: { 'metadata.name': SETTING } },
      fields: (setting) => setting.metadata.name,
    }),
    trigger({
      kind: VirtualMachine,
      fields: (vm) => [strategyOf(vm) ?? '', vm.status?.printableStatus === 'Stopped'],
    }),
    trigger({ kind: Node, fields: (node) => node.spec?.unschedulable ?? false }),
  ],
  // Harvester is restarted once or twice on many a good boot, and the webhook it needs comes up beside it.
  settle: '60s',
  again: '5m',
  rights: {
    read: [
      { kind: Pod, namespace: SYSTEM },
      { kind: Deployment, namespace: SYSTEM, names: [NAME, WEBHOOK, VIRT_API] },
      { kind: Setting },
      { kind: Node },
      { kind: Upgrade },
      { kind: VirtualMachine },
      { kind: VirtualMachineInstance },
      { kind: VirtualMachineInstanceMigration },
      { kind: VirtualMachineBackup },
      { kind: Volume, namespace: 'longhorn-system' },
      { kind: Manifest, namespace: 'kube-system' },
      { kind: Event, namespace: 'kube-system' },
      { kind: ManagedChart, namespace: 'fleet-local', names: ['harvester'] },
      { kind: Bundle, namespace: 'fleet-local', names: ['mcc-harvester'] },
    ],
    logs: [SYSTEM],
    patch: [{ kind: VirtualMachine }],
    call: [
      { group: 'subresources.kubevirt.io', resource: 'virtualmachines/stop' },
      { group: 'subresources.kubevirt.io', resource: 'virtualmachines/start' },
    ],
  },
  subjects,
  diagnose,
  plan,
  checks,
  verify,
  verification: { every: '10s', hold: '60s', deadline: '10m' },
});
