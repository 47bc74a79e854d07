import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import * as z from 'zod';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { connect } from '../../shared/adapters/kubernetes/connect.ts';
import { trigger } from '../../shared/handler.ts';
import { Pod } from '../../shared/kinds.ts';
import type { Watched } from '../../shared/ports/cluster.ts';
import { portOf, writeKubeconfig } from '../kubernetes/loopback.ts';
import { podOf } from './pods.ts';
import { median, type Row, tableOf } from './table.ts';

/** How many pods stand in the collection, and how many changes the watch brings. */
const PODS = 10_000;
const EVENTS = 20_000;
const ROUNDS = 5;
/** The pod whose appearance ends a run. */
const END = 'end';

const phases = trigger({
  kind: Pod,
  fields: ({ status }) => ({
    phase: status?.phase ?? null,
    conditions: status?.conditions.map(({ type, status: is }) => `${type}=${is}`) ?? [],
  }),
});

/** What one run measured: the seconds of CPU for all changes, which a busy machine does not change much, and the bytes of heap per object. */
const Measured = z.object({ seconds: z.number(), heap: z.number() });
type Measured = z.infer<typeof Measured>;

/** Every change has a new resourceVersion; one in `stride` changes a phase and conditions too, which rules read. */
function lineOf(index: number, stride: number): string {
  const phase = index % stride === 0 ? 1 + Math.floor(index / PODS) : 0;
  const object = { kind: 'Pod', apiVersion: 'v1', ...podOf(index % PODS, PODS + index + 1, phase) };
  return `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
}

const linesOf = (stride: number) => Array.from({ length: EVENTS }, (_, index) => lineOf(index, stride));

/** Serves the pods from a process of its own; the changes begin when a reader asks for `/begin`. */
async function serve(stride: number): Promise<void> {
  const items = Array.from({ length: PODS }, (_, index) => podOf(index, index + 1));
  const end = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: END, namespace: 'ns', uid: END, resourceVersion: '9' },
  };
  const events = Buffer.from(`${linesOf(stride).join('')}${JSON.stringify({ type: 'ADDED', object: end })}\n`);
  let watch: ServerResponse | undefined;
  let isAsked = false;
  // A reader may ask before its own watch has come.
  const bring = () => {
    if (!watch || !isAsked) return;
    isAsked = false;
    watch.write(events);
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server');
    response.setHeader('Content-Type', 'application/json');
    if (pathname === '/api/v1/pods' && searchParams.has('watch')) {
      watch = response.once('close', () => {
        watch = undefined;
      });
      response.flushHeaders();
      return bring();
    }
    if (pathname === '/begin') {
      isAsked = true;
      bring();
    }
    if (pathname.startsWith('/apis')) response.statusCode = 404;
    response.end(JSON.stringify(answerTo(pathname, searchParams, items)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.once('disconnect', () => process.exit());
  process.send?.({ port: portOf(server.address()) });
}

function answerTo(path: string, query: URLSearchParams, items: readonly object[]): unknown {
  switch (path) {
    case '/api/v1/pods': {
      const from = Number(query.get('continue') ?? 0);
      const limit = Number(query.get('limit') ?? PODS);
      const more = from + limit < PODS ? { continue: String(from + limit) } : {};
      const metadata = { resourceVersion: String(PODS), ...more };
      return { kind: 'PodList', apiVersion: 'v1', metadata, items: items.slice(from, from + limit) };
    }
    case '/api/v1':
      return { kind: 'APIResourceList', resources: [{ name: 'pods', kind: 'Pod', namespaced: true }] };
    case '/version':
      return { gitVersion: 'v1.26.0', minor: '26' };
    default:
      return { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'bench' } };
  }
}

function heapNow(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** The seconds that this process has computed, in all its threads. */
function secondsSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

/** Takes the heap between the list and the watch, when nothing but the cache is left; then times the changes. */
async function measure(server: string, before: number, listed: Promise<void>, last: Promise<void>): Promise<Measured> {
  await listed;
  const heap = (heapNow() - before) / PODS;
  const began = process.cpuUsage();
  await fetch(`${server}/begin`);
  await last;
  return { seconds: secondsSince(began), heap };
}

/** Ours: discovery, list, memory, the wake's fields. */
async function readerRun(kubeconfig: string, server: string): Promise<Measured> {
  const cluster = await connect({ kubeconfig, clock: systemClock });
  const before = heapNow();
  const [listed, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = new AbortController();
  const tell = (what: Watched) => {
    listed.resolve();
    if (what.is === 'changed' && what.objects[0]?.name === END) last.resolve();
  };
  const watching = cluster.watch([phases], tell, over.signal);
  const measured = await measure(server, before, listed.promise, last.promise);
  over.abort();
  await watching;
  return measured;
}

/** client-node's informer with its typed list, as its users write it. */
async function informerRun(kubeconfig: string, server: string): Promise<Measured> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  config.clusters = config.clusters.map((cluster) => ({ ...cluster, skipTLSVerify: true }));
  const api = config.makeApiClient(CoreV1Api);
  const before = heapNow();
  const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  const [listed, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let added = 0;
  informer.on('add', ({ metadata }) => {
    added += 1;
    if (added === PODS) listed.resolve();
    if (metadata?.name === END) last.resolve();
  });
  void informer.start();
  return measure(server, before, listed.promise, last.promise);
}

/** The limit: the same lines, in memory, through JSON.parse and nothing else. */
function parseRun(stride: number): Measured {
  const lines = linesOf(stride).map((line) => Buffer.from(line).toString());
  let types = 0;
  const began = process.cpuUsage();
  for (const line of lines) types += String(JSON.parse(line).type).length;
  const seconds = secondsSince(began);
  if (types !== EVENTS * 'MODIFIED'.length) throw new Error('the lines are not what was written');
  return { seconds, heap: 0 };
}

type Runs = Readonly<Record<'parse' | 'reader' | 'informer', Measured[]>>;

/** Each reader in a process of its own, in turns: a busy moment of the machine falls on all of them. */
async function compare(stride: number): Promise<Runs> {
  const child = fork(import.meta.filename, ['server', String(stride)]);
  const [said] = await once(child, 'message');
  const server = `http://127.0.0.1:${z.object({ port: z.number() }).parse(said).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bench-'));
  const kubeconfig = writeKubeconfig(folder, { server });
  const runs: Runs = { parse: [], reader: [], informer: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [what, measured] of Object.entries(runs)) {
      measured.push(await inProcess(what, String(stride), kubeconfig, server));
    }
  }
  child.kill();
  rmSync(folder, { recursive: true });
  return runs;
}

async function inProcess(...args: string[]): Promise<Measured> {
  const child = fork(import.meta.filename, args, { execArgv: ['--expose-gc'] });
  let said: unknown;
  child.on('message', (message) => {
    said = message;
  });
  await once(child, 'exit');
  return Measured.parse(said);
}

/** The rows of the bench's table. */
export async function watch(): Promise<Row[]> {
  const [usual, worst] = [await compare(10), await compare(1)];
  const heap = (runs: Runs, what: keyof Runs) => median(runs[what].map((run) => run.heap)) / 1000;
  const ours = heap(usual, 'reader');
  return [
    ...ratesOf('one change in ten matters', usual),
    ...ratesOf('every change matters', worst),
    {
      ...{ what: 'heap per cached object of 3.7 KB', measured: `${ours.toFixed(2)} KB`, holds: ours <= 0.6 },
      ...{ beside: `informer ${heap(usual, 'informer').toFixed(2)} KB`, aim: '<= 0.6 KB' },
    },
  ];
}

function ratesOf(which: string, runs: Runs): Row[] {
  const rate = (what: keyof Runs) => EVENTS / median(runs[what].map(({ seconds }) => seconds));
  const row = (beside: 'parse' | 'informer', name: string, aim: number): Row => {
    const ratio = rate('reader') / rate(beside);
    return {
      ...{
        what: `watch reader, ${which}`,
        measured: `${Math.round(rate('reader'))}/CPU s`,
        ratio,
        holds: ratio >= aim,
      },
      ...{ beside: `${name} ${Math.round(rate(beside))}/CPU s`, aim: `>= ${aim}` },
    };
  };
  return [row('parse', 'JSON.parse', 0.7), row('informer', "client-node's informer", 1.5)];
}

async function asChild([what = '', stride = '1', kubeconfig = '', server = '']: readonly string[]): Promise<void> {
  if (what === 'server') return serve(Number(stride));
  const measured =
    what === 'reader'
      ? await readerRun(kubeconfig, server)
      : what === 'informer'
        ? await informerRun(kubeconfig, server)
        : parseRun(Number(stride));
  process.send?.(measured, () => process.exit());
}

if (import.meta.main && process.send) await asChild(process.argv.slice(2));
else if (import.meta.main) console.log(tableOf(await watch()));
