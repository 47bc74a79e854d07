import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { leavingOut } from './left-out.ts';

const root = join(import.meta.dirname, '..', '..');
/** Mains that are no functions of Lambda. */
const OTHERS = new Set(['cli', 'local', 'watch']);

/** The names of the functions: every main but the few that run elsewhere. */
const functionNames = (): string[] =>
  globSync('functions/*.ts', { cwd: root })
    .map((file) => basename(file, '.ts'))
    .filter((name) => !OTHERS.has(name))
    .sort();

/** Packages of CommonJS ask for Node's built-ins by `require`, which a module of ECMAScript lacks. */
const BANNER = "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);";

/**
 * Bundles each function for itself, minified, with the SDKs that it uses: what Lambda's runtime brings along is of
 * another version on another day. The maps stay beside the bundles and out of the archives.
 */
export async function bundleFunctions(outdir: string): Promise<ReadonlyMap<string, Metafile>> {
  rmSync(outdir, { recursive: true, force: true });
  const metafiles = new Map<string, Metafile>();
  for (const name of functionNames()) {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: { index: `functions/${name}.ts` },
      outdir: join(outdir, name),
      ...{ bundle: true, minify: true, metafile: true, format: 'esm', platform: 'node', target: 'node24' },
      // What only some deliveries need is loaded by them.
      ...{ splitting: true, chunkNames: 'chunks/[name]-[hash]', outExtension: { '.js': '.mjs' } },
      ...{ sourcemap: 'external', legalComments: 'none', logLevel: 'warning', banner: { js: BANNER } },
      mainFields: ['module', 'main'],
      alias: { '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'stubs', 'credentials.ts') },
      plugins: [leavingOut(root)],
    });
    metafiles.set(name, metafile);
    mkdirSync(outdir, { recursive: true });
    writeFileSync(join(outdir, `${name}.meta.json`), `${JSON.stringify(metafile)}\n`);
  }
  return metafiles;
}
