import {
  type Confidence,
  type Diagnosis,
  inWords,
  type Look,
  nameOf,
  type ObjectRef,
  refOf,
  saw,
} from '../../shared/handler.ts';
import { Upgrade } from '../../shared/kinds.ts';
import { failedRepository } from './causes/before-drain.ts';
import type { Finding } from './finding.ts';
import { UpgradePlan } from './kinds.ts';
import { type PlacementTold, placementOf } from './placement.ts';
import { deadNeighbour, isReady, type Sight, SYSTEM, sightOf } from './sight.ts';
import { stallOf } from './stall.ts';

const LATEST = 'harvesterhci.io/latestUpgrade';
const STATE = 'harvesterhci.io/upgradeState';

/** The live Upgrade (several may exist), and upgrades of the second kind. */
export async function subjects(look: Look): Promise<readonly ObjectRef[]> {
  const upgrades = await look.list(Upgrade, { namespace: SYSTEM });
  const live = upgrades.filter(({ metadata }) => metadata.labels[LATEST] === 'true');
  const known = live.length > 0 ? live : upgrades.filter(({ metadata }) => metadata.labels[LATEST] === undefined);
  return [...known, ...(await look.list(UpgradePlan))].map(refOf);
}

/** Says of an upgrade whether it stands still at a node that is Pre-drained, and why. */
export async function diagnose(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  if (subject.kind === UpgradePlan.kind) return secondKind(look, subject);
  const upgrade = await look.get(Upgrade, subject);
  if (!upgrade) return no(`${nameOf(subject)} is not there, or could not be read`);
  const state = upgrade.metadata.labels[STATE];
  if (state === 'Succeeded' || state === 'Failed') return no(`${nameOf(subject)} is over (${state})`);
  const nodes = Object.entries(upgrade.status?.nodeStatuses ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const refusals: string[] = [];
  for (const [name, { state: is }] of nodes) {
    if (is !== 'Pre-drained' && is !== 'Pre-draining') continue;
    const sight = await sightOf(look, upgrade, name);
    const said = is === 'Pre-drained' ? await preDrained(sight) : await preDraining(sight);
    if (said.is) return said;
    refusals.push(said.because);
  }
  const all = nodes.map(([name, { state: is }]) => `${name}: ${is ?? 'nothing'}`).join(', ');
  return no(refusals.join('; ') || `no node is Pre-drained (${all || 'no node has begun'})`);
}

const no = (because: string): { is: false; because: string } => ({ is: false, because });

async function preDraining(sight: Sight): Promise<Diagnosis<Finding>> {
  const told = await failedRepository(sight);
  return told
    ? found(sight, told)
    : no(
        `Node ${sight.name} is Pre-draining: its pre-drain job still moves VMs and volumes, which may take as long as it needs`,
      );
}

async function preDrained(sight: Sight): Promise<Diagnosis<Finding>> {
  const { name, dwell } = sight;
  const placement = await placementOf(sight);
  if (placement && 'tooEarly' in placement) return no(placement.tooEarly);
  const told = placement ?? (await stallOf(sight));
  if (dwell !== undefined && dwell < told.patience) {
    return no(
      `Node ${name} has been Pre-drained for ${inWords(dwell)} only: a drain and the upgrade of RKE2 take their time`,
    );
  }
  const dead = told.cause === 'unknown' ? deadNeighbour(sight) : undefined;
  if (dead) {
    return no(`Node ${dead.metadata.name} is not Ready: mend that first, it may be what Node ${name} waits for`);
  }
  return found(sight, told);
}

/** What is lowered where nothing tells for how long the node has been so. */
const LOWER: Readonly<Record<Confidence, Confidence>> = {
  certain: 'probable',
  probable: 'suspected',
  suspected: 'suspected',
};

function found(sight: Sight, told: PlacementTold): Diagnosis<Finding> {
  const { upgrade, name, dwell, look } = sight;
  const isTimed = dwell !== undefined || told.patience === 0;
  const waited = dwell === undefined ? '' : ` for ${inWords(dwell)}`;
  const stall = { about: 'stall', class: told.class, cause: told.cause, upgrade: refOf(upgrade), node: name } as const;
  return {
    is: true,
    finding: told.finding ?? { ...stall, objects: [...told.objects] },
    cause: told.cause,
    confidence: isTimed ? told.confidence : LOWER[told.confidence],
    summary: `The upgrade to ${upgrade.spec?.version ?? 'a new version'} stands still: Node ${name} has been ${told.class === 'P0' ? 'Pre-draining' : `Pre-drained${waited}`}`,
    because: told.because,
    users: usersOf(sight, told),
    mayWait: waitOf(sight),
    ...(dwell !== undefined && { since: new Date(look.at.getTime() - dwell) }),
    evidence: told.evidence,
  };
}

const usersOf = ({ name }: Sight, { cause }: PlacementTold) =>
  cause === 'pdb-virt-api-node-placement'
    ? `running VMs go on, on the other nodes; Node ${name} takes none, and the VM API has lost its spare replica`
    : `running VMs go on, on the other nodes; Node ${name} takes none`;

function waitOf({ node, nodes, name }: Sight) {
  const isAlone = nodes.length > 1 && nodes.filter((one) => one.metadata.name !== name && isReady(one)).length === 0;
  if (isAlone) return { untilMorning: false, because: 'no other node is Ready' };
  if (node && !isReady(node)) {
    return { untilMorning: false, because: `Node ${name} is not Ready, and the cluster has lost its redundancy` };
  }
  return { untilMorning: true, because: 'nothing gets worse while it waits, as long as no other node fails' };
}

/** The second kind of upgrade has no state of this name in its sources; one that shows it is told, and no more. */
async function secondKind(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  const plan = await look.get(UpgradePlan, subject);
  const statuses = Object.entries(plan?.status?.nodeUpgradeStatuses ?? {});
  const [name] = statuses
    .filter(([, { state }]) => /^pre-?drained$/i.test(state ?? ''))
    .map(([node]) => node)
    .sort();
  const isOver = /^(Succeeded|Failed)$/.test(plan?.status?.currentPhase ?? '');
  if (!plan || name === undefined || isOver) return no(`${nameOf(subject)} has no node that is pre-drained`);
  return {
    is: true,
    finding: {
      about: 'stall',
      class: 'V2',
      cause: 'upgrade-v2-predrained',
      upgrade: refOf(plan),
      node: name,
      objects: [],
    },
    cause: 'upgrade-v2-predrained',
    confidence: 'suspected',
    summary: `The upgrade ${plan.metadata.name} (V2) has Node ${name} pre-drained`,
    because: 'this kind of upgrade is experimental, and how long a node may be so is not known',
    users: 'running VMs go on, on the other nodes',
    mayWait: { untilMorning: true, because: 'nothing gets worse while it waits' },
    evidence: [saw(plan, 'status.nodeUpgradeStatuses', 'what the upgrade says of its nodes')],
  };
}
