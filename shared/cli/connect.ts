import type { Command } from 'commander';
import { inWords } from '../duration.ts';
import type { Registered } from '../model.ts';
import type { Around, Extra } from './main.ts';
import { harmless, styled, type Terminal, wrap } from './terminal.ts';

/** One thing that was done, or was so already, or that somebody must know. */
interface Step {
  readonly is: 'made' | 'changed' | 'same' | 'ended' | 'skipped' | 'caution' | 'note';
  readonly what: string;
  readonly because?: string;
}
export type Tell = (step: Step) => void;

/** Where a Gleaner on AWS keeps what it knows: its stack by name, or each part. */
export interface StackGiven {
  readonly stack?: string;
  readonly region?: string;
  readonly table?: string;
  readonly parameters?: string;
  readonly ingest?: string;
  readonly bus?: string;
}

export interface ConnectGiven extends StackGiven {
  readonly name: string;
  readonly kubeconfig: string;
  readonly context?: string;
  readonly server?: string;
  /** `apply` or `observe` was said; neither: as it is registered, else `observe`. */
  readonly does?: Registered['does'];
  readonly via: 'ingest' | 'eventbridge';
  readonly rotate: boolean;
  readonly revoke: boolean;
  readonly print: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
}

export interface DisconnectGiven extends StackGiven {
  readonly name: string;
  /** Without it the cluster is left as it is. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dryRun: boolean;
  readonly force: boolean;
}

/** What is left to do: what goes to standard output, and the commands for a person. */
export interface Left {
  readonly out: string;
  readonly next: readonly string[];
}

/** A registered cluster, and what is open there. */
export interface Listed extends Omit<Registered, 'schema' | 'kubeconfig'> {
  readonly waiting: number;
  readonly running: number;
}

/** What the commands call. Each throws an Error of one line where it cannot go on; what it did until then stays, and it may be run again. */
export interface Connecting {
  connect(given: ConnectGiven, tell: Tell): Promise<Left>;
  disconnect(given: DisconnectGiven, tell: Tell): Promise<Left>;
  clusters(given: StackGiven): Promise<{ readonly now: Date; readonly clusters: readonly Listed[] }>;
}

const stacked = (command: Command): Command =>
  command
    .option('--stack <name>', 'the stack, such as gleaner-prod (default: $GLEANER_STACK)')
    .option('--region <name>', "the stack's region (default: as the AWS command line)")
    .option('--table <name>', "the stack's table, where its parameters cannot tell it")
    .option('--parameters <prefix>', 'where its parameters are, such as /gleaner/prod; with --table');

/** `connect`, `disconnect`, `clusters`: the clusters of a Gleaner on AWS. */
export const connecting = (around: Around, doing: Connecting): readonly Extra[] => [
  (program, exit) =>
    stacked(
      program
        .command('connect <name>')
        .description('set up a cluster for a Gleaner on AWS: its accounts, rights, keys and its place in the registry'),
    )
      .requiredOption('--kubeconfig <file>', 'of an administrator of the cluster: used now, kept nowhere')
      .option('--context <name>', 'the context of the kubeconfig')
      .option(
        '--server <url>',
        'the address at which the functions reach its API server, such as https://10.0.0.11:6443',
      )
      .option('--apply', 'give Gleaner the rights to apply what people approve')
      .option('--observe', 'take those rights away')
      .option('--via <way>', 'how its watcher sends: ingest (HTTPS) or eventbridge', 'ingest')
      .option('--ingest <url>', "the stack's ingest, where its parameters cannot tell it")
      .option('--bus <arn>', "the stack's event bus, where its parameters cannot tell it")
      .option('--rotate', 'a new credential and a new key; the former ones still work until it is run again')
      .option('--revoke', 'the same, and the former ones end at once')
      .option('--print', 'without AWS: print the kubeconfig of Gleaner’s account')
      .option('--dry-run', 'ask for everything and change nothing')
      .option('--force', 'take rights away though a run is under way')
      .action(async (name: string, options: Options) =>
        exit(await said(around, options, (tell) => doing.connect(givenBy(name, options), tell))),
      ),
  (program, exit) =>
    stacked(program.command('disconnect <name>').description('undo what `gleaner connect` did for a cluster'))
      .option('--kubeconfig <file>', 'of an administrator of the cluster')
      .option('--context <name>', 'the context of the kubeconfig')
      .option('--gone', 'the cluster is no more: only forget it')
      .option('--dry-run', 'change nothing')
      .option('--force', 'though a run is under way')
      .action(async (name: string, options: Options) => {
        if ((options.kubeconfig === undefined) !== (options.gone === true))
          return exit(fail(around, 'say --kubeconfig of an administrator, or --gone where the cluster is no more'));
        const given = { ...options, name, dryRun: options.dryRun ?? false, force: options.force ?? false };
        exit(await said(around, options, (tell) => doing.disconnect(given, tell)));
      }),
  (program, exit) =>
    stacked(program.command('clusters').description('the clusters of a Gleaner on AWS, and how they are'))
      .option('-o, --output <format>', 'json: for programs')
      .action(async (options: Options) => exit(await list(around, doing, options))),
];

interface Options extends StackGiven {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly server?: string;
  readonly apply?: boolean;
  readonly observe?: boolean;
  readonly via?: string;
  readonly rotate?: boolean;
  readonly revoke?: boolean;
  readonly print?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly gone?: boolean;
  readonly output?: string;
}

function givenBy(name: string, { apply, observe, via, kubeconfig = '', ...options }: Options): ConnectGiven {
  if (apply && observe) throw new Error('--apply and --observe: say one of the two');
  if (via !== 'ingest' && via !== 'eventbridge') throw new Error(`--via ${via}: say ingest or eventbridge`);
  const { rotate = false, revoke = false, print = false, dryRun = false, force = false } = options;
  const does = apply ? 'apply' : observe ? 'observe' : undefined;
  return {
    ...options,
    name,
    kubeconfig,
    via,
    rotate: rotate || revoke,
    revoke,
    print,
    dryRun,
    force,
    ...(does && { does }),
  };
}

const fail = ({ err }: Around, because: string): number => {
  err(`gleaner: ${harmless(because)}\n`);
  return 2;
};
const failed = (around: Around, error: unknown) => fail(around, String(Object(error).message ?? error));

/** Tells the steps as they come, on the side of what is no answer; then the answer, and what is left to do. */
async function said(around: Around, { dryRun = false }: Options, act: (tell: Tell) => Promise<Left>): Promise<number> {
  const side = { ...around.terminal };
  try {
    const { out, next } = await act((step) => around.err(shownStep(step, dryRun, side)));
    if (dryRun) around.err('Nothing was changed: this was a dry run.\n');
    around.out(out);
    if (next.length > 0) around.err(`\nWhat is left to do:\n${next.map((line) => `   ${line}\n`).join('')}`);
    return 0;
  } catch (error) {
    return failed(around, error);
  }
}

const MARKS = {
  made: ['made', 'would make', 'green'],
  changed: ['changed', 'would change', 'yellow'],
  ended: ['ended', 'would end', 'yellow'],
  same: ['as it was', 'as it is', 'dim'],
  skipped: ['left out', 'left out', 'yellow'],
  caution: ['CAUTION', 'CAUTION', 'red'],
  note: ['', '', 'dim'],
} as const;
const MARGIN = 14;

function shownStep({ is, what, because }: Step, isTrial: boolean, terminal: Terminal): string {
  const [done, would, colour] = MARKS[is];
  const text = because === undefined ? what : `${what}: ${because}`;
  const [first = '', ...rest] = wrap(text, Math.max(40, terminal.width - MARGIN));
  const mark = styled(terminal, colour, (isTrial ? would : done).padEnd(MARGIN));
  return [`${mark}${first}`, ...rest.map((line) => `${' '.repeat(MARGIN)}${line}`)].map((line) => `${line}\n`).join('');
}

async function list(around: Around, doing: Connecting, options: Options): Promise<number> {
  try {
    const { now, clusters } = await doing.clusters(options);
    around.out(options.output === 'json' ? `${JSON.stringify({ clusters }, null, 2)}\n` : shownClusters(clusters, now));
    return 0;
  } catch (error) {
    return failed(around, error);
  }
}

/** The clusters as a table, one a line. */
export function shownClusters(clusters: readonly Listed[], now: Date): string {
  if (clusters.length === 0) return 'No cluster is connected: `gleaner connect` does it.\n';
  const ago = (time: string) => `${inWords(now.getTime() - Date.parse(time))} ago`;
  const rows = clusters.map(({ name, flavour, does, beatAt, missedSince, watcher, waiting, running }) => [
    ...[name, flavour, does],
    beatAt === undefined ? 'never' : `${ago(beatAt)}${missedSince === undefined ? '' : ' (MISSED)'}`,
    watcher ?? '-',
    waiting + running === 0 ? 'nothing' : `${waiting} waiting, ${running} under way`,
  ]);
  const all = [['NAME', 'FLAVOUR', 'DOES', 'HEARD', 'WATCHER', 'OPEN'], ...rows].map((row) => row.map(harmless));
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
