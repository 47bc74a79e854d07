import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A program of the control plane that can be frozen, killed and started again. */
export interface Component {
  /** SIGSTOP: connections stay open and nothing answers, as on a host that hangs. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again, on the same ports and data; resolves when it is ready. */
  restart(): Promise<void>;
  /** What it has written so far. */
  log(): string;
}

/** How a component is started, and how one sees that it can be used. */
export interface Recipe {
  readonly program: string;
  readonly args: readonly string[];
  readonly logFile: string;
  ready(): Promise<void>;
}

/** Starts a program and waits until it is ready. */
export async function startComponent(recipe: Recipe): Promise<Component> {
  let child = launch(recipe);
  const log = () => readFileSync(recipe.logFile, 'utf8');
  const ready = () =>
    new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) => {
        reject(new Error(`${recipe.program} ended (${status ?? signal}): ${log().slice(-2000)}`));
      });
      recipe.ready().then(resolve, reject);
    });
  const kill = () => end(child);
  await ready().catch(async (failure) => {
    await kill();
    throw failure;
  });
  return {
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill,
    restart: async () => {
      await kill();
      child = launch(recipe);
      await ready();
    },
    log,
  };
}

function launch({ program, args, logFile }: Recipe): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  if (child.pid !== undefined) reapWithUs(child, child.pid);
  // We end components by signal alone, so whoever has an exit status gave up by itself.
  child.once('exit', (status) => {
    if (status !== null)
      console.error(`${program} ended with status ${status}: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
  });
  return child;
}

/**
 * A test process that is killed outright runs no exit handler, so a shell of one line outlives it: the end of its
 * standard input is our death, and takes the component along.
 */
function reapWithUs(child: ChildProcess, pid: number): void {
  const script = 'trap "" INT TERM HUP; read -r _; kill -9 "$1"';
  const reaper = spawn('sh', ['-c', script, 'reaper', String(pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.once('exit', () => reaper.kill('SIGKILL'));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
