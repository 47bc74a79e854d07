/** Waits until it is this one's turn to act on what is shared. */
export type Turn = () => Promise<void>;

/**
 * Runs several actors so that one acts at a time, up to its next wait for a turn; `pick` chooses who of those that wait
 * goes on. Equal picks give equal interleavings.
 */
export async function interleave(
  actors: readonly ((turn: Turn) => Promise<void>)[],
  pick: (count: number) => number,
): Promise<void> {
  const waiting: (() => void)[] = [];
  let active = actors.length;
  function rest(): void {
    active -= 1;
    if (active > 0) return;
    const [next] = waiting.splice(pick(waiting.length), 1);
    if (!next) return;
    active += 1;
    next();
  }
  const turn: Turn = () =>
    new Promise((done) => {
      waiting.push(done);
      rest();
    });
  await Promise.all(actors.map((actor) => actor(turn).finally(rest)));
}

/** Something whose every method waits for its turn first. */
export function inTurn<T extends object>(one: T, turn: Turn): T {
  return new Proxy(one, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: readonly unknown[]) => {
        await turn();
        return Reflect.apply(method, target, given);
      };
    },
  });
}
