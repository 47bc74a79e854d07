import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..', '..', '..');

/** Libraries that are CommonJS ask for Node's modules by `require`, which a module of today does not have. */
const REQUIRE = `import{createRequire as gleanerRequire}from'node:module';const require=gleanerRequire(import.meta.url);`;

/**
 * Has Node's own modules asked for as objects: `import` reads every name that they export, and so loads what some have
 * behind a getter (a WebSocket in node:http, Web Crypto in node:crypto), which weighs 15 MB and is not used.
 */
const LAZY: Plugin = {
  name: 'lazy builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === 'lazy' ? { path, external: true } : { path, namespace: 'lazy' },
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

/**
 * Puts the watcher together as one folder that needs Node and nothing else: `functions/watch.mjs`, the pieces that it
 * loads when it needs them, and the licences. What is not used is not loaded: the SDK of AWS, the reader of kubeconfigs.
 */
export async function bundleWatcher(folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { 'functions/watch': 'functions/watch.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, splitting: true, chunkNames: 'chunks/[name]-[hash]', metafile: true, minify: true },
    ...{ format: 'esm', platform: 'node', target: 'node24', legalComments: 'linked', logLevel: 'warning' },
    ...{ banner: { js: REQUIRE }, plugins: [LAZY] },
  });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return metafile;
}
