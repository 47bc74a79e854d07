import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';

/** A function of the stack, as Lambda runs it: started when it is first invoked, and anew after it was cut off. */
export interface Lambda {
  /** Calls the handler. Throws what the handler threw, and where the function was cut off. */
  invoke(event: unknown): Promise<unknown>;
  /** Ends the process as it stands: what was under way is never heard of again. */
  cutOff(): Promise<void>;
  /** Whether an invocation is under way. */
  isBusy(): boolean;
  /** What it wrote on its standard output: its log. */
  readonly log: readonly string[];
}

export interface LambdaOptions {
  /** The bundle's entry. */
  readonly bundle: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds by which its clock is ahead, shared with every other function. */
  readonly shift: SharedArrayBuffer;
  /** Milliseconds that an invocation may take. */
  readonly timeout: number;
}

const Said = z.discriminatedUnion('is', [
  z.object({ id: z.number(), is: z.literal('returned'), value: z.json() }),
  z.object({ id: z.number(), is: z.literal('failed'), because: z.string() }),
]);

export function lambda({ bundle, env, shift, timeout }: LambdaOptions): Lambda {
  const log: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let invocations = 0;

  function start(): Worker {
    const started = new Worker(new URL('./execution-environment.ts', import.meta.url), {
      workerData: { bundle: pathToFileURL(bundle).href, shift },
      ...{ env: { ...env }, stdout: true, stderr: true },
    });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => log.push(...chunk.toString().split('\n').filter(Boolean)));
    started.on('message', (message: unknown) => {
      const said = Said.parse(message);
      const invocation = waiting.get(said.id);
      waiting.delete(said.id);
      if (said.is === 'returned') invocation?.resolve(said.value);
      else invocation?.reject(new Error(said.because));
    });
    started.on('error', (error) => void ended(String(error)));
    return started;
  }

  function ended(because: string): void {
    worker = undefined;
    for (const invocation of waiting.values()) invocation.reject(new Error(because));
    waiting.clear();
  }

  return {
    log,
    isBusy: () => waiting.size > 0,
    invoke(event) {
      worker ??= start();
      const id = ++invocations;
      const invocation = Promise.withResolvers<unknown>();
      waiting.set(id, invocation);
      worker.postMessage({ id, event, remaining: timeout });
      return invocation.promise;
    },
    async cutOff() {
      const ending = worker;
      ended('the function was cut off');
      await ending?.terminate();
    },
  };
}
