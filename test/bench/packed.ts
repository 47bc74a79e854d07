import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..', '..');
/** Below `node_modules`, so that what is not put together is still found, and git sees nothing of it. */
const outdir = join(root, 'node_modules', '.cache', 'gleaner-bench');

/** An entry as `npm pack` would ship it (see infra/build/package.ts), and how to throw it away. */
export async function packed(entry: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = join(outdir, basename(entry, '.ts'));
  await build({
    ...{
      absWorkingDir: root,
      entryPoints: [entry],
      outdir: folder,
      bundle: true,
      packages: 'external',
      splitting: true,
    },
    ...{ format: 'esm', platform: 'node', target: 'node24', legalComments: 'none', logLevel: 'warning' },
  });
  // The command line reads its version from the folder above its own.
  copyFileSync(join(root, 'package.json'), join(outdir, 'package.json'));
  return {
    path: join(folder, `${basename(entry, '.ts')}.js`),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
