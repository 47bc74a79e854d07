import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { decide } from '../../../shared/flow/decide.ts';
import type { Event } from '../../../shared/model.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { paintWorld } from '../../simulator/paint.ts';
import { dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { type FaultProxy, faultProxy } from '../bed/fault-proxy.ts';
import { incident, openProposal } from './samples.ts';

const MINUTE = 60_000;
const proxies: FaultProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.end();
});

/** A machine whose clock is wrong. */
const wrongBy = (ms: number): Clock => ({
  now: () => new Date(systemClock.now().getTime() + ms),
  after: systemClock.after,
});
const inMinutes = (minutes: number) => new Date(systemClock.now().getTime() + minutes * MINUTE).toISOString();
const approval = (revision: string): Extract<Event, { event: 'clicked' }> => ({
  ...{ event: 'clicked', id: 'e1', at: inMinutes(0) },
  click: { id: 'k1', who: 'local:ann', choice: 'approve', proposal: 'p1', plan: 'mend', revision },
});

/** A function whose machine's clock is wrong, and an open proposal in the store that expires in so many minutes. */
async function functionOf(wrong: number, expiresIn: number) {
  const bed = await dynamodbBed();
  const machine = wrongBy(wrong);
  const { store, clock } = storeAt(bed.endpoint, await freshTable(bed), { machine });
  const proposal = await openProposal({ id: 'p1', incident: 'i1', expiresAt: inMinutes(expiresIn) });
  await store.put('incident', incident('i1', { cluster: proposal.cluster, proposal: 'p1' }), 0);
  await store.put('proposal', proposal, 0);
  return { store, clock, machine, proposal };
}

describe("The store's clock", () => {
  it.each([10 * MINUTE, -10 * MINUTE])("shows the store's time on a machine that is wrong by %d ms", async (wrong) => {
    const { clock, machine } = await functionOf(wrong, 5);

    expect(Math.abs(clock.now().getTime() - systemClock.now().getTime())).toBeLessThan(1_500);
    expect(Math.abs(machine.now().getTime() - clock.now().getTime())).toBeGreaterThan(9 * MINUTE);
    expect(clock.latest().getTime()).toBeGreaterThanOrEqual(systemClock.now().getTime());
  });

  it("is set by the first answer, also where that refuses the machine's signature", async () => {
    const bed = await dynamodbBed();
    const [proxy, table] = [await faultProxy(bed.endpoint), await freshTable(bed)];
    proxies.push(proxy);
    proxy.skew(-10 * MINUTE);
    const { store, clock } = storeAt(proxy.endpoint, table);
    expect(clock.isSet()).toBe(false);

    await store.ready();

    expect(clock.isSet()).toBe(true);
    expect(Math.abs(clock.now().getTime() - systemClock.now().getTime() + 10 * MINUTE)).toBeLessThan(1_500);
    expect(proxy.sent.map(({ operation }) => operation)).toEqual(['GetItem', 'GetItem']);
    await store.ready();
    expect(proxy.sent).toHaveLength(2);
  });
});

describe('An approval by a function whose clock is wrong', () => {
  it.each([
    ['that is behind does not approve what has expired', -10, -1, 'open', /expired/],
    ['that is ahead approves what has not', 10, 5, 'approved', /approved "Mend the node"/],
  ])('%s', async (_what, wrong, expiresIn, state, said) => {
    const { store, clock, proposal } = await functionOf(wrong * MINUTE, expiresIn);
    const world = { ...paintWorld().world, store, clock };

    const [told] = await decide(world, approval(proposal.revision));

    expect(told?.fact).toMatchObject({ because: expect.stringMatching(said) });
    expect((await store.get('proposal', 'p1'))?.item.state).toBe(state);
  });
});

describe('A put that must not come after the expiry', () => {
  it('writes before it, by the time of the store', async () => {
    const { store, proposal } = await functionOf(10 * MINUTE, 5);

    const put = await store.put('proposal', { ...proposal, state: 'approved' }, 1, { expired: true });

    expect(put).toEqual({ ok: true, version: 2 });
  });

  it('changes nothing after it, and gives what stands there', async () => {
    const { store, proposal } = await functionOf(-10 * MINUTE, -1);

    const put = await store.put('proposal', { ...proposal, state: 'approved' }, 1, { expired: true });

    expect(put).toEqual({ ok: false, winner: { item: proposal, version: 1 } });
  });

  it('changes nothing after it though the function had looked before, and was frozen in between', async () => {
    const bed = await dynamodbBed();
    let frozen = 0;
    const machine = { now: () => new Date(systemClock.now().getTime() + frozen), after: systemClock.after };
    const { store } = storeAt(bed.endpoint, await freshTable(bed), { machine });
    const proposal = await openProposal({ expiresAt: inMinutes(5) });
    await store.put('proposal', proposal, 0);

    // The frozen machine's clock goes on; the signature that it makes now is of now.
    frozen = 6 * MINUTE;
    const put = await store.put('proposal', { ...proposal, state: 'approved' }, 1, { expired: true });

    expect(put).toEqual({ ok: false, winner: { item: proposal, version: 1 } });
  });
});
