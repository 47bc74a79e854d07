import { admitting } from '../cli/admit.ts';
import type { Call } from '../cli/call.ts';
import { type Connecting, connecting } from '../cli/connect.ts';
import { deciding } from '../cli/decide.ts';
import type { Around, Extra } from '../cli/main.ts';
import { reading } from '../cli/remote.ts';
import { harmless } from '../cli/terminal.ts';
import type { Log } from '../runtime/log.ts';

const collect = (value: string, before: readonly string[]) => [...before, value];

const call: Call = async (connection, question, answer) =>
  (await import('../cli/call.ts')).call(connection, question, answer);

/** The SDKs of AWS and the reader of kubeconfigs are loaded by who connects a cluster. */
const connectingIn = (env: Readonly<Record<string, string | undefined>>): Connecting => {
  const loaded = async () => (await import('./connect-commands.ts')).connectingOn(env);
  return {
    connect: async (given, tell) => (await loaded()).connect(given, tell),
    disconnect: async (given, tell) => (await loaded()).disconnect(given, tell),
    clusters: async (given) => (await loaded()).clusters(given),
  };
};

/** The commands that need a whole Gleaner, or ask a running one. Each loads what it needs when it is called: `diagnose` starts without it. */
export const commands = (
  around: Around,
  env: Readonly<Record<string, string | undefined>>,
  ended: Promise<void>,
): readonly Extra[] => [
  (program, exit) =>
    program
      .command('start')
      .description('follow clusters and serve the page; with nothing named, the playground')
      .option('--kubeconfig <file>', 'follow the cluster of this kubeconfig, observing only (repeatable)', collect, [])
      .option(
        '--server <url>',
        'an address of its API server, instead of the one in the kubeconfig (repeatable)',
        collect,
        [],
      )
      .option('--context <name>', 'the context of the kubeconfig')
      .option('--config <file>', 'the configuration (default: gleaner.yaml, where there is one)')
      .option('--state <file>', 'where the state is kept (default: gleaner.sqlite)')
      .option('--port <number>', "the page's port (default: a free one)")
      .option('--speed <number>', 'how many times faster than life the playground runs', '20')
      .action(async (options) => exit(await startAndWait(options, around, env, ended))),
  (program, exit) =>
    program
      .command('demo')
      .description('break a pretend cluster in every way, approve each fix, and see it verified: under a minute')
      .action(async () => {
        const { demo } = await import('./demo.ts');
        exit((await demo(printer(around), await logTo(around, 'error'))) ? 0 : 1);
      }),
  (program, exit) =>
    program
      .command('audit')
      .description('the append-only log of every event, decision and touch')
      .command('verify')
      .description('check the hash chain of the audit log')
      .option('--state <file>', 'the state file', 'gleaner.sqlite')
      .action(async ({ state }: { state: string }) => {
        const { verifyAudit } = await import('./audit.ts');
        const said = verifyAudit(state);
        (said.ok ? around.out : around.err)(`${said.because}\n`);
        exit(said.ok ? 0 : said.unusable ? 2 : 1);
      }),
  (program, exit) =>
    program
      .command('doctor')
      .description('look whether what Gleaner needs from others is set up')
      .command('slack')
      .description('the tokens, scopes, channels, people and groups; posts nothing')
      .option('--config <file>', 'the configuration (default: gleaner.yaml, where there is one)')
      .action(async (options: { config?: string }) => exit(await examineSlack(options, around, env))),
  ...[reading, deciding, admitting].flatMap((some) => some({ around, env, call })),
  ...connecting(around, connectingIn(env)),
];

async function examineSlack(
  options: { config?: string },
  around: Around,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const [{ checkSlack }, { exitOf, shownFindings }] = await Promise.all([
    import('./slack-checkup.ts'),
    import('../cli/findings.ts'),
  ]);
  try {
    const findings = await checkSlack(options, env);
    around.out(shownFindings(findings, around.terminal));
    return exitOf(findings);
  } catch (error) {
    around.err(`gleaner: ${Object(error).message ?? String(error)}\n`);
    return 2;
  }
}

/** A line holds what people and clusters wrote: an escape sequence in it could draw over the lines above. */
export const printer = (around: Pick<Around, 'out'>) => (line: string) => around.out(`${harmless(line)}\n`);
const logTo = async (around: Around, level: string): Promise<Log> =>
  (await import('../runtime/log.ts')).streamLog({ write: around.err }, level);

async function startAndWait(
  options: object,
  around: Around,
  env: Readonly<Record<string, string | undefined>>,
  ended: Promise<void>,
): Promise<number> {
  const { settings } = await import('./settings.ts');
  const { start } = await import('./start.ts');
  try {
    const running = await start(
      settings(options, env),
      printer(around),
      await logTo(around, env.GLEANER_LOG ?? 'warn'),
    );
    await ended;
    await running.stop();
    return 0;
  } catch (error) {
    around.err(`gleaner: ${Object(error).message ?? String(error)}\n`);
    return 2;
  }
}
