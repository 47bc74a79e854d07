import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bed } from '../cluster/bed/start-bed.ts';
import { until } from '../cluster/bed/until.ts';
import { type Running, type WatchedBed, watchersOn } from '../cluster/watchers/watched-bed.ts';
import { crowdedBed, PODS } from './crowded-bed.ts';
import { megabytes, type Row } from './table.ts';

const NODES = 500;
const RATE = 200;
const SECONDS = 30;
const MEGABYTE = 1024 * 1024;
/** What the kernel counts CPU time in (`getconf CLK_TCK`). */
const TICKS = 100;

/** The watcher as it runs in a cluster, out of its image, beside a real API server with a crowd. */
export async function watcher(): Promise<Row[]> {
  const bed = await crowdedBed();
  try {
    await Promise.all(Array.from({ length: NODES }, (_, index) => bed.request('POST', '/api/v1/nodes', nodeOf(index))));
    const stage = await watchersOn(bed);
    const leader = await stage.start('leader');
    await until('it answers', async () => (await leader.page('/livez')).status === 200 || undefined);
    await pause(2_000);
    const idle = memoryOf(leader);
    await until('it leads and told every mode', () => observedIn(stage) >= 4 || undefined, { withinMs: 60_000 });
    await pause(15_000);
    const synced = memoryOf(leader);
    const load = await underLoad(bed, leader);
    return [
      {
        what: `watcher's RSS at ${NODES} nodes and ${PODS} pods of 7.6 KB, as in its image`,
        measured: `${megabytes(synced.rss)} (peak ${megabytes(synced.peak)})`,
        ...{ beside: `${megabytes(idle.rss)} once started`, ratio: synced.rss / idle.rss },
        ...{ aim: '<= 100 MB', holds: synced.rss <= 100 * MEGABYTE },
      },
      {
        what: `watcher's RSS after ${RATE} changes/s for ${SECONDS} s`,
        measured: `${megabytes(load.rss)} (peak ${megabytes(load.peak)})`,
        ...{ beside: `${megabytes(synced.rss)} before`, ratio: load.rss / synced.rss },
        ...{ aim: '<= 100 MB', holds: load.rss <= 100 * MEGABYTE },
      },
      {
        what: `watcher's CPU at ${Math.round(load.rate)} changes/s, one in ten of which matters`,
        measured: `${(load.cpu * 100).toFixed(1)} % of a core`,
        ...{ beside: '50m requested', ratio: load.cpu / 0.05, aim: '<= 10 %', holds: load.cpu <= 0.1 },
      },
    ];
  } finally {
    await bed.stop();
  }
}

const observedIn = ({ receiver }: Pick<WatchedBed, 'receiver'>) =>
  new Set(receiver.arrived.flatMap(({ fact }) => (fact.event === 'observed' ? [fact.mode] : []))).size;

/** A node as kubelet shows it, with the images that make most of its size. */
const nodeOf = (index: number) => ({
  metadata: { name: `node-${index}`, labels: { 'kubernetes.io/hostname': `node-${index}` } },
  status: {
    conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => condition(type, 'False', 0)),
    images: Array.from({ length: 50 }, (_, nth) => ({
      names: [
        `registry.local/rancher/image-${nth}@sha256:${'0'.repeat(64)}`,
        `registry.local/rancher/image-${nth}:v1.4.1`,
      ],
      sizeBytes: 100_000_000 + nth,
    })),
  },
});

const condition = (type: string, status: string, change: number) => ({
  ...{ type, status, reason: 'Kubelet', message: 'kubelet says so' },
  lastHeartbeatTime: new Date(1_764_000_000_000 + change * 1000).toISOString().replace(/\.\d+/, ''),
});

/** What kubelets do: heartbeats, and now and then a condition that changes. */
async function underLoad(bed: Bed, { child }: Running) {
  const before = cpuOf(child.pid ?? 0);
  const began = performance.now();
  let change = 0;
  const connection = async () => {
    while (performance.now() - began < SECONDS * 1000) {
      change += 1;
      const ahead = (change / RATE) * 1000 - (performance.now() - began);
      if (ahead > 0) await pause(ahead);
      const status = change % 10 === 0 && change % 20 === 0 ? 'True' : 'False';
      const conditions = [condition('MemoryPressure', change % 10 === 0 ? status : 'False', change)];
      await bed.request(
        'PATCH',
        `/api/v1/nodes/node-${change % NODES}/status`,
        { status: { conditions } },
        {
          'Content-Type': 'application/strategic-merge-patch+json',
        },
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, connection));
  const seconds = (performance.now() - began) / 1000;
  return { ...memoryOf({ child }), cpu: (cpuOf(child.pid ?? 0) - before) / seconds, rate: change / seconds };
}

function memoryOf({ child }: Pick<Running, 'child'>): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN);
  return { rss: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
}

/** The seconds that a process has computed, in all its threads (proc(5), fields 14 and 15). */
function cpuOf(pid: number): number {
  const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(after[11]) + Number(after[12])) / TICKS;
}
