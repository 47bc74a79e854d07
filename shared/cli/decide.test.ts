import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AppBed, appBed } from '../../test/api/app.ts';
import { Problem } from '../ports/api.ts';
import { admitting } from './admit.ts';
import type { Call } from './call.ts';
import { connectionFile, loginFile } from './connection.ts';
import { deciding } from './decide.ts';
import { run } from './main.ts';
import { reading } from './remote.ts';

let bed: AppBed;
let state: string;
let env: Record<string, string | undefined>;

beforeEach(async () => {
  bed = await appBed();
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-cli-'));
  state = join(folder, 'gleaner.sqlite');
  env = { HOME: folder, GLEANER_STATE: state };
  connected('local:ann');
});

/** Leaves the connection file of a Gleaner that belongs to `who`. */
const connected = (who: string) =>
  writeFileSync(
    connectionFile(state),
    JSON.stringify({ url: 'http://127.0.0.1:1', token: bed.access.own(who), who, pid: 1 }),
  );

/** The application without a socket. */
const call: Call = async ({ token }, { method = 'GET', path, body }, answer) => {
  const response = await bed.app.request(`/v1${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json: unknown = await response.json();
  if (!response.ok) return { is: 'problem', problem: Problem.parse(json) };
  return { is: 'ok', status: response.status, value: answer.parse(json) };
};

async function gleaner(argv: readonly string[], asked: Call = call) {
  const said = { out: '', err: '' };
  const around = {
    version: '1.2.3',
    terminal: { width: 100, colours: false },
    out(text: string) {
      said.out += text;
    },
    err(text: string) {
      said.err += text;
    },
  };
  const extras = [reading, deciding, admitting].flatMap((some) => some({ around, env, call: asked }));
  const readers = async () => ({ modes: [], openFiles: nothing, openCluster: nothing });
  return { code: await run(argv, around, readers, extras), ...said };
}
const nothing = async () => ({ ok: false, because: 'nobody looks' }) as const;
const stateOf = async () => (await bed.world.proposals())[0]?.state;

describe('gleaner approve', () => {
  it('shows the card without a revision, says the command that decides, and decides nothing', async () => {
    const { code, out } = await gleaner(['approve', bed.proposal]);

    expect(code).toBe(3);
    const command = `gleaner approve ${bed.proposal} --revision ${await bed.revision()} --plan mend`;
    expect(out).toMatch(/^OPEN simulated \/ paint\nNode node1 is broken\n {3}Since/);
    expect(out).toMatch(/Policy +by local:ann, local:bob; one is enough/);
    expect(out).toContain(`\nNothing is decided yet. To approve what you have read:\n   ${command}\n`);
    expect(await stateOf()).toBe('open');
  });

  it('decides by the very command that it said', async () => {
    const { out } = await gleaner(['approve', bed.proposal]);
    const command = /^ {3}gleaner (approve .*)$/m.exec(out)?.[1] ?? '';

    const decided = await gleaner(command.split(' '));

    expect(decided).toEqual({ code: 0, out: expect.stringMatching(/^local:ann approved "/), err: '' });
    expect(await stateOf()).not.toBe('open');
  });

  it('finds the only plan by itself, and hands the reason on', async () => {
    const argv = ['approve', bed.proposal.slice(0, 6), '--revision', await bed.revision(), '--reason', 'seen'];

    expect(await gleaner(argv)).toMatchObject({ code: 0, out: expect.stringMatching(/: seen\n$/) });
  });

  it('is refused in one line, with exit code 1', async () => {
    connected('local:eve');
    const argv = ['approve', bed.proposal, '--revision', await bed.revision(), '--plan', 'mend'];

    expect(await gleaner(argv)).toEqual({
      ...{ code: 1, out: '' },
      err: 'gleaner: refused: local:eve may not decide this: it is for local:ann, local:bob\n',
    });
    expect(await stateOf()).toBe('open');
  });

  it('says when what was read is not what stands there', async () => {
    const { code, err } = await gleaner(['approve', bed.proposal, '--revision', 'older', '--plan', 'mend']);

    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/not the revision that you read/) });
  });
});

describe('The commands that decide', () => {
  it('reject and undo are shown first, too', async () => {
    const reject = await gleaner(['reject', bed.proposal]);
    const undo = await gleaner(['undo', bed.proposal]);

    expect(reject).toMatchObject({
      code: 3,
      out: expect.stringContaining(`gleaner reject ${bed.proposal} --revision`),
    });
    expect(undo).toMatchObject({ code: 1, err: 'gleaner: its card does not offer "undo" now: it is open\n' });
    expect(await stateOf()).toBe('open');
  });

  it.each([
    [['take', 'ID'], /^local:ann has it in hand\n$/],
    [['snooze', 'ID', '--reason', 'dinner'], /^local:ann: dinner\n$/],
    [['again', 'ID'], /^local:ann asked to look again\n$/],
    [['look'], /^looking at "/],
    [['silence', 'Node/node1', '2h', 'a', 'new', 'disk'], /^Node\/node1 opens no card .* until 2026-01-15T14:00:30/],
    [['stop'], /^every run on the cluster is stopped\n$/],
    [['resume', '--cluster', 'cluster-1'], /^runs on the cluster may go on\n$/],
  ])('gleaner %j takes effect at once', async (argv, said) => {
    const words = argv.map((word) => (word === 'ID' ? bed.proposal : word));

    expect(await gleaner(words)).toEqual({ code: 0, out: expect.stringMatching(said), err: '' });
  });

  it('silence and unsilence show in the status', async () => {
    await gleaner(['silence', 'Node/node1', '2h', 'a', 'new', 'disk']);
    expect((await gleaner(['status'])).out).toMatch(
      /Silenced +Node\/node1 on simulated for another 2 h, by local:ann: a\s+new disk/,
    );

    expect((await gleaner(['unsilence', 'Node/node1'])).code).toBe(0);
    expect((await gleaner(['status'])).out).not.toContain('Silenced');
  });

  it('say that a decision is kept with an exit code of its own', async () => {
    const kept: Call = async (_connection, _question, answer) => ({
      ...{ is: 'ok', status: 202 },
      value: answer.parse({ ok: false, kept: true, because: 'Gleaner is behind' }),
    });

    expect(await gleaner(['stop'], kept)).toEqual({ code: 3, out: '', err: 'gleaner: Gleaner is behind\n' });
  });

  it('never say "failed" of what may have been done', async () => {
    const lost: Call = async () => ({ is: 'lost', because: 'it did not answer' });

    const { code, err } = await gleaner(['stop'], lost);

    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/may have been done; look first/) });
  });
});

describe('The commands that read', () => {
  it('list incidents for people and for programs', async () => {
    expect((await gleaner(['incidents'])).out).toMatch(
      new RegExp(`^Waiting for a decision\n {3}${bed.proposal} {2}OPEN .*\n {6}Node node1 is broken\n`),
    );
    const { out } = await gleaner(['incidents', '-o', 'json']);
    expect(JSON.parse(out).incidents).toMatchObject([{ proposal: bed.proposal, state: 'open' }]);
  });

  it('let no text of a cluster draw over the terminal', async () => {
    const row = await bed.world.store.get('proposal', bed.proposal);
    if (!row) throw new Error('there is no proposal');
    const because = 'a\u001b[2Jb\u202ec\nd';
    const found = { ...row.item.found, summary: because, because, users: because };
    await bed.world.store.put(
      'proposal',
      { ...row.item, found, timeline: [{ ...{ at: row.item.openedAt, is: 'open' }, because }] },
      row.version,
    );

    const { out } = await gleaner(['show', bed.proposal]);

    expect(out).toContain('a [2Jb c d');
    expect(['\u001b', '\u202e'].filter((mark) => out.includes(mark))).toEqual([]);
  });

  it.each([
    [
      'no Gleaner',
      { GLEANER_STATE: '/nowhere/state' },
      [],
      /no Gleaner runs here \(there is no \/nowhere\/state-connection\)/,
    ],
    ['an address in the clear', {}, ['--url', 'http://gleaner.example'], /token in the clear/],
    ['an address without a token', {}, ['--url', 'https://gleaner.example'], /set GLEANER_TOKEN, or run gleaner login/],
    ['an address that is none', {}, ['--url', 'gleaner'], /is no address/],
  ])('say of %s what to do', async (_what, more, argv, because) => {
    env = { ...env, ...more };

    expect(await gleaner(['status', ...argv])).toEqual({ code: 2, out: '', err: expect.stringMatching(because) });
  });
});

describe('gleaner invite and login', () => {
  it('let a second person decide from a machine of their own', async () => {
    const { out } = await gleaner(['invite', 'bob', '--at', 'https://gleaner.example']);
    const [link = ''] = out.split('\n');
    expect(link).toMatch(/^https:\/\/gleaner\.example\/join\/[\w-]{43}$/);

    env = { HOME: mkdtempSync(join(tmpdir(), 'gleaner-bob-')), GLEANER_STATE: undefined };
    expect((await gleaner(['login', link])).out).toMatch(/^You are local:bob at https:\/\/gleaner\.example until/);
    const there = await gleaner(['status', '--url', 'https://gleaner.example']);

    expect(there.out).toMatch(/You +local:bob/);
    expect(statSync(loginFile(env)).mode & 0o077).toBe(0);
    expect(await gleaner(['login', link])).toMatchObject({ code: 2, err: expect.stringMatching(/used before/) });
  });

  it('show somebody out', async () => {
    const [link = ''] = (await gleaner(['invite', 'local:bob'])).out.split('\n');
    await gleaner(['login', link]);
    const { token } = JSON.parse(readFileSync(loginFile(env), 'utf8'));
    expect((await gleaner(['people'])).out).toMatch(/local:bob +the command line/);

    expect((await gleaner(['uninvite', 'bob'])).out).toBe('local:bob is out: 1 ended.\n');

    expect(bed.access.holder(token, 'cli')).toBeUndefined();
  });

  it.each(['nonsense', 'https://gleaner.example/open/abc', 'http://gleaner.example/join/abc'])(
    'take no link %s',
    async (link) => {
      expect((await gleaner(['login', link])).code).toBe(2);
    },
  );
});
