import { describe, expect, it } from 'vitest';
import { access, type Grant } from './api-access.ts';

const HOUR = 3_600_000;

/** Access on a clock of the test's, and what it keeps. */
function door(kept: readonly Grant[] = []) {
  let now = Date.parse('2026-01-15T12:00:00Z');
  const saved: Grant[][] = [];
  const keep = { load: () => kept, save: (grants: readonly Grant[]) => void saved.push([...grants]) };
  return {
    ...access(() => new Date(now), keep),
    saved: () => saved.at(-1) ?? [],
    pass(ms: number) {
      now += ms;
    },
  };
}

describe('An invitation', () => {
  it('opens once, for its person and the door that is chosen', () => {
    const it = door();
    const { token } = it.invite('local:bob');

    expect(it.invited(token)).toBe('local:bob');
    const opened = it.open(token, 'page');

    expect(it.holder(opened?.secret, 'page')).toEqual({ who: 'local:bob', isOwner: false });
    expect(it.holder(opened?.secret, 'cli')).toBeUndefined();
    expect(it.open(token, 'page')).toBeUndefined();
    expect(it.invited(token)).toBeUndefined();
  });

  it('ends after a day unused', () => {
    const it = door();
    const { token } = it.invite('local:bob');

    it.pass(24 * HOUR);

    expect(it.open(token, 'cli')).toBeUndefined();
  });

  it('is nobody for a secret that was guessed', () => {
    const it = door();
    it.invite('local:bob');

    expect(it.open('guess', 'page')).toBeUndefined();
    expect(it.holder('guess', 'page')).toBeUndefined();
    expect(it.holder(undefined, 'cli')).toBeUndefined();
    expect(it.holder('', 'cli')).toBeUndefined();
  });
});

describe('What is open', () => {
  it.each([
    ['a session of the page', 'page', 7 * 24 * HOUR],
    ['a token of the command line', 'cli', 30 * 24 * HOUR],
  ] as const)('ends for %s by itself', (_what, at, lasts) => {
    const it = door();
    const opened = it.open(it.invite('local:bob').token, at);

    it.pass(lasts - 1);
    expect(it.holder(opened?.secret, at)).toBeDefined();
    it.pass(1);

    expect(it.holder(opened?.secret, at)).toBeUndefined();
    expect(it.people()).toEqual([]);
  });

  it('outlives a restart, and no secret is kept', () => {
    const before = door();
    const opened = before.open(before.invite('local:bob').token, 'page');

    const after = door(before.saved());

    expect(after.holder(opened?.secret, 'page')?.who).toBe('local:bob');
    expect(JSON.stringify(before.saved())).not.toContain(opened?.secret);
  });

  it('ends for a person who is shown out, with what was not used yet', () => {
    const it = door();
    const bob = it.open(it.invite('local:bob').token, 'cli');
    const ann = it.open(it.invite('local:ann').token, 'cli');
    const { token } = it.invite('local:bob');

    expect(it.shut('local:bob')).toBe(2);

    expect(it.holder(bob?.secret, 'cli')).toBeUndefined();
    expect(it.open(token, 'cli')).toBeUndefined();
    expect(it.holder(ann?.secret, 'cli')?.who).toBe('local:ann');
    expect(it.saved().map(({ who }) => who)).toEqual(['local:ann']);
  });
});

describe('Who runs Gleaner', () => {
  it('has a secret that is kept nowhere, and is the owner at the command line alone', () => {
    const it = door();
    const secret = it.own('local:ann');

    expect(it.holder(secret, 'cli')).toEqual({ who: 'local:ann', isOwner: true });
    expect(it.holder(secret, 'page')).toBeUndefined();
    expect(it.saved()).toEqual([]);
    expect(it.people()).toEqual([{ who: 'local:ann', door: 'cli', at: '2026-01-15T12:00:00.000Z' }]);
  });
});
