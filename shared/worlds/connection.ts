import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { type Connection, connectionFile, readConnection } from '../cli/connection.ts';
import { Grant, type Keep } from '../runtime/api-access.ts';

/** Nobody but who runs Gleaner may read it: it holds what decides in their name. */
const PRIVATE = { mode: 0o600, flag: 'wx' } as const;

/** Writes a file that only its owner can read, whole or not at all. */
function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, PRIVATE);
  renameSync(draft, file);
}

/**
 * Leaves beside the state where commands find this process. `yields`: another one that runs there keeps its place (a
 * playground has no state whose lock would keep them apart). The answer takes it away again; undefined: it yielded.
 */
export function leaveConnection(
  state: string,
  connection: Connection,
  { yields }: { yields: boolean },
): (() => void) | undefined {
  const file = connectionFile(state);
  const before = readConnection(file);
  if (yields && before.is === 'there' && isAlive(before.connection.pid)) return undefined;
  writePrivate(file, `${JSON.stringify(connection, null, 2)}\n`);
  return () => {
    const now = readConnection(file);
    if (now.is === 'there' && now.connection.token === connection.token) rmSync(file, { force: true });
  };
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return Object(error).code === 'EPERM';
  }
}

/** Keeps who may get in, as digests, beside the state. A file that cannot be read lets nobody in. */
export function keepBeside(state: string, warn: (because: string) => void): Keep {
  const file = `${state}-access`;
  return {
    load() {
      try {
        return z.array(Grant).parse(JSON.parse(readFileSync(file, 'utf8')));
      } catch (error) {
        if (Object(error).code !== 'ENOENT') warn(`${file} cannot be read: everybody must be invited again`);
        return [];
      }
    },
    save: (grants) => writePrivate(file, `${JSON.stringify(grants, null, 2)}\n`),
  };
}
