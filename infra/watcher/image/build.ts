import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { bundleWatcher } from './bundle.ts';
import { imageFiles } from './files.ts';
import { ociArchive } from './oci.ts';

/**
 * `node infra/watcher/image/build.ts [FOLDER]`: bundles the watcher and writes its image as an archive, without any
 * container engine: from the Node that runs this, and this machine's C library. Whoever has an engine takes the Dockerfile.
 */
const root = join(import.meta.dirname, '..', '..', '..');
const folder = process.argv[2] ?? join(root, 'dist', 'watcher');

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const architecture = z.enum(['amd64', 'arm64']).parse(process.arch === 'x64' ? 'amd64' : process.arch);
const bundle = join(folder, 'files');
await bundleWatcher(bundle);
const reference = `docker.io/library/gleaner-watcher:${version}`;
const archive = ociArchive(imageFiles(bundle, process.execPath), { reference, version, architecture });
mkdirSync(folder, { recursive: true });
const path = join(folder, `gleaner-watcher-${version}-linux-${architecture}.oci.tar`);
writeFileSync(path, archive);
console.log(`${path} (${Math.round(archive.length / 1024 / 1024)} MB): ctr -n k8s.io images import ${path}`);
