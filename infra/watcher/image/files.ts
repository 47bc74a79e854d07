import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './tar.ts';

/** Who runs in the image: nobody that a node knows, as in distroless images. */
export const USER = 65_532;
/** Where the watcher is, and Node. */
const APP = 'app';
const NODE = 'nodejs/bin/node';

/**
 * Node takes the place that it needs and no more: a young generation of megabytes is room that a watcher never uses, the
 * old one ends before the container's limit does, and machine code costs 20 MB to save 2 % of a core at 200 changes/s
 * (`--lite-mode`, https://v8.dev/blog/v8-lite; there is no WebAssembly then, and so no `fetch`, which the watcher does without).
 */
export const ENTRYPOINT = [
  `/${NODE}`,
  '--max-semi-space-size=1',
  '--max-old-space-size=160',
  '--lite-mode',
  `/${APP}/functions/watch.mjs`,
];

/**
 * Every file of the image: the watcher as it was bundled into `folder`, Node, and the C libraries that Node asks this
 * machine for. There is no shell, no package manager, and nothing that can be written.
 */
export function imageFiles(folder: string, node: string): Entry[] {
  const app = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
    .map((path) => fileOf(`${APP}/${path}`, join(folder, path), 0o444));
  const libraries = librariesOf(node).map((path) => fileOf(path.slice(1), realpathSync(path), 0o555));
  const passwd = `root:x:0:0:root:/:/none\nnonroot:x:${USER}:${USER}:nonroot:/:/none\n`;
  const written: Entry[] = [
    { path: 'etc/passwd', mode: 0o444, content: Buffer.from(passwd) },
    { path: 'etc/nsswitch.conf', mode: 0o444, content: Buffer.from('hosts: files dns\n') },
  ];
  const files = [...app, ...libraries, ...written, fileOf(NODE, node, 0o555)];
  return [...foldersOf(files), ...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const fileOf = (path: string, source: string, mode: number): Entry => ({ path, mode, content: readFileSync(source) });

/** The loader and the libraries of a program, as the loader finds them. */
function librariesOf(program: string): string[] {
  const said = execFileSync('ldd', [program], { encoding: 'utf8' });
  const paths = [...said.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path);
  const missing = paths.find((path) => !statSync(path, { throwIfNoEntry: false }));
  if (paths.length === 0 || missing)
    throw new Error(`The libraries of ${program} cannot be found: is it for this machine?`);
  return paths;
}

function foldersOf(files: readonly Entry[]): Entry[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1);
    parts.forEach((_, depth) => void folders.add(parts.slice(0, depth + 1).join('/')));
  }
  return [...folders].map((path) => ({ path, mode: 0o555, content: 'folder' }));
}
