import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `npm start`, as a person runs it. */
export interface PlaygroundProcess {
  readonly link: string;
  stop(): Promise<void>;
}

/** Starts the playground and waits for the link that it prints. */
export async function startPlaygroundProcess(speed: number): Promise<PlaygroundProcess> {
  const main = join(import.meta.dirname, '..', '..', 'functions', 'local.ts');
  const child = spawn(process.execPath, [main, '--speed', String(speed)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: import.meta.dirname,
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
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
