import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../../../infra/build/functions.ts';

/** Below `node_modules`, so that git sees nothing of it. One for each process: files of tests run beside each other. */
const outdir = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', `gleaner-journeys-${process.pid}`);

process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));

let made: Promise<unknown> | undefined;

/** The entry of a function's bundle, made as for the stack. */
export async function bundleOf(name: string): Promise<string> {
  made ??= bundleFunctions(outdir);
  await made;
  return join(outdir, name, 'index.mjs');
}
