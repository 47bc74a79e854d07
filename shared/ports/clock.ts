/** Time. Only adapters of this port read the machine's clock, so that tests and the playground own it. */
export interface Clock {
  now(): Date;
  /** Calls `then` once, `ms` of this clock's milliseconds from now; the answer cancels it. */
  after(ms: number, then: () => void): () => void;
}
