import type { Duration, Mode, Risk } from '../handler.ts';
import type { Event, EventName, Outgoing, Principal } from '../model.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, KnownCluster } from '../ports/cluster.ts';
import type { Directory } from '../ports/directory.ts';
import type { Seal } from '../ports/seal.ts';
import type { Store } from '../ports/store.ts';

/** Who decides on a plan of one risk tier, for one mode on one cluster. No approvers means nobody. */
export interface Policy {
  readonly approvers: readonly Principal[];
  /** How many distinct people. */
  readonly quorum: number;
  /** Whether who asked for a proposal may approve it. */
  readonly requesterMayApprove: boolean;
  readonly reasonRequired: boolean;
  /** After this long without a decision the answer is no. */
  readonly expiry: Duration;
  readonly remind: Duration;
}

/** The configuration in force, asked anew at each use, because it may change while Gleaner runs. */
export interface Rules {
  policy(of: { cluster: string; mode: string; risk: Risk }): Policy;
  /** The person behind a principal; a principal that no person claims is a person of its own. */
  person(principal: Principal): string;
  /** Every principal of that person, itself included. */
  names(principal: Principal): readonly Principal[];
  /** The whole policy as text, to see and tell when it changes. */
  text(): string;
}

/** Rules of one policy for everything; `people` are those who go by several principals. */
export function onePolicy(policy: Policy, people: Readonly<Record<string, readonly Principal[]>> = {}): Rules {
  const entry = (principal: Principal) => Object.entries(people).find(([, names]) => names.includes(principal));
  return {
    policy: () => policy,
    person: (principal) => entry(principal)?.[0] ?? principal,
    names: (principal) => entry(principal)?.[1] ?? [principal],
    text: () => JSON.stringify({ policy, people }),
  };
}

/** Everything that a hop may use. Hops keep nothing in memory between events. */
export interface World {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: Store;
  readonly modes: readonly Mode[];
  /** Every cluster that Gleaner follows, by its id. */
  readonly known: ReadonlyMap<string, KnownCluster>;
  /** Those that are reached from here: all of them, or none where a hop needs none. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly rules: Rules;
  readonly directory: Directory;
  /** How an approval is proven to who carries it out. Without it nothing is approved and nothing is applied. */
  readonly seal?: Seal;
  /** Neither policy nor people can be asked here: the signature of the decision speaks for both. */
  readonly isEdge?: boolean;
  /** How often a mode looks at a cluster where nothing of it is open, at most: a look may cost money. As it says itself where nothing is said. */
  readonly pace?: Duration;
  /** For how long what is over is kept; 90 days where nothing is said. The audit log is kept for good. */
  readonly keep?: Duration;
}

/** One hop of the flow: takes a fact, changes at most a few items by compare-and-set, and returns what to publish. */
export type Hop<E extends EventName> = (
  world: World,
  event: Extract<Event, { event: E }>,
) => Promise<readonly Outgoing[]>;

/** Lets every mode look at a cluster, or those that `which` names. */
export const looksAt = (
  { modes }: Pick<World, 'modes'>,
  { id: cluster, flavour }: Pick<KnownCluster, 'id' | 'flavour'>,
  because: string,
  which: (mode: Mode) => boolean = () => true,
): Outgoing[] =>
  modes
    .filter((mode) => mode.on === flavour && which(mode))
    .map(({ id: mode }) => ({ fact: { event: 'observed', cluster, mode, because, objects: [] } }));

/** The mode of that id. Throws where this Gleaner does not know it: a newer one may be taking over. */
export function modeOf(world: World, id: string): Mode {
  const mode = world.modes.find((one) => one.id === id);
  if (!mode) throw new Error(`This Gleaner knows no failure mode ${id}: a newer one must handle it`);
  return mode;
}

/** The cluster of that id. Throws where it is not connected (yet): the event waits for it. */
export function clusterOf(world: World, id: string): Cluster {
  const cluster = world.clusters.get(id);
  if (!cluster) throw new Error(`Cluster ${id} is not connected: check its kubeconfig and that its API server answers`);
  return cluster;
}
