import { type Evidence, type ObjectRef, refOf, saw } from '../../shared/handler.ts';
import type { Finding } from './finding.ts';
import { allSigns, blockedBy, isWhole, OPERATOR, operatorOf, ROLL_OVER } from './placement-blocked.ts';
import { type Component, type Signs, signsOf } from './placement-signs.ts';
import { settledSince } from './settled.ts';
import { MINUTE, type Sight } from './sight.ts';
import { HARD, type Told } from './told.ts';

/** What is said of KubeVirt's placement: a finding of its own, a stall without a touch, or why it is too early. */
export type PlacementTold = Told & { readonly finding?: Exclude<Finding, { about: 'stall' }> };

/** Whether KubeVirt's pinned Deployments hold the drain up (fact: kubevirt 1.3 and newer without nodePlacement). */
export async function placementOf(sight: Sight): Promise<PlacementTold | { tooEarly: string } | undefined> {
  const signs = await signsOf(sight);
  const suspects = signs.components.filter(mayBlock);
  if (signs.against !== undefined || suspects.length === 0) return undefined;
  switch (signs.placement) {
    case 'absent':
      return absent(sight, signs, suspects);
    case 'empty':
      return empty(sight, signs, suspects);
    case 'set':
      return set(signs, suspects);
    case 'unseen':
      return unseen(signs, suspects);
  }
}

/** Its budget is exhausted, or a failed drain names its pod; and nothing that is seen speaks against the rest. */
const mayBlock = ({ isExhausted, isHeld, isNamed, isPinned, isStranded }: Component) =>
  (isExhausted === 'yes' || (isExhausted === 'unseen' && isNamed)) && ![isHeld, isPinned, isStranded].includes('no');

/** Something shows that it may run on control-plane nodes only. */
const isTied = ({ isNamed, isPinned, isStranded }: Component) => isNamed || [isPinned, isStranded].includes('yes');

async function absent(sight: Sight, signs: Signs, suspects: readonly Component[]): Promise<PlacementTold | undefined> {
  if (!signs.kubevirt || !suspects.some(isTied)) return undefined;
  const names = suspects.map(({ name }) => name).join(' and ');
  return {
    ...{ class: 'P2a', cause: 'pdb-virt-api-node-placement', patience: HARD, objects: [] },
    confidence: allSigns(signs, sight) ? 'certain' : 'probable',
    because: `KubeVirt has no spec.infra.nodePlacement and so pins ${names} to control-plane nodes; Node ${sight.name} is the only one of these, it is cordoned, and their budgets forbid to evict the last pod`,
    evidence: evidenceOf(signs, suspects),
    finding: {
      about: 'placement',
      class: 'P2a',
      ...placeOf(sight),
      kubevirt: refOf(signs.kubevirt),
      blocked: [...(await blockedBy(sight, signs))],
    },
  };
}

const placeOf = ({ upgrade, name }: Sight): { upgrade: ObjectRef; node: string } => ({
  upgrade: refOf(upgrade),
  node: name,
});

/** The placement was set already. Only when its roll-over had its time and came to nothing are the budgets spoken of. */
async function empty(
  sight: Sight,
  signs: Signs,
  suspects: readonly Component[],
): Promise<PlacementTold | { tooEarly: string } | undefined> {
  const { kubevirt } = signs;
  const stuck = suspects.filter(isWhole);
  if (!kubevirt || stuck.length === 0) return undefined;
  const written = await settledSince(sight.look, kubevirt, 'f:spec', 'f:infra', 'f:nodePlacement');
  if (!written) return unseen(signs, suspects);
  const age = sight.look.at.getTime() - written.getTime();
  if (age < ROLL_OVER) {
    return {
      tooEarly: `KubeVirt has had an empty nodePlacement for ${Math.floor(age / MINUTE)} minutes: its Deployments are still rolling over`,
    };
  }
  const operator = await operatorOf(sight);
  const why = operator === 'available' ? 'nothing tells why' : `Deployment ${OPERATOR} is ${operator}`;
  const budgets = stuck.flatMap(({ name, budget }) => (budget?.metadata.name === `${name}-pdb` ? [refOf(budget)] : []));
  if (budgets.length === 0) return unseen(signs, suspects);
  return {
    ...{ class: 'P2a', cause: 'pdb-virt-api-node-placement', confidence: 'certain', patience: HARD, objects: [] },
    because: `KubeVirt has had an empty nodePlacement for more than five minutes, and ${stuck.map(({ name }) => name).join(' and ')} still require control-plane nodes: virt-operator does not carry it over (${why})`,
    evidence: evidenceOf(signs, stuck),
    finding: {
      ...{ about: 'placement-not-converging', class: 'placement-not-converging' },
      ...placeOf(sight),
      kubevirt: refOf(kubevirt),
      operator,
      budgets: budgets.sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
  };
}

/** Somebody chose where KubeVirt runs: that is theirs to change. */
function set(signs: Signs, suspects: readonly Component[]): PlacementTold {
  return {
    ...{ class: 'P2a', cause: 'unknown', confidence: 'certain', patience: HARD },
    because: `somebody set spec.infra.nodePlacement of KubeVirt, and with it no other node takes ${suspects.map(({ name }) => name).join(' and ')}`,
    evidence: evidenceOf(signs, suspects),
    objects: signs.kubevirt ? [refOf(signs.kubevirt)] : [],
  };
}

function unseen(signs: Signs, suspects: readonly Component[]): PlacementTold | undefined {
  if (!suspects.some(isTied)) return undefined;
  return {
    ...{ class: 'P2a', cause: 'pdb-virt-api-node-placement', confidence: 'suspected', patience: HARD },
    because: `${suspects.map(({ name }) => name).join(' and ')} fit only control-plane nodes and their budgets allow no eviction; when KubeVirt's nodePlacement was last changed is not in the picture`,
    evidence: evidenceOf(signs, suspects),
    objects: suspects.flatMap(({ budget }) => (budget ? [refOf(budget)] : [])),
  };
}

function evidenceOf({ kubevirt }: Signs, components: readonly Component[]): readonly Evidence[] {
  return [
    ...(kubevirt
      ? [
          saw(kubevirt, 'spec.infra', 'where KubeVirt was told to run its control plane'),
          saw(kubevirt, 'status.observedKubeVirtVersion', 'since 1.3.0 it pins where no placement is set'),
        ]
      : []),
    ...components.flatMap(({ deployment, budget, held, stranded }) => [
      ...(deployment ? [saw(deployment, 'spec.template.spec.affinity', 'requires control-plane nodes')] : []),
      ...(budget ? [saw(budget, 'status.disruptionsAllowed', 'no eviction passes')] : []),
      ...(held ? [saw(held, 'spec.nodeName', 'the pod that the drain must move')] : []),
      ...(stranded ? [saw(stranded, 'status.conditions', 'its replacement fits no node')] : []),
    ]),
  ];
}
