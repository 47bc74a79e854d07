import { cpus } from 'node:os';
import { missingBinaries } from '../cluster/control-plane/binaries.ts';
import { type Row, tableOf } from './table.ts';

interface Part {
  readonly what: string;
  /** Whether it needs the control plane's binaries. */
  readonly onControlPlane: boolean;
  /** It takes so long that it runs only where it is named. */
  readonly isLong?: boolean;
  run(): Promise<Row[]>;
}

/** The parts by name. Each loads what it needs when it runs, so that none weighs on another. */
const PARTS: Readonly<Record<string, Part>> = {
  reader: {
    what: 'the watch reader beside JSON.parse and the informer of client-node',
    onControlPlane: false,
    run: async () => (await import('./watch.ts')).watch(),
  },
  files: {
    what: 'diagnose of captured files beside parsing them',
    onControlPlane: false,
    run: async () => (await import('./files.ts')).files(),
  },
  interact: {
    what: 'clicks from Slack: acknowledgement over HTTP, and the start of their function',
    onControlPlane: false,
    run: async () => (await import('./interact.ts')).interact(),
  },
  crowd: {
    what: 'memory of the watch, and a live diagnose, beside 10,000 pods on a real API server',
    onControlPlane: true,
    run: async () => (await import('./crowd.ts')).crowd(),
  },
  watcher: {
    what: 'memory and CPU of the watcher out of its image, beside 500 nodes and 10,000 pods on a real API server',
    onControlPlane: true,
    run: async () => (await import('./watcher.ts')).watcher(),
  },
  cost: {
    what: 'what an incident and an idle cluster cost on AWS, at 1, 100 and 10,000 clusters',
    onControlPlane: false,
    run: async () => (await import('./cost.ts')).cost(),
  },
  scale: {
    what: 'a day of 10,000 clusters on one bus and store: work per incident, per idle cluster and per tick, early and late (half an hour)',
    onControlPlane: false,
    isLong: true,
    run: async () => (await import('./scale.ts')).scale(),
  },
  latency: {
    what: 'from a change to its proposal and from a decision to its write, on a real API server',
    onControlPlane: true,
    run: async () => (await import('./latency.ts')).latency(),
  },
};

/** `npm run bench [-- PART …]`: measures, and prints one table. A part that cannot run is named, with what it lacks. */
async function bench(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}: name some of ${Object.keys(PARTS)}`);
  const missing = missingBinaries();
  const rows: Row[] = [];
  const lacks: string[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length > 0 ? !wanted.includes(name) : part.isLong) continue;
    if (part.onControlPlane && missing.length > 0) {
      lacks.push(`${name} (${part.what}) was not run: ${missing.join(', ')} missing. ${HOW}`);
      continue;
    }
    console.error(`${name}: ${part.what}`);
    try {
      rows.push(...(await part.run()));
    } catch (error) {
      lacks.push(`${name} (${part.what}) did not end: ${error}`);
    }
  }
  const [{ model } = { model: 'unknown' }] = cpus();
  console.log(`${cpus().length} CPUs (${model}), Node ${process.version}`);
  if (rows.length > 0) console.log(tableOf(rows));
  for (const lack of lacks) console.log(lack);
  if (lacks.length > 0) process.exitCode = 1;
}

const HOW =
  'Build them with `node test/cluster/control-plane/build.ts` (needs Go), or name their folder in KUBEBUILDER_ASSETS.';

await bench(process.argv.slice(2));
