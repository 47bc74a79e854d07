import { afterEach, describe, expect, it } from 'vitest';
import { verifyChain } from '../../../shared/audit.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { chance } from '../../conformance/chance.ts';
import { storeConformance } from '../../conformance/store.ts';
import { dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { BROKEN, type Fault, type FaultProxy, faultProxy, THROTTLED } from '../bed/fault-proxy.ts';
import { AT, incident } from './samples.ts';

const LOST: Fault = { is: 'reset', when: 'after' };
const line = { at: AT, kind: 'touch', text: 'one' };
const proxies: FaultProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.end();
});

/** A store whose way to DynamoDB leads past the faults of a test, and another one whose way does not. */
async function beset(options: Parameters<typeof storeAt>[2] = {}) {
  const bed = await dynamodbBed();
  const [table, proxy] = [await freshTable(bed), await faultProxy(bed.endpoint)];
  proxies.push(proxy);
  const { store, clock } = storeAt(proxy.endpoint, table, options);
  const other = () => storeAt(bed.endpoint, table).store;
  return { bed, proxy, store, clock, other, operations: () => proxy.sent.map(({ operation }) => operation) };
}

/** A clock that does not wait, and adds up how long it should have. */
function hurried() {
  let time = Date.parse(AT);
  const waits: number[] = [];
  const clock: Clock = {
    now: () => new Date(time),
    after(ms, then) {
      time += ms;
      waits.push(ms);
      queueMicrotask(then);
      return () => {};
    },
  };
  return { clock, waits };
}

/** The first `times` requests of an operation have a fault. */
function first(fault: Fault, operation: string, times = 1) {
  let left = times;
  return (sent: { operation: string }) => {
    if (sent.operation !== operation || left === 0) return undefined;
    left -= 1;
    return fault;
  };
}

describe('A write whose answer was lost', () => {
  it.each(['PutItem', 'UpdateItem'])('creates its item once, and says so (%s)', async (operation) => {
    const { store, proxy, operations } = await beset();
    proxy.fault(first(LOST, operation));

    expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });

    expect(operations().filter((each) => each === operation).length).toBeGreaterThan(1);
    expect(await store.list('incident', { cluster: 'c1' })).toEqual([{ item: incident('a'), version: 1 }]);
  });

  it('changes its item once, and says so', async () => {
    const { store, proxy } = await beset();
    await store.put('incident', incident('a'), 0);
    proxy.fault(first(LOST, 'UpdateItem', 2));

    expect(await store.put('incident', incident('a', { mode: 'n' }), 1)).toEqual({ ok: true, version: 2 });

    expect(await store.get('incident', 'a')).toEqual({ item: incident('a', { mode: 'n' }), version: 2 });
  });

  it('is known again though others have written since', async () => {
    const { store, proxy, other } = await beset();
    await store.put('incident', incident('a'), 0);
    const lost = first(LOST, 'UpdateItem');
    proxy.fault(async (sent) => {
      const fault = lost(sent);
      if (fault || sent.operation !== 'UpdateItem') return fault;
      for (let version = 2; version < 9; version++) await other().put('incident', incident('a'), version);
      return undefined;
    });

    expect(await store.put('incident', incident('a'), 1)).toEqual({ ok: true, version: 2 });

    expect((await store.get('incident', 'a'))?.version).toBe(9);
  });

  it('is not taken for the write of somebody else who was faster', async () => {
    const { store, proxy, other } = await beset();
    await store.put('incident', incident('a'), 0);
    const before = first({ is: 'reset', when: 'before' }, 'UpdateItem');
    proxy.fault(async (sent) => {
      const fault = before(sent);
      if (fault) await other().put('incident', incident('a', { mode: 'theirs' }), 1);
      return fault;
    });

    const winner = { item: incident('a', { mode: 'theirs' }), version: 2 };
    expect(await store.put('incident', incident('a', { mode: 'mine' }), 1)).toEqual({ ok: false, winner });
  });

  it('leaves one line in the audit log, also where somebody has appended since', async () => {
    const { store, proxy, other } = await beset();
    const lost = first(LOST, 'PutItem');
    let isOvertaken = false;
    proxy.fault(async (sent) => {
      const fault = lost(sent);
      if (!fault && sent.operation === 'PutItem' && !isOvertaken) {
        isOvertaken = true;
        await other().append({ ...line, text: 'two' });
      }
      return fault;
    });

    await store.append(line);
    await store.append({ ...line, text: 'three' });

    const lines = await store.audit(1, 10);
    expect(lines.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 3 });
  });

  it('is tried again also where no answer ever comes', async () => {
    const { store, proxy } = await beset({ answered: 150 });
    const [before, after] = [
      first({ is: 'silence', when: 'before' }, 'UpdateItem'),
      first({ is: 'silence', when: 'after' }, 'UpdateItem'),
    ];
    proxy.fault((sent) => before(sent) ?? after(sent));

    expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });

    expect((await store.get('incident', 'a'))?.version).toBe(1);
  });
});

describe('A write that loses', () => {
  it('is told the winner in the same answer, without another read', async () => {
    const { store, other, bed, operations } = await beset();
    const they = other();
    await they.put('incident', incident('a'), 0);
    await store.get('incident', 'a');
    await they.put('incident', incident('a', { mode: 'theirs' }), 1);
    const before = operations().length;

    expect(await store.put('incident', incident('a', { mode: 'mine' }), 1)).toEqual({
      ok: false,
      winner: { item: incident('a', { mode: 'theirs' }), version: 2 },
    });

    // dynalite gives no winner, so that it must be read.
    const more = bed.engine === 'dynalite' ? ['GetItem'] : [];
    expect(operations().slice(before)).toEqual(['UpdateItem', ...more]);
  });

  it('of an id that stands under another cluster changes nothing there', async () => {
    const { store, other } = await beset();
    await other().put('incident', incident('a'), 0);

    expect(await store.put('incident', incident('a', { cluster: 'c2' }), 0)).toEqual({
      ok: false,
      winner: { item: incident('a'), version: 1 },
    });

    expect(await store.list('incident', { cluster: 'c2' })).toEqual([]);
  });
});

describe('A service that throttles or fails', () => {
  it.each([
    ['throttles', THROTTLED],
    ['throttles by another name', { ...THROTTLED, type: 'ThrottlingException' } satisfies Fault],
    ['throttles the account', { ...THROTTLED, type: 'RequestLimitExceeded' } satisfies Fault],
    ['fails', BROKEN],
    ['is away', { is: 'refused', status: 503, type: 'Odd' } satisfies Fault],
    ['drops the connection', { is: 'reset', when: 'before' } satisfies Fault],
  ])('is asked again when it %s', async (_what, fault) => {
    const { store, proxy } = await beset({ machine: hurried().clock });
    proxy.fault(first(fault, 'UpdateItem', 2));

    expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });
  });

  it.each([
    ['throttles', THROTTLED, /UpdateItem of incident a in DynamoDB's table \S+ is throttled, after \d tries/],
    ['fails', BROKEN, /UpdateItem of incident a .* got no answer that tells what became of it, after 6 tries/],
  ])(
    'is waited for a second at most in all when it %s on and on, and then the call throws',
    async (_what, fault, said) => {
      const { clock, waits } = hurried();
      const { store, proxy, other } = await beset({ machine: clock });
      proxy.fault(first(fault, 'UpdateItem', 1_000));

      await expect(store.put('incident', incident('a'), 0)).rejects.toThrow(said);

      expect(waits.length).toBeGreaterThan(2);
      expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(1_000);
      expect(await other().get('incident', 'a')).toBeUndefined();
      proxy.fault(() => undefined);
      expect(await store.put('incident', incident('a'), 0)).toEqual({ ok: true, version: 1 });
    },
  );

  it.each([
    ['a missing right', 'AccessDeniedException', /was refused .*check the rights of the function's role/],
    ['a missing table', 'ResourceNotFoundException', /was refused .*deploy the stack/],
    ['old credentials', 'ExpiredTokenException', /was refused .*renew them/],
  ])('is not asked again about %s, and the error says what to do', async (_what, type, said) => {
    const { store, proxy, operations } = await beset();
    proxy.fault(() => ({ is: 'refused', status: 400, type }));

    await expect(store.get('receipt', 'a')).rejects.toThrow(said);

    expect(operations()).toEqual(['GetItem']);
  });

  it('is told from one that is not there at all', async () => {
    const { store, proxy } = await beset({ machine: hurried().clock });
    await proxy.end();

    await expect(store.get('receipt', 'a')).rejects.toThrow(/ECONNREFUSED.*it is tried again later/);
  });
});

/** Of all requests some are lost, before or after they took effect, refused or throttled; never more than three in a row. */
function badDay(random: () => number) {
  const faults: readonly Fault[] = [LOST, { is: 'reset', when: 'before' }, THROTTLED, BROKEN];
  let row = 0;
  return () => {
    const fault = row < 3 && random() < 0.15 ? faults[Math.floor(random() * faults.length)] : undefined;
    row = fault ? row + 1 : 0;
    return fault;
  };
}

const SEED = 20_260_115;
storeConformance(`DynamoDB on a bad day (seed ${SEED})`, async () => {
  const { store, proxy } = await beset();
  proxy.fault(badDay(chance(SEED)));
  return store;
});
