import { modes } from '../../handlers/index.ts';
import { openFiles } from '../adapters/bundle/open.ts';
import { systemClock } from '../adapters/clock/system.ts';
import type { Readers } from '../cli/main.ts';

/** What `gleaner diagnose` looks with: every mode, the reader of files, and the reader of live clusters. */
export const readers = async (): Promise<Readers> => ({
  modes,
  openFiles,
  // Only who looks at a live cluster loads its reader.
  openCluster: async (options) =>
    (await import('../adapters/kubernetes/open.ts')).openCluster({ ...options, clock: systemClock }),
});
