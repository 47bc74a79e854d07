import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';

/**
 * What Lambda is to one bundle: a process of its own with its own variables, which calls the handler with one event at a
 * time. Its machine's clock is the test's: windows and deadlines pass without waiting, timers are as they are.
 */
const { bundle, shift } = z.object({ bundle: z.url(), shift: z.instanceof(SharedArrayBuffer) }).parse(workerData);
const ahead = new BigInt64Array(shift);
const Machine = Date;
const now = () => Machine.now() + Number(Atomics.load(ahead, 0));

globalThis.Date = new Proxy(Machine, {
  construct: (machine, given, self) => Reflect.construct(machine, given.length === 0 ? [now()] : given, self),
  get: (machine, name) => (name === 'now' ? now : Reflect.get(machine, name)),
});

const Invocation = z.object({ id: z.number(), event: z.json(), remaining: z.number() });
const { handler } = z
  .object({
    handler: z.custom<(event: unknown, context: unknown) => Promise<unknown>>((it) => typeof it === 'function'),
  })
  .parse(await import(bundle));

parentPort?.on('message', async (message: unknown) => {
  const { id, event, remaining } = Invocation.parse(message);
  const until = performance.now() + remaining;
  const context = { awsRequestId: `request-${id}`, getRemainingTimeInMillis: () => until - performance.now() };
  try {
    parentPort?.postMessage({ id, is: 'returned', value: (await handler(event, context)) ?? null });
  } catch (error) {
    parentPort?.postMessage({ id, is: 'failed', because: String(error) });
  }
});
