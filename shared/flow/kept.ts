import { lineOf } from '../audit.ts';
import type { Click, Outgoing } from '../model.ts';
import type { World } from './world.ts';

/** Audits what became of clicks, and keeps the answers for who clicked; gives back what is to be published. */
export async function kept(world: World, outgoing: readonly Outgoing[]): Promise<readonly Outgoing[]> {
  for (const { fact } of outgoing) {
    if (fact.event !== 'decided' && fact.event !== 'refused' && fact.event !== 'answered') continue;
    await record(world, fact);
    await answer(world, fact.click, { ok: fact.event !== 'refused', because: fact.because });
  }
  return outgoing;
}

const record = (world: World, said: object) =>
  world.store.append({ at: world.clock.now().toISOString(), kind: 'decision', text: lineOf(said) });

/**
 * Kept for who clicked: until then the clicker is told that the click waits. Whoever wrote another answer first has
 * answered; whoever only noted meanwhile that the click came has not.
 */
async function answer(world: World, click: Click, given: { ok: boolean; because: string }): Promise<void> {
  if (!click.from) return;
  let row = await world.store.get('receipt', click.id);
  for (let attempt = 0; attempt < ATTEMPTS && !row?.item.answer; attempt++) {
    const at = row?.item.at ?? world.clock.now().toISOString();
    const receipt = { schema: 1 as const, id: click.id, at, answer: given };
    const put = await world.store.put('receipt', receipt, row?.version ?? 0);
    if (put.ok) return;
    row = put.winner;
  }
}

const ATTEMPTS = 3;
