import type { Command } from 'commander';
import type * as z from 'zod';
import { Incidents, ShownCard, Status } from '../ports/api.ts';
import type { Asked, Call } from './call.ts';
import { type Connection, findConnection } from './connection.ts';
import { shownIncidents, shownStatus } from './lists.ts';
import type { Around, Extra } from './main.ts';
import { shownCard } from './shown.ts';
import { harmless } from './terminal.ts';

/** It took effect or was shown; Gleaner said no; it could not be asked; nothing is decided (yet). */
export const EXIT = { done: 0, refused: 1, unusable: 2, undecided: 3 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** What the commands need that ask a running Gleaner. None of them opens its state. */
export interface Remote {
  readonly around: Around;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly call: Call;
}

/** Which Gleaner is meant. */
export interface Where {
  readonly url?: string;
  readonly state?: string;
}

/** Adds the options by which the running Gleaner is found. */
export const meant = (command: Command): Command =>
  command
    .option('--url <address>', 'the Gleaner at this address, with the token of GLEANER_TOKEN or of `gleaner login`')
    .option('--state <file>', 'the Gleaner that keeps its state here (default: $GLEANER_STATE or gleaner.sqlite)');

export const fail = ({ around }: Remote, because: string, code: Exit = EXIT.unusable): Exit => {
  around.err(`gleaner: ${harmless(because)}\n`);
  return code;
};

/** Asks the Gleaner that is meant, and gives its answer to `then`; what it could not say is told and has an exit code. */
export async function ask<T>(
  remote: Remote,
  where: Where,
  question: Parameters<Call>[1],
  answer: z.ZodType<T>,
  then: (value: T, about: { status: number; connection: Connection }) => Exit | Promise<Exit>,
): Promise<Exit> {
  const found = findConnection(where, remote.env);
  if (!found.ok) return fail(remote, found.because);
  const { connection } = found;
  const said = await remote.call(connection, question, answer);
  return said.is === 'ok' ? then(said.value, { status: said.status, connection }) : notSaid(remote, said, question);
}

/** Why there is no answer to read, and its exit code. */
export function notSaid(
  remote: Remote,
  said: Exclude<Asked<never>, { is: 'ok' }>,
  { method }: { method?: string },
): Exit {
  switch (said.is) {
    case 'problem': {
      const { status, detail, type } = said.problem;
      const isNo = type === 'urn:gleaner:problem:refused' || status === 403;
      return fail(remote, isNo ? `refused: ${detail}` : detail, isNo ? EXIT.refused : EXIT.unusable);
    }
    case 'unreachable':
      return fail(remote, said.because);
    case 'lost': {
      const isWrite = method !== undefined && method !== 'GET';
      return fail(
        remote,
        `${said.because}${isWrite ? ': what you asked may have been done; look first (gleaner incidents)' : ''}`,
      );
    }
  }
}

type Format = { readonly output?: 'json' };

/** `status`, `incidents`, `show`: nothing changes by them. */
export const reading = (remote: Remote): readonly Extra[] => {
  const { out, terminal } = remote.around;
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  /** A command that asks one question and writes its answer. */
  const reader =
    <T>(
      usage: string,
      about: string,
      path: (argument: string) => string,
      answer: z.ZodType<T>,
      write: (value: T) => string,
    ): Extra =>
    (program, exit) => {
      const command = meant(program.command(usage).description(about)).option(
        '-o, --output <format>',
        'json: for programs',
      );
      command.action(async (...given: unknown[]) => {
        const argument = typeof given[0] === 'string' ? given[0] : '';
        const options: Where & Format = command.opts();
        exit(
          await ask(remote, options, { path: path(argument) }, answer, (value) => {
            out(options.output === 'json' ? json(value) : write(value));
            return EXIT.done;
          }),
        );
      });
    };
  return [
    reader(
      'status',
      'how the running Gleaner and its clusters are',
      () => '/status',
      Status,
      (value) => shownStatus(value, terminal),
    ),
    reader(
      'incidents',
      'what waits for a decision, what runs, what was done',
      () => '/incidents',
      Incidents,
      (value) => shownIncidents(value.incidents, terminal),
    ),
    reader(
      'show <id>',
      'a card: what is wrong, the plans with their dry-run diffs, the evidence',
      (id) => `/cards/${encodeURIComponent(id)}`,
      ShownCard,
      (value) => shownCard(value, terminal),
    ),
  ];
};
