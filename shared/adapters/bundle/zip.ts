import { getFileNameLowLevel, openPromise, validateFileName, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import type { Warning } from '../../ports/source.ts';
import { BOUNDS, type Entry, megabytes, type Opening, tooLarge } from './tree.ts';

/** The files of a zip, read on demand from where they lie in it: nothing is unpacked to disk, nor held as a whole. */
export async function zipTree(path: string, written: Date): Promise<Opening> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch (error) {
    return { ok: false, because: `is no readable zip: ${messageOf(error)}` };
  }
  const entries = new Map<string, Entry>();
  const warnings: Warning[] = [];
  const spent = { bytes: 0 };
  try {
    if (zip.entryCount > BOUNDS.entries) throw new Error(`it holds ${zip.entryCount} entries, more than are read`);
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      const because = refusal(entry, name, entries);
      if (because) warnings.push({ where: name, because: `was not read: ${because}` });
      else if (!name.endsWith('/')) entries.set(name, entryOf(zip, entry, name, spent));
    }
  } catch (error) {
    if (entries.size === 0) {
      zip.close();
      return { ok: false, because: `is no readable zip: ${messageOf(error)}` };
    }
    warnings.push({ where: 'the zip', because: `its list of files could not be read to its end: ${messageOf(error)}` });
  }
  const tree = { kind: 'zip', entries: [...entries.values()], warnings, written } as const;
  return { ok: true, tree: { ...tree, close: async () => zip.close() } };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const nameOf = (entry: ZipEntry) =>
  getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);

function refusal(entry: ZipEntry, name: string, known: ReadonlyMap<string, Entry>): string | undefined {
  const invalid = validateFileName(name);
  if (invalid) return `its name leads out of the zip (${invalid.slice(0, 120)})`;
  if (entry.isEncrypted()) return 'it is encrypted';
  if (!entry.canDecodeFileData()) return 'it is packed in a way that is not known';
  if (known.has(name)) return 'the zip holds another file of that name';
  const { compressedSize, uncompressedSize } = entry;
  const ratio = uncompressedSize / Math.max(1, compressedSize);
  if (uncompressedSize > 1024 * 1024 && ratio > BOUNDS.ratio)
    return `it would unpack to ${Math.round(ratio)} times its size (${megabytes(uncompressedSize)}), as a zip bomb does`;
  return undefined;
}

function entryOf(zip: ZipFile, entry: ZipEntry, name: string, spent: { bytes: number }): Entry {
  const size = entry.uncompressedSize;

  async function last(bytes: number): Promise<Buffer> {
    const stream = await zip.openReadStreamPromise(entry);
    const chunks: Buffer[] = [];
    let held = 0;
    // yauzl ends the stream with an error where more or fewer bytes come out than the zip's list says.
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      held += chunk.length;
      for (let first = chunks[0]; first && held - first.length >= bytes; first = chunks[0]) {
        held -= first.length;
        chunks.shift();
      }
    }
    return Buffer.concat(chunks).subarray(Math.max(0, held - bytes));
  }

  return {
    name,
    size,
    async read() {
      const because = tooLarge(size);
      if (because) throw new Error(because);
      spent.bytes += size;
      if (spent.bytes > BOUNDS.totalBytes) throw new Error(`was not read: the zip unpacks to more than is read`);
      return await last(BOUNDS.fileBytes);
    },
    tail: last,
  };
}
