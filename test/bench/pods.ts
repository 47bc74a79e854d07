/** A pod as a real API server shows it: about 3.7 KB, a quarter of which is managedFields. */
export function podOf(index: number, version: number, phaseNumber = 0): object {
  const name = `virt-launcher-vm-${index}-${(index * 7919) % 99991}`;
  return {
    metadata: {
      ...{ name, generateName: `virt-launcher-vm-${index}-`, namespace: `tenant-${index % 20}` },
      ...{ uid: uidOf(index), resourceVersion: String(version), creationTimestamp: '2026-10-01T08:00:00Z' },
      labels: {
        app: `vm-${index}`,
        'kubevirt.io': 'virt-launcher',
        'pod-template-hash': '6d4b75cb6d',
        tier: 'compute',
      },
      annotations: { 'kubevirt.io/domain': `vm-${index}`, 'cni.projectcalico.org/podIP': `10.52.0.${index % 250}/32` },
      ownerReferences: [
        {
          ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name },
          uid: uidOf(index + 1),
          controller: true,
        },
      ],
      managedFields: ['virt-controller', 'kubelet'].map(managedBy),
    },
    spec: {
      volumes: ['private', 'public', 'sockets'].map((volume) => ({ name: volume, emptyDir: {} })),
      containers: [containerOf('compute'), containerOf('guest-console-log')],
      ...{ restartPolicy: 'Never', nodeName: `node${index % 3}`, schedulerName: 'default-scheduler' },
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        ...{ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      })),
    },
    status: {
      phase: phaseNumber % 2 === 0 ? 'Pending' : 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          ...{ type, status: phaseNumber % 2 === 0 ? 'True' : 'False', lastTransitionTime: '2026-10-01T08:00:05Z' },
        }),
      ),
      containerStatuses: ['compute', 'guest-console-log'].map((container) => ({
        ...{
          name: container,
          ready: true,
          restartCount: 0,
          started: true,
          image: 'registry.local/virt-launcher:1.4.1',
        },
        imageID: 'registry.local/virt-launcher@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
        state: { running: { startedAt: '2026-10-01T08:00:04Z' } },
        lastState: {},
      })),
      ...{
        hostIP: '192.168.5.31',
        podIP: `10.52.0.${index % 250}`,
        qosClass: 'Burstable',
        observedGeneration: version,
        startTime: '2026-10-01T08:00:01Z',
      },
    },
  };
}

const uidOf = (index: number) => `0f3a1b2c-4d5e-4f60-8a7b-${String(index).padStart(12, '0')}`;

const managedBy = (manager: string) => ({
  ...{ manager, operation: 'Update', apiVersion: 'v1', time: '2026-10-01T08:00:05Z', fieldsType: 'FieldsV1' },
  fieldsV1: {
    'f:status': {
      'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} } },
      'f:containerStatuses': {},
      ...{ 'f:hostIP': {}, 'f:phase': {}, 'f:podIP': {}, 'f:startTime': {} },
    },
  },
});

const containerOf = (name: string) => ({
  ...{
    name,
    image: 'registry.local/virt-launcher:1.4.1',
    command: ['/usr/bin/virt-launcher-monitor', '--qemu-timeout', '280s'],
  },
  resources: { limits: { 'devices.kubevirt.io/kvm': '1' }, requests: { cpu: '500m', memory: '2294Mi' } },
  volumeMounts: ['private', 'public'].map((volume) => ({ name: volume, mountPath: `/var/run/kubevirt-${volume}` })),
  ...{ terminationMessagePath: '/dev/termination-log', imagePullPolicy: 'IfNotPresent' },
});
