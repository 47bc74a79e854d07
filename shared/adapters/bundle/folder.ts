import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Warning } from '../../ports/source.ts';
import { BOUNDS, type Entry, type Tree, tooLarge } from './tree.ts';

/** A single file as a tree. */
export function fileTree(path: string, size: number, written: Date): Tree {
  const entry = entryOf(path, basename(path), size);
  return { kind: 'file', entries: [entry], warnings: [], written, close: async () => {} };
}

/** All regular files below a folder. Links and devices are named and left alone: an unpacked bundle is untrusted. */
export async function folderTree(path: string): Promise<Tree> {
  const entries: Entry[] = [];
  const warnings: Warning[] = [];
  let written = new Date(0);

  async function addFile(name: string): Promise<void> {
    const { size, mtime } = await stat(join(path, name));
    if (mtime > written) written = mtime;
    entries.push(entryOf(join(path, name), name, size));
  }

  async function add(item: Dirent, name: string, depth: number): Promise<void> {
    const isTooMuch = entries.length >= BOUNDS.entries || depth > BOUNDS.depth;
    if (isTooMuch && warnings.length > 10) return;
    if (isTooMuch) warnings.push({ where: name, because: 'was not read: it lies too deep, or is too much' });
    else if (item.isDirectory()) await walk(name, depth);
    else if (item.isFile()) await addFile(name);
    else warnings.push({ where: name, because: 'was not read: it is a link or a device, not a file' });
  }

  async function walk(below: string, depth: number): Promise<void> {
    const found = await readdir(join(path, below), { withFileTypes: true });
    for (const item of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!item.name.startsWith('.')) await add(item, below ? `${below}/${item.name}` : item.name, depth + 1);
    }
  }

  await walk('', 0);
  return { kind: 'folder', entries, warnings, written, close: async () => {} };
}

function entryOf(path: string, name: string, size: number): Entry {
  return {
    name,
    size,
    async read() {
      const because = tooLarge(size);
      if (because) throw new Error(because);
      return await readFile(path);
    },
    async tail(bytes) {
      await using file = await open(path);
      const length = Math.min(bytes, size);
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, size - length);
      return buffer.subarray(0, bytesRead);
    },
  };
}
