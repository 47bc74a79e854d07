import { type Clocks, SEND } from './tenure.ts';

/** Thrown for what may not be sent now, because somebody else may lead: nothing was sent. */
export class Closed extends Error {
  constructor() {
    super('nothing is sent: this watcher does not lead, or not for long enough any more');
  }
}

/** The one way out. Each request through it is over before anybody else may lead. */
export interface Gate {
  /** Throws `Closed` without having called `act` where there is not time enough; cuts `act` off when its time is over. */
  through<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** From now on `left` says for how long (milliseconds) we surely lead alone; undefined: we do not lead. */
  open(left: (() => number) | undefined): void;
}

export function gate({ steady }: Pick<Clocks, 'steady'>): Gate {
  let left: (() => number) | undefined;
  return {
    open(next) {
      left = next;
    },
    async through(act) {
      if ((left?.() ?? 0) < SEND) throw new Closed();
      const cut = new AbortController();
      const late = Promise.withResolvers<never>();
      const cancel = steady.after(SEND, () => {
        cut.abort();
        late.reject(new Error(`no answer within ${SEND / 1000} s`));
      });
      try {
        return await Promise.race([act(cut.signal), late.promise]);
      } finally {
        cancel();
      }
    },
  };
}
