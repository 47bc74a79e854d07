import { modes } from '../../handlers/index.ts';
import { openFiles } from '../adapters/bundle/open.ts';
import type { Readers } from '../cli/main.ts';

/** What `gleaner diagnose` looks with: every mode, the reader of files, and the reader of live clusters. */
export const readers = async (): Promise<Readers> => ({
  modes,
  openFiles,
  openCluster: async () => ({ ok: false, because: 'no reader of live clusters is built in yet: give PATH' }),
});
