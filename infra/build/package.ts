import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * `npm run build`: the JavaScript that `npm pack` ships, for Node strips no types inside `node_modules`. Only our own
 * code is put together. What it depends on stays a dependency: npm then patches and audits it, each licence stays with
 * its code, and the large SDKs are loaded only by the command that needs them.
 */
const root = join(import.meta.dirname, '..', '..');
const outdir = join(root, 'dist');

rmSync(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['functions/cli.ts'],
  outdir,
  bundle: true,
  packages: 'external',
  // Commands load their world when they run: the pieces must stay apart.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  legalComments: 'none',
  logLevel: 'warning',
});
