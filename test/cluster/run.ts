import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { buildControlPlane } from './control-plane/build.ts';

// `npm run test:cluster -- [--crds FILE] [whatever vitest understands]`
const passedOn = process.argv.slice(2);
const at = passedOn.indexOf('--crds');
const crds = at === -1 ? undefined : passedOn.splice(at, 2)[1];

const lack = buildControlPlane() ?? (at !== -1 && !crds ? '--crds needs the name of a file' : undefined);
if (lack) {
  console.error(lack);
  process.exitCode = 1;
} else {
  const root = resolve(import.meta.dirname, '../..');
  const vitest = resolve(root, 'node_modules/vitest/vitest.mjs');
  const ended = spawnSync(process.execPath, [vitest, 'run', '--project', 'cluster', ...passedOn], {
    cwd: root,
    stdio: 'inherit',
    env: crds ? { ...process.env, GLEANER_CRDS: resolve(crds) } : process.env,
  });
  process.exitCode = ended.status ?? 1;
}
