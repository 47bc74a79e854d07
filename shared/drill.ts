import type { JsonObject, ObjectRef, Where } from './handler.ts';

/** Full rights on a pretend or test cluster, for drills and actors only. No handler, hop or adapter is ever given these. */
export interface Hands {
  /** The moment, by the clock that the cluster, the actors and Gleaner share. */
  now(): Date;
  get(ref: ObjectRef): Promise<JsonObject | undefined>;
  list(kind: { apiVersion: string; kind: string }, where?: Where): Promise<readonly JsonObject[]>;
  /** Creates it; where it exists already, leaves it as it is. A `status` of the object is stored too. */
  create(object: JsonObject): Promise<void>;
  /** A full PUT of what is given, with the server's own resourceVersion: what is left out is erased, as by a careless client. */
  put(object: JsonObject): Promise<void>;
  /** A merge patch; `status` where the kind has the status subresource. */
  merge(ref: ObjectRef, patch: JsonObject, subresource?: 'status'): Promise<void>;
  remove(ref: ObjectRef): Promise<void>;
  /** What a container of a pod has logged; `previous` of its last run. Replaces what was said before. */
  say(
    pod: { namespace: string; name: string },
    container: string,
    lines: readonly string[],
    previous?: boolean,
  ): Promise<void>;
  /** Whether the cluster's virtual IP answers. */
  vip(answers: boolean): void;
}

/**
 * Plays one upstream controller. Level-triggered: called about every second of the cluster's time, it brings what it
 * owns one step closer to what the objects ask for, as the real one would, and nothing kinder.
 */
export interface Actor {
  readonly name: string;
  /** Which upstream code it plays, with the source of the facts. */
  readonly plays: string;
  act(hands: Hands): Promise<void>;
}

/** A subresource served by an aggregated API, such as virt-api's `stop`: what it does, and what it answers. */
export interface Call {
  /** `subresources.kubevirt.io` */
  readonly group: string;
  /** `virtualmachines/stop` */
  readonly resource: string;
  answer(
    hands: Hands,
    target: { namespace: string; name: string },
    body: JsonObject,
  ): Promise<{ readonly code: number; readonly body: JsonObject }>;
}

/** How to break a pretend cluster in one mode's way, and who plays upstream's controllers about it. */
export interface Drill {
  /** The failure mode's id. */
  readonly mode: string;
  readonly on: 'harvester' | 'rancher';
  /** What a person reads on the button that breaks it. */
  readonly title: string;
  /** The objects of a healthy cluster that this mode needs beside the base; created in this order. */
  readonly healthy: readonly JsonObject[];
  break(hands: Hands): Promise<void>;
  readonly actors: readonly Actor[];
  readonly calls?: readonly Call[];
  /** What happens afterwards by itself so that an undo becomes possible, such as the end of an upgrade. */
  afterwards?(hands: Hands): Promise<void>;
}
