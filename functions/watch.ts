import { readFileSync } from 'node:fs';
import { runWatcher } from '../shared/worlds/watcher.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
try {
  await runWatcher(process.env, { version, out: process.stdout }, ending.signal);
  process.exit(0); // A kept connection is no reason to stay.
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
