import { describe, expect, it } from 'vitest';
import { verifyChain } from '../../../shared/audit.ts';
import { decide } from '../../../shared/flow/decide.ts';
import type { Click, Fact } from '../../../shared/model.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { chance } from '../../conformance/chance.ts';
import { paintWorld } from '../../simulator/paint.ts';
import { dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { inTurn, interleave } from './interleave.ts';
import { AT, incident, openProposal } from './samples.ts';

const ROUNDS = 1_000;
const SEED = 20_260_116;

type Clicks = readonly [Partial<Click>, Partial<Click>];
const APPROVE_OR_REJECT: Clicks = [
  { who: 'local:ann', choice: 'approve', plan: 'mend' },
  { who: 'local:bob', choice: 'reject' },
];

/** Two functions, each with a client and a world of its own, over one table. */
async function twoFunctions() {
  const bed = await dynamodbBed();
  const table = await freshTable(bed);
  const stores = [storeAt(bed.endpoint, table).store, storeAt(bed.endpoint, table).store] as const;
  const { world } = paintWorld();
  // By the store's clock, which is not the world's.
  const proposal = await openProposal({ expiresAt: '2999-01-01T00:00:00.000Z' });

  async function opened(round: number): Promise<string> {
    const [id, of] = [`p${round}`, `i${round}`];
    await stores[0].put('incident', incident(of, { cluster: proposal.cluster, proposal: id }), 0);
    await stores[0].put('proposal', { ...proposal, id, incident: of }, 0);
    return id;
  }

  /** What became of a click that one of the two took. */
  async function clicked(store: Store, id: string, click: Partial<Click>): Promise<Fact[]> {
    const whole: Click = {
      ...{ id: `${id}-${click.who}`, who: 'local:ann', choice: 'approve' },
      ...{ proposal: id, revision: proposal.revision },
      ...click,
    };
    const told = await decide({ ...world, store }, { event: 'clicked', id: whole.id, at: AT, click: whole });
    return told.map(({ fact }) => fact);
  }
  return { stores, opened, clicked };
}

/** Exactly one has decided, the record says so too, and the other one is told who it was. */
async function oneWon(store: Store, id: string, facts: readonly Fact[]) {
  const row = await store.get('proposal', id);
  const [won, by] = row?.item.state === 'approved' ? ['approve', 'local:ann'] : ['reject', 'local:bob'];
  expect(row?.version).toBe(2);
  expect(facts.filter(({ event }) => event === 'decided')).toMatchObject([{ click: { choice: won } }]);
  expect(facts.filter(({ event }) => event === 'refused')).toMatchObject([
    { because: expect.stringMatching(new RegExp(`already decided: ${row?.item.state} by ${by}`)) },
  ]);
  return won;
}

describe('An approval and a rejection at the same time', () => {
  it(`have one winner in ${ROUNDS} interleavings, and the loser is told who won (seed ${SEED})`, {
    timeout: 600_000,
  }, async () => {
    const { stores, opened, clicked } = await twoFunctions();
    const random = chance(SEED);
    const wins: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const id = await opened(round);
      const facts: Fact[] = [];
      const actors = stores.map((store, one) => async (turn: () => Promise<void>) => {
        await turn();
        facts.push(...(await clicked(inTurn(store, turn), id, APPROVE_OR_REJECT[one === 0 ? 0 : 1])));
      });
      await interleave(actors, (count) => Math.floor(random() * count));
      wins.push(await oneWon(stores[0], id, facts));
    }

    // Where one of them always won, nothing was interleaved.
    expect(wins.filter((won) => won === 'approve').length).toBeGreaterThan(ROUNDS / 4);
    expect(wins.filter((won) => won === 'reject').length).toBeGreaterThan(ROUNDS / 4);
    const lines = await stores[1].audit(1, 10 * ROUNDS);
    expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 2 * ROUNDS });
  });

  it('have one winner where both really run at once', async () => {
    const { stores, opened, clicked } = await twoFunctions();
    for (let round = 0; round < 50; round++) {
      const id = await opened(round);

      const facts = await Promise.all(
        stores.map((store, one) => clicked(store, id, APPROVE_OR_REJECT[one === 0 ? 0 : 1])),
      );

      await oneWon(stores[0], id, facts.flat());
    }
  });
});

describe('One click that is delivered twenty times at once', () => {
  it('approves once, and each delivery gives the same answer', async () => {
    const { stores, opened, clicked } = await twoFunctions();
    const id = await opened(1);

    const facts = await Promise.all(
      Array.from({ length: 20 }, (_each, n) => clicked(stores[n % 2 === 0 ? 0 : 1], id, APPROVE_OR_REJECT[0])),
    );

    expect(new Set(facts.flat().map((fact) => JSON.stringify(fact))).size).toBe(1);
    const row = await stores[0].get('proposal', id);
    expect(row).toMatchObject({ version: 2, item: { state: 'approved', approvals: [{ who: 'local:ann' }] } });
  });
});

describe('A click on a proposal whose row is gone early', () => {
  it('is refused, and nothing comes back', async () => {
    const { stores, clicked } = await twoFunctions();

    expect(await clicked(stores[0], 'p9', APPROVE_OR_REJECT[0])).toMatchObject([
      { event: 'refused', because: 'there is no proposal p9' },
    ]);
    expect(await stores[0].get('proposal', 'p9')).toBeUndefined();
  });
});
