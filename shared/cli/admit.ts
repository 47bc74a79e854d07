import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { Invited, People, Redeemed } from '../ports/api.ts';
import { type Connection, isLoopback, loginFile } from './connection.ts';
import { shownPeople } from './lists.ts';
import type { Extra } from './main.ts';
import { ask, EXIT, type Exit, fail, meant, notSaid, type Remote, type Where } from './remote.ts';

/** Who gets in: `invite`, `uninvite`, `people`, `login`. */
export const admitting = (remote: Remote): readonly Extra[] => [
  (program, exit) =>
    meant(
      program
        .command('invite <person>')
        .description('a link for one person (local:NAME), good once: for the page, or for `gleaner login`'),
    )
      .option(
        '--at <address>',
        'how that person reaches Gleaner, such as https://gleaner.example, where it is behind a proxy',
      )
      .action(async (who: string, { at, ...where }: Where & { at?: string }) =>
        exit(await invite(remote, named(who), at, where)),
      ),
  (program, exit) =>
    meant(
      program.command('uninvite <person>').description('end all sessions, tokens and invitations of one person'),
    ).action(async (who: string, where: Where) =>
      exit(
        await ask(
          remote,
          where,
          { method: 'DELETE', path: `/people/${encodeURIComponent(named(who))}` },
          z.object({ ended: z.number() }),
          ({ ended }) => say(remote, `${named(who)} is out: ${ended} ended.`),
        ),
      ),
    ),
  (program, exit) =>
    meant(program.command('people').description('who gets in, and how')).action(async (where: Where) =>
      exit(
        await ask(remote, where, { path: '/people' }, People, ({ people }) =>
          say(remote, shownPeople(people).trimEnd()),
        ),
      ),
    ),
  (program, exit) =>
    program
      .command('login <link>')
      .description('use an invitation for the command line of this machine')
      .action(async (link: string) => exit(await login(remote, link))),
];

/** A name alone is a person of this Gleaner. */
const named = (who: string) => (who.includes(':') ? who : `local:${who}`);

const say = ({ around }: Remote, text: string): Exit => {
  around.out(`${text}\n`);
  return EXIT.done;
};

async function invite(remote: Remote, who: string, at: string | undefined, where: Where): Promise<Exit> {
  const public_ = at === undefined ? undefined : z.url({ protocol: /^https?$/ }).safeParse(at);
  if (public_?.success === false) return fail(remote, `${at} is no address: write it as https://gleaner.example`);
  return ask(remote, where, { method: 'POST', path: '/invitations', body: { who } }, Invited, ({ link, until }) => {
    const shown = public_ === undefined ? link : new URL(new URL(link).pathname, public_.data).href;
    return say(
      remote,
      `${shown}\nFor ${who} alone, once, until ${until}. Send it where nobody else reads: who opens it is ${who}.`,
    );
  });
}

/** Exchanges an invitation for a token, and keeps that where only this user reads it. */
async function login(remote: Remote, link: string): Promise<Exit> {
  const url = z.url({ protocol: /^https?$/ }).safeParse(link).success ? new URL(link) : undefined;
  const invitation = url && /^\/join\/([\w-]+)$/.exec(url.pathname)?.[1];
  if (!url || invitation === undefined) return fail(remote, 'this is no invitation: `gleaner invite` prints one');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return fail(remote, `${url.origin} would send your token in the clear: use its https address`);
  const question = { method: 'POST', path: '/tokens', body: { invitation } } as const;
  const said = await remote.call({ url: url.origin }, question, Redeemed);
  if (said.is !== 'ok') return notSaid(remote, said, question);
  const { who, token, until } = said.value;
  const file = loginFile(remote.env);
  keep(file, { url: url.origin, token, who, until });
  return say(remote, `You are ${who} at ${url.origin} until ${until}. Kept in ${file}.`);
}

function keep(file: string, connection: Connection): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // An existing file would keep its mode.
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
}
