import { nameOf, type ObjectRef, type Offer, type Plan, type Step } from '../../shared/handler.ts';
import type { Blocked, Duplicate, Finding, Wiped } from './finding.ts';
import { LoadBalancer } from './kinds.ts';
import { restoring } from './restore.ts';

/** What Gleaner offers for a finding. */
export function plan(finding: Finding): Offer {
  switch (finding.class) {
    case 'S0':
    case 'S1':
    case 'S2':
    case 'S3':
      return forWiped(finding);
    case 'left-over':
      return finding.migrated ? refuse(MIGRATED) : releasing(finding);
    case 'unbooked':
      return refuse(
        `only the load balancers themselves say that these addresses are in use: ${finding.missing.map(({ ip, holder }) => `${ip} by ${holder}`).join(', ')}. Look whether they answer there; then book them by hand, or correct the load balancers' status (runbook)`,
      );
    case 'wrong-pool':
      return refuse(
        `whether the address or the name of the pool is right only its owner knows: delete and make again ${finding.records.map(({ holder }) => `LoadBalancer ${holder}`).join(', ')} when an interruption suits`,
      );
    case 'other-kind':
      return refuse(
        `nothing can tell what the status of ${nameOf(finding.object)} held: its own controller may write a new one; do not edit, delete or restart anything for it before somebody has looked`,
      );
  }
}

const refuse = (because: string): Offer => ({ refusal: { because }, plans: [], prevention: PREVENTION });

const PREVENTION =
  "Raise Rancher's Harvester UI extension to 1.0.5 or newer (1.5.0-rc2 in the 1.5 line), and until then change pools with kubectl, not in the UI.";

const MIGRATED =
  'an upgrade wrote these bookings, and their load balancers may be using the addresses: a release would free them for others; move them to allocatedHistory by hand, one by one (runbook)';

const SENTENCES: Readonly<Record<Blocked['why'], (what: string) => string>> = {
  'load-balancers-unseen': (what) =>
    `not every LoadBalancer could be read, so nobody knows which addresses of IPPool ${what} are in use`,
  'services-unseen': (what) => `LoadBalancer ${what} lost its own status, and its Service could not be read`,
  'address-unknown': (what) =>
    `LoadBalancer ${what} lost its own status, and only its Service in the guest cluster knows its address`,
  'address-outside': (what) => `${what} is not in the ranges of the pool: the API server would refuse the status`,
  'two-addresses': (what) => `LoadBalancer ${what} stands at two addresses, and a pool books one`,
  'webhook-unavailable': (what) => `Deployment ${what} is not available, and without it no pool can be changed`,
  'network-missing': (what) => `the network ${what} that the pool selects is not there, so the pool cannot be changed`,
  'never-seen-booked': (what) =>
    `Gleaner never saw IPPool ${what} with these bookings, and on a pool that looks well the word of a load balancer, which whoever may edit its namespace can write, is not enough`,
};

function forWiped(finding: Wiped): Offer {
  const name = nameOf(finding.pool);
  const reasons = [
    ...finding.duplicates.map(duplicateSentence),
    ...finding.blocked.map(({ why, what }) => SENTENCES[why](what)),
  ];
  const prevention = finding.extension
    ? `${PREVENTION} Version ${finding.extension} is installed and erases statuses.`
    : PREVENTION;
  if (reasons.length === 0) return { refusal: null, plans: [restore(finding)], prevention };
  const because = `${reasons.join('; ')}. Do not restart the controller or change the ranges of ${name}: it would then look well and hand out addresses that are in use`;
  return { refusal: { because }, plans: freeing(finding), prevention };
}

const duplicateSentence = ({ ip, holders, later }: Duplicate) =>
  `${ip} is held by ${holders.join(' and ')}${later ? `; ${later} came to it later and has to give it up` : ', and nothing tells who came to it later'}`;

function restore(finding: Wiped): Plan {
  const name = nameOf(finding.pool);
  const claims = finding.allocated.filter(({ from }) => from === 'claim');
  const list = (all: Wiped['allocated']) => all.map(({ ip, holder }) => `${ip} for ${holder}`).join(', ');
  const certain = finding.allocated.filter(({ from }) => from !== 'claim');
  const free = finding.total - finding.allocated.length;
  const booked = [
    ...(certain.length > 0 ? [`booked, as seen in the pool's own status: ${list(certain)}`] : []),
    ...(claims.length > 0
      ? [
          `booked on the word of the load balancer alone, which whoever may edit its namespace can write: ${list(claims)} (namespaces ${[...new Set(claims.map(({ namespace }) => namespace))].sort().join(', ')})`,
        ]
      : []),
  ];
  return {
    id: 'restore-status',
    title: `Give ${name} its status back`,
    risk: 'low',
    stopgap: false,
    does: `Writes the status of ${name}: ${finding.total} addresses, ${free} free; ${booked.length > 0 ? booked.join('; ') : 'none booked'}.`,
    blastRadius: 'One object. No traffic moves: load balancers and kube-vip do not read the pool.',
    irreversible: null,
    preconditions: [
      'every LoadBalancer was read, and no address is held twice',
      'every address to be booked lies in the ranges of the pool',
      'the pool is not being deleted, and the network that it selects is there',
      `at the moment of the write: Deployment harvester-load-balancer-webhook is available and the pool is still what is shown here`,
    ],
    steps: [
      {
        do: 'patch',
        target: finding.pool,
        patch: { type: 'json', operations: restoring(finding) },
        guard: 'restorable',
        because:
          'with its bookings back the pool hands out no address twice; this must come before any restart of the controller, which would start it empty',
      },
    ],
    onFailure: [],
    undo: { offered: false, because: 'taking the status away again would bring the fault back' },
  };
}

const lbRef = (holder: string): ObjectRef => {
  const [namespace = '', name = ''] = holder.split('/');
  return { apiVersion: LoadBalancer.apiVersion, kind: LoadBalancer.kind, namespace, name };
};

/** Asks a person to free addresses that two load balancers hold, where it is known who came later. */
function freeing(finding: Wiped): Plan[] {
  const steps = finding.duplicates.flatMap(({ ip, holders, later }): Step[] => {
    if (later === null) return [];
    const target = lbRef(later);
    return [
      {
        do: 'ask',
        target,
        because: `${ip} was in use by ${holders.filter((one) => one !== later).join(', ')} before ${later} was given it`,
        what: `Delete ${nameOf(target)} (if it belongs to a guest cluster, delete its Service there) and make it again only after the status of ${nameOf(finding.pool)} was restored`,
        command: `kubectl -n ${target.namespace} delete loadbalancers.loadbalancer.harvesterhci.io ${target.name}`,
        until: 'address-freed',
        deadline: '24h',
      },
    ];
  });
  const isClaim = finding.blocked.some(({ why }) => why === 'never-seen-booked');
  if (steps.length === 0 || isClaim) return [];
  return [
    {
      id: 'free-address',
      title: 'Have the later load balancer give its address up',
      risk: 'medium',
      stopgap: false,
      does: 'Asks a person to delete the load balancers that came later; Gleaner itself changes nothing. The restore is proposed once no address is held twice.',
      blastRadius:
        'The load balancers that are deleted lose their address; the earlier ones get all their clients back.',
      irreversible: 'A deleted load balancer gets another address when it is made again.',
      preconditions: ['who came later is known from creation times, or from what the wiped pool booked since'],
      steps,
      onFailure: [],
      undo: { offered: false, because: 'Gleaner changes nothing here' },
    },
  ];
}

function releasing({ pool, records }: Extract<Finding, { class: 'left-over' }>): Offer {
  const list = records.map(({ ip, holder }) => `${ip} for ${holder}`).join(', ');
  const command = ({ ip, holder }: (typeof records)[number]) =>
    `kubectl annotate ippools.loadbalancer.harvesterhci.io ${pool.name} --overwrite loadbalancer.harvesterhci.io/manuallyReleaseIP='${ip}: ${holder}'`;
  return {
    refusal: null,
    prevention: 'Raise Harvester to v1.5.0 or newer, whose load balancer controller releases such bookings by itself.',
    plans: [
      {
        id: 'release-record',
        title: `Have bookings of ${nameOf(pool)} released`,
        risk: 'low',
        stopgap: false,
        does: `Asks a person to release ${list}; Gleaner itself changes nothing.`,
        blastRadius: 'The addresses become free for other load balancers.',
        irreversible: null,
        preconditions: [],
        steps: [
          {
            do: 'ask',
            target: pool,
            because: `the pool books ${list}, and nothing releases these bookings by itself`,
            what: 'Make sure that nothing answers at these addresses; then release the bookings one after the other, each once the one before has left status.allocated (Harvester v1.5.0 or newer; before it, see the runbook)',
            command: records.map(command).join('\n'),
            until: 'records-released',
            deadline: '24h',
          },
        ],
        onFailure: [],
        undo: { offered: false, because: 'Gleaner changes nothing here' },
      },
    ],
  };
}
