import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import { modes } from '../../../handlers/index.ts';
import { isUndecided, Proposal } from '../../../shared/model.ts';
import { gleanerKubeconfig, grantRights } from './accounts.ts';
import type { Order, Told } from './gleaner-child.ts';
import { inTime, type Stage } from './gleaner-on-bed.ts';

const Said = z.object({ event: z.string(), proposal: Proposal.optional() });

/** A Gleaner in a process of its own. */
export interface Killable {
  /** Waits, while time passes, for a card of a mode that awaits a decision. */
  card(mode: string): Promise<Proposal>;
  approve(card: Proposal): void;
  /** Lets time pass for it, and for everybody on the bed. */
  advance(ms: number): void;
  /** What it has written on its standard error. */
  warnings(): string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts a Gleaner that keeps its state in a file, and can be killed at any moment. Ends with the bed at the latest. */
export async function startKillable(stage: Stage, state: string, server?: string): Promise<Killable> {
  const { bed, clock, hands, flavour } = stage;
  await grantRights(hands, flavour, modes);
  const told: z.infer<typeof Told> = { kubeconfig: gleanerKubeconfig(bed, server), state, ahead: clock.ahead() };
  const child = fork(join(import.meta.dirname, 'gleaner-child.ts'), [JSON.stringify(told)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const drawn = new Map<string, Proposal>();
  let warnings = '';
  child.stderr?.on('data', (bytes) => (warnings += String(bytes)));
  const started = Promise.withResolvers<void>();
  child.on('message', (message) => {
    const { event, proposal } = Said.parse(message);
    if (proposal) drawn.set(proposal.id, proposal);
    if (event === 'started') started.resolve();
  });
  const exit = once(child, 'exit');
  void exit.then(() => started.reject(new Error(`Gleaner ended before it was killed: ${warnings}`)));
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  bed.onStop(kill);
  const send = (order: z.infer<typeof Order>) => void (child.connected && child.send(order));
  await started.promise;
  const advance = (ms: number) => {
    clock.advance(ms);
    send({ advance: ms });
  };
  return {
    advance,
    card: (mode) =>
      inTime({ advance }, `a card of ${mode}`, () =>
        [...drawn.values()].find(({ state, found }) => found.mode === mode && isUndecided(state)),
      ),
    approve: ({ id, revision, found }) =>
      send({ approve: { proposal: id, revision, plan: found.offer.plans[0]?.id ?? 'none' } }),
    warnings: () => warnings,
    kill,
  };
}
