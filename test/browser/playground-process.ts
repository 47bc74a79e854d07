import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** `npm start`, as a person runs it. */
export interface PlaygroundProcess {
  readonly link: string;
  /** Runs `gleaner …` beside it, as whoever runs it, and gives what that prints. */
  gleaner(...argv: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the playground and waits for the link that it prints. */
export async function startPlaygroundProcess(speed: number): Promise<PlaygroundProcess> {
  const functions = join(import.meta.dirname, '..', '..', 'functions');
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-browser-'));
  const state = ['--state', join(folder, 'gleaner.sqlite')];
  const child = spawn(process.execPath, [join(functions, 'local.ts'), '--speed', String(speed), ...state], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const link = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      const found = /Open (http:\S+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the playground ended with ${code}: ${said.join('\n')}`)));
  });
  return {
    link,
    async gleaner(...argv) {
      const told = await promisify(execFile)(process.execPath, [join(functions, 'cli.ts'), ...argv, ...state]);
      return told.stdout;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
