import { describe, expect, it } from 'vitest';
import { decide } from '../../../shared/flow/decide.ts';
import type { Policy } from '../../../shared/flow/world.ts';
import { type Click, type From, shownTo } from '../../../shared/model.ts';
import type { Store } from '../../../shared/ports/store.ts';
import { type Painted, paintWorld } from '../../simulator/paint.ts';
import { POLICY } from '../../simulator/world.ts';
import { approval, DOWN, decided, directoryOf, NO, rulesOf, said, saidIn, YES } from './bed.ts';

const FROM: From = { team: 'T1', channel: 'C1', question: 'q1' };
const TWO: Policy = { ...POLICY, quorum: 2 };

async function shown(world: Painted, proposal: string, who: Click['who']) {
  const receipt = { schema: 1 as const, id: shownTo('q1', who, proposal), at: world.now().toISOString() };
  await world.store.put('receipt', receipt, 0);
}

describe('A click that comes again', () => {
  it('stays refused, though the policy would allow it by now', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    await shown(world, id, 'local:eve');
    const click = { ...(await approval(world, id, 'local:eve')), from: FROM };
    await decided(world, click);

    world.approvers.push('local:eve');
    const told = said(await decided(world, click));

    expect(told).toEqual([expect.stringMatching(/^refused: local:eve may not decide this/)]);
    expect((await world.store.get('proposal', id))?.item.state).toBe('open');
  });

  it('is told once what became of it, also where the listener notes its receipt at the same moment', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    await shown(world, id, 'local:ann');
    const { store } = world;
    let isNoted = false;
    const racing: Store = {
      ...store,
      async put(table, item, version, unless) {
        if (table === 'receipt' && !isNoted) {
          isNoted = true;
          await store.put('receipt', { schema: 1, id: 'c1', at: world.now().toISOString() }, 0);
        }
        return store.put(table, item, version, unless);
      },
    };

    await decided(world, { choice: 'reject', proposal: id, from: FROM }, { store: racing });

    expect((await store.get('receipt', 'c1'))?.item.answer).toMatchObject({ ok: true });
  });
});

describe('An emergency stop', () => {
  it('holds against a resume of the same moment, in whichever order they come', async () => {
    const world = paintWorld();
    const at = world.now().toISOString();
    const flip = (choice: 'stop' | 'resume') =>
      decide(world.world, { event: 'clicked', id: choice, at, click: { id: choice, who: 'local:ann', choice } });

    await flip('stop');
    await flip('resume');
    expect((await world.store.get('switch', 'cluster-1'))?.item.stopped).toBe(true);
    await flip('stop');

    expect((await world.store.get('switch', 'cluster-1'))?.item.stopped).toBe(true);
  });
});

describe('An approval', () => {
  it('that the clock of the store calls too late is refused in words, though the clock here is behind', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    const { store } = world;
    const ahead: Store = {
      ...store,
      put: async (table, item, version, unless) =>
        unless?.expired ? { ok: false, winner: await store.get(table, item.id) } : store.put(table, item, version),
    };

    const told = said(await decided(world, await approval(world, id, 'local:ann'), { store: ahead }));

    expect(told).toEqual(['refused: it has expired: diagnose it again']);
  });

  it('needs the reason that the policy asks for by which it counts, also where that changes in its midst', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    let policy: Policy = POLICY;
    const rules = rulesOf(world, () => policy);
    const calm = directoryOf({});
    const directory = {
      ...calm,
      async isMember() {
        policy = { ...POLICY, reasonRequired: true };
        return YES;
      },
    };

    const otherwise = { rules, directory };
    world.publish(...(await decided(world, await approval(world, id, 'local:ann'), otherwise)));
    Object.assign(world.world, { rules });
    await world.settle(5);

    expect(world.cluster.effects).toEqual([]);
    expect((await world.proposals()).some(({ state }) => state === 'fixed')).toBe(false);
  });

  it('is no dead end where it could not be found out whether who had approved before still may', async () => {
    const members = { 'local:ann': YES };
    const world = paintWorld(undefined, { policy: TWO, directory: directoryOf(members) });
    const id = await world.proposed();
    world.click(await approval(world, id, 'local:ann'));
    await world.settle(0);

    members['local:ann'] = DOWN;
    world.click(await approval(world, id, 'local:bob'));
    await world.settle(0);
    members['local:ann'] = YES;
    world.click(await approval(world, id, 'local:bob'));
    await world.settle(5);

    expect(saidIn(world)).toEqual([
      expect.stringMatching(/^decided: .*1 more must approve/),
      expect.stringMatching(/^decided: .*1 more must approve: of 1 who approved before it cannot be found out/),
      expect.stringMatching(/^decided: local:bob/),
    ]);
    expect((await world.proposals())[0]?.state).toBe('fixed');
  });

  it('is no dead end where somebody who had approved is an approver again', async () => {
    const members = { 'local:ann': YES };
    const world = paintWorld(undefined, { policy: TWO, directory: directoryOf(members) });
    const id = await world.proposed();
    world.click(await approval(world, id, 'local:ann'));
    await world.settle(0);
    members['local:ann'] = NO('the account is deactivated');
    world.click(await approval(world, id, 'local:bob'));
    await world.settle(0);

    members['local:ann'] = YES;
    world.click(await approval(world, id, 'local:ann'));
    await world.settle(5);

    expect((await world.proposals())[0]?.state).toBe('fixed');
  });
});

describe('Who comes too late', () => {
  it('is told who decided, and not who asked for something later', async () => {
    const world = paintWorld();
    const id = await world.proposed();
    world.click({ choice: 'reject', proposal: id, who: 'local:bob' });
    await world.settle(0);
    world.click({ choice: 'diagnose', proposal: id, who: 'local:ann' });
    await world.deliver();

    world.click({ choice: 'reject', proposal: id, who: 'local:ann' });
    await world.deliver();
    await world.settle(0);

    expect(saidIn(world)).toContainEqual(
      expect.stringMatching(/^refused: it was already decided: rejected by local:bob/),
    );
  });
});
