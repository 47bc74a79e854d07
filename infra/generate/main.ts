import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mode } from '../../shared/handler.ts';
import { failureModes } from './failure-modes.ts';
import { followerOf } from './follower.ts';
import { applierOf, watcherOf } from './rbac.ts';
import { DRILLS, MODES, registryOf } from './registry.ts';

/**
 * `npm run generate`: writes what follows from the folders of `handlers/`. With `--check` it writes nothing, prints what
 * is stale and exits with 1.
 */
const root = join(import.meta.dirname, '..', '..');

const foldersWith = (file: string) =>
  globSync(`handlers/*/${file}`, { cwd: root })
    .map((path) => path.split('/')[1] ?? '')
    .filter((folder) => folder !== '_template');

async function modeIn(folder: string): Promise<Mode> {
  const { default: mode } = await import(join(root, 'handlers', folder, 'handler.ts'));
  if (mode?.id !== folder) throw new Error(`handlers/${folder}/handler.ts exports the mode "${mode?.id}" by default`);
  return mode;
}

/** Every generated file with its text, in the order in which they are written. */
async function generated(): Promise<Map<string, string>> {
  const folders = foldersWith('handler.ts').sort();
  const modes = await Promise.all(folders.map(modeIn));
  const rbac = (['harvester', 'rancher'] as const).flatMap((flavour): [string, string][] => [
    [`infra/watcher/rbac/${flavour}-follower.yaml`, followerOf(flavour, modes)],
    [`infra/watcher/rbac/${flavour}-watcher.yaml`, watcherOf(flavour, modes)],
    [`infra/watcher/rbac/${flavour}-applier.yaml`, applierOf(flavour, modes)],
  ]);
  return new Map([
    ['handlers/index.ts', registryOf(MODES, folders)],
    ['handlers/drills.ts', registryOf(DRILLS, foldersWith('drill.ts'))],
    ...rbac,
    ['docs/failure-modes.md', failureModes(join(root, 'handlers'), modes)],
  ]);
}

/** The first lines in which two texts differ. */
function difference(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const at = now.findIndex((line, n) => line !== old[n]);
  const from = at < 0 ? now.length : at;
  const marked = (mark: string, lines: readonly string[]) =>
    lines.slice(from, from + 5).map((line) => `${mark} ${line}`);
  return [`@@ line ${from + 1}`, ...marked('-', old), ...marked('+', now)].join('\n');
}

const isCheck = process.argv.includes('--check');
for (const [name, text] of await generated()) {
  const path = join(root, name);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (before === text) continue;
  if (isCheck) {
    console.log(`${name} is stale: run \`npm run generate\`\n${difference(before, text)}`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
