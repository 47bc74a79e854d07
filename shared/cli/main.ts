import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Mode, Right } from '../handler.ts';
import type { Opened } from '../ports/source.ts';
import { diagnose } from './report.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** What the command line is given by whoever starts it: nothing here reads the process. */
export interface Around {
  readonly version: string;
  readonly terminal: Terminal;
  out(text: string): void;
  /** For what is not the answer: the context, errors. */
  err(text: string): void;
}

/** What `diagnose` needs of the world: the rules, and the readers of files and of live clusters. */
export interface Readers {
  readonly modes: readonly Mode[];
  openFiles(path: string, options: { reads: readonly Right[]; at?: Date }): Promise<Opened>;
  /** By kubectl's rules for the kubeconfig where none is named. */
  openCluster(options: { kubeconfig?: string; context?: string; reads: readonly Right[] }): Promise<Opened>;
}

/** A command of its own, such as `demo`: added by the world that has it. */
export type Extra = (program: Command, exit: (code: number) => void) => void;

/** It ran; it ran and found something, with `--exit-code`; it could not run. */
const EXIT = { ran: 0, found: 1, unusable: 2 } as const;

/** Runs the command line and gives the exit code. `argv` starts with the first argument. */
export async function run(
  argv: readonly string[],
  around: Around,
  readers: () => Promise<Readers>,
  extras: readonly Extra[] = [],
): Promise<number> {
  let code: number = EXIT.ran;
  const program = new Command('gleaner')
    .description('Recognises the known failure modes of a Harvester cluster, and proposes the exact fix.')
    .version(around.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => around.out(text),
      writeErr: (text) => around.err(text),
      getOutHelpWidth: () => around.terminal.width,
    });
  const exit = (wanted: number) => {
    code = wanted;
  };
  addDiagnose(program, around, readers, exit);
  for (const extra of extras) extra(program, exit);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ran : EXIT.unusable;
  }
  return code;
}

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'table' | 'json';
  readonly at?: Date;
  readonly exitCode?: boolean;
}

function addDiagnose(
  program: Command,
  around: Around,
  readers: () => Promise<Readers>,
  exit: (code: number) => void,
): void {
  program
    .command('diagnose')
    .description('look at a cluster, a support bundle or what kubectl wrote: read-only, and nothing is kept')
    .argument(
      '[path]',
      'a file or folder of `kubectl get -o yaml|json` output, or a support bundle (.zip or unpacked); ' +
        'without it the cluster of the current kubectl context',
    )
    .addOption(new Option('--kubeconfig <file>', 'look at the cluster of this kubeconfig'))
    .addOption(new Option('--context <name>', 'look at the cluster of this context of the kubeconfig'))
    .addOption(new Option('-o, --output <format>', 'how to write it').choices(['table', 'json']).default('table'))
    .option('--at <time>', 'the moment that the files show, where they do not tell: 2026-01-15T12:00:00Z', momentIn)
    .option('--exit-code', 'exit with 1 when something is found')
    .action(async (path: string | undefined, options: Options) => exit(await lookAt(path, options, around, readers)));
}

function momentIn(text: string): Date {
  const moment = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError('Write it as 2026-01-15T12:00:00Z.');
  return moment;
}

async function lookAt(
  path: string | undefined,
  { kubeconfig, context, output, at, exitCode }: Options,
  around: Around,
  readers: () => Promise<Readers>,
): Promise<number> {
  const refuse = (because: string) => {
    around.err(`gleaner: ${oneLine(because)}\n`);
    return EXIT.unusable;
  };
  if (path !== undefined && (kubeconfig ?? context) !== undefined)
    return refuse(`give either PATH (${path}) or a cluster, not both`);
  const { modes, openFiles, openCluster } = await readers();
  const reads = modes.flatMap((mode) => mode.rights.read);
  const opened =
    path === undefined
      ? await openCluster({
          reads,
          ...(kubeconfig !== undefined && { kubeconfig }),
          ...(context !== undefined && { context }),
        })
      : await openFiles(path, { reads, ...(at && { at }) });
  if (!opened.ok) return refuse(opened.because);
  const { source } = opened;
  try {
    if (path === undefined) around.err(`${source.what}\n`);
    const report = await diagnose(modes, source);
    around.out(
      output === 'json' ? `${JSON.stringify(report, null, 2)}\n` : table(report, source.what, around.terminal),
    );
    return exitCode && report.findings.length > 0 ? EXIT.found : EXIT.ran;
  } finally {
    await source.close();
  }
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
