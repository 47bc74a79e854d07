/**
 * Proves to the hop that carries a plan out what the hop that decides has decided: whoever can write the queues or the
 * store must not thereby write a cluster.
 */
export interface Seal {
  /** Signs a text as the one who decides. Throws where it cannot now, or where this is not who decides. */
  sign(text: string): Promise<string>;
  /** Whether who decides has signed exactly this text; undefined is no signature. */
  verify(text: string, signature: string | undefined): boolean | Promise<boolean>;
  /** What the clusters remember of their runs; undefined where the store is believed as the process itself is. */
  readonly notes: RunNotes | undefined;
}

/** A run, with the moment after which it cannot begin any more: before that it must not be forgotten. */
export interface NotedRun {
  readonly cluster: string;
  readonly proposal: string;
  readonly until: string;
}

/**
 * How far each run on a cluster has come, kept by that cluster itself: the store's record of it could be turned back, so
 * that a run is done twice, or forward, so that a step of it is left out.
 */
export interface RunNotes {
  /** The mark of a run; undefined: the cluster knows of no such run. Throws where it cannot be read now. */
  reached(run: NotedRun): Promise<number | undefined>;
  /** Raises the mark, never lowers it; answers what it was. Throws where it is not known to stand. */
  raise(run: NotedRun, to: number): Promise<number | undefined>;
}
