import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import type { Bed } from '../cluster/bed/start-bed.ts';
import { crowdedBed, PODS } from './crowded-bed.ts';
import { packed } from './packed.ts';
import { median, megabytes, ms, type Row } from './table.ts';

const MEGABYTE = 1024 * 1024;
/** How often the whole process of a live diagnosis runs. */
const ROUNDS = 5;

/** What a real API server with a crowd of pods costs: the memory of who watches it, and a diagnosis of it. */
export async function crowd(): Promise<Row[]> {
  const bed = await crowdedBed();
  try {
    const kubeconfig = bed.kubeconfig('admin');
    return [...(await watching(bed, kubeconfig)), ...(await diagnosing(kubeconfig))];
  } finally {
    await bed.stop();
  }
}

const Weighed = z.object({ rss: z.number(), before: z.number(), synced: z.number(), peak: z.number() });

/** As it is shipped, and with a young generation that cannot grow, which tells how much of it is waste. */
async function watching(bed: Bed, kubeconfig: string): Promise<Row[]> {
  await using follower = await packed('test/bench/follower.ts');
  const rows: Row[] = [];
  for (const [how, execArgv] of [
    ['as packed', []],
    ['as packed, --max-semi-space-size=2', ['--max-semi-space-size=2']],
  ] as const) {
    const child = fork(follower.path, [kubeconfig, String(PODS)], { execArgv: [...execArgv] });
    bed.onStop(() => void child.kill());
    const [said] = await Promise.race([once(child, 'message'), failed(child)]);
    const { rss, before, synced, peak } = Weighed.parse(said);
    rows.push({
      what: `RSS of the watch of ${PODS} pods of 7.6 KB, ${how}`,
      measured: `${megabytes(rss)} (at sync ${megabytes(synced)}, peak ${megabytes(peak)})`,
      ...{ beside: `${megabytes(before)} once connected`, ratio: rss / before },
      ...{ aim: '<= 100 MB', holds: rss <= 100 * MEGABYTE },
    });
  }
  return rows;
}

async function failed(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`The child process ended (${code ?? signal}) before it said anything`);
}

/** The whole process, as a person calls it from a clone, and as it is shipped. Its peak is what the kernel tells of it. */
async function diagnosing(kubeconfig: string): Promise<Row[]> {
  await using cli = await packed('functions/cli.ts');
  return [
    ...(await diagnosingBy('from a clone', 'functions/cli.ts', kubeconfig)),
    ...(await diagnosingBy('as packed', cli.path, kubeconfig)),
  ];
}

async function diagnosingBy(how: string, program: string, kubeconfig: string): Promise<Row[]> {
  const [ours, idle]: { ms: number; peak: number }[][] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    idle?.push(await costOf([program, '--version']));
    ours?.push(await costOf([program, 'diagnose', '--kubeconfig', kubeconfig, '-o', 'json']));
  }
  const typical = (what: 'ms' | 'peak', of: typeof ours = []) => median(of.map((one) => one[what]));
  const [time, empty, peak, least] = [
    typical('ms', ours),
    typical('ms', idle),
    typical('peak', ours),
    typical('peak', idle),
  ];
  const what = `live diagnose beside ${PODS} unrelated pods, ${how}`;
  return [
    {
      ...{ what: `${what}: whole process`, measured: ms(time), beside: `${ms(empty)} gleaner --version` },
      ...{ ratio: time / empty, aim: '< 1 s', holds: time < 1_000 },
    },
    {
      ...{ what: `${what}: peak RSS`, measured: megabytes(peak), beside: `${megabytes(least)} gleaner --version` },
      ...{ ratio: peak / least, aim: '< 150 MB', holds: peak < 150 * MEGABYTE },
    },
  ];
}

/** Says on file descriptor 3 how many kilobytes the process took at most. */
const PEAK = `data:text/javascript,import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))`;

async function costOf(args: readonly string[]): Promise<{ ms: number; peak: number }> {
  const began = performance.now();
  const cwd = join(import.meta.dirname, '..', '..');
  const child = spawn(process.execPath, ['--import', PEAK, ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let [kilobytes, trouble] = ['', ''];
  child.stdio[3]?.on('data', (bytes) => (kilobytes += String(bytes)));
  child.stderr?.on('data', (bytes) => (trouble += String(bytes)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`gleaner ${args.slice(1).join(' ')} ended with ${code}: ${trouble}`);
  return { ms: performance.now() - began, peak: Number(kilobytes) * 1024 };
}
