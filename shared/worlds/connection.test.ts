import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectionFile, findConnection, readConnection } from '../cli/connection.ts';
import { keepBeside, leaveConnection } from './connection.ts';

let state: string;
beforeEach(() => {
  state = join(mkdtempSync(join(tmpdir(), 'gleaner-state-')), 'gleaner.sqlite');
});

const connection = (token: string, pid = process.pid) => ({
  url: 'http://127.0.0.1:8080',
  token,
  who: 'local:ann',
  pid,
});
/** No process has it: the largest that Linux gives is 4194304. */
const NOBODY = 4_194_305;
const tokenThere = () => {
  const found = findConnection({ state }, {});
  return found.ok ? found.connection.token : undefined;
};

describe('The connection beside the state', () => {
  it('is found by the commands, readable by its owner alone, and gone with the process', () => {
    const leave = leaveConnection(state, connection('one'), { yields: false });

    expect(tokenThere()).toBe('one');
    expect(statSync(connectionFile(state)).mode & 0o777).toBe(0o600);
    leave?.();
    expect(tokenThere()).toBeUndefined();
  });

  it('replaces what a process left that died', () => {
    leaveConnection(state, connection('dead', NOBODY), { yields: true });

    expect(leaveConnection(state, connection('new'), { yields: true })).toBeDefined();
    expect(tokenThere()).toBe('new');
  });

  it('of a playground yields to a Gleaner that runs there', () => {
    leaveConnection(state, connection('real', process.ppid), { yields: false });

    expect(leaveConnection(state, connection('play'), { yields: true })).toBeUndefined();
    expect(tokenThere()).toBe('real');
  });

  it('of one that followed is not taken away by the former', () => {
    const former = leaveConnection(state, connection('former'), { yields: false });
    leaveConnection(state, connection('next'), { yields: false });

    former?.();

    expect(tokenThere()).toBe('next');
  });

  it('says when it cannot be read', () => {
    writeFileSync(connectionFile(state), '{');

    expect(readConnection(connectionFile(state)).is).toBe('broken');
    expect(findConnection({ state }, {})).toMatchObject({
      ok: false,
      because: expect.stringMatching(/cannot be read/),
    });
  });
});

describe('Who may get in', () => {
  const grant = {
    ...{ digest: 'ab', who: 'local:bob', door: 'page' as const },
    ...{ at: '2026-01-15T12:00:00Z', until: '2026-01-22T12:00:00Z' },
  };
  const warned: string[] = [];
  const keep = () => keepBeside(state, (because) => void warned.push(because));

  it('is kept beside the state, readable by its owner alone', () => {
    expect(keep().load()).toEqual([]);
    keep().save([grant]);

    expect(keep().load()).toEqual([grant]);
    expect(statSync(`${state}-access`).mode & 0o777).toBe(0o600);
    expect(warned).toEqual([]);
  });

  it('is nobody where the file is broken, and says so', () => {
    keep().save([grant]);
    writeFileSync(`${state}-access`, readFileSync(`${state}-access`, 'utf8').slice(3));

    expect(keep().load()).toEqual([]);
    expect(warned.at(-1)).toMatch(/everybody must be invited again/);
  });
});
