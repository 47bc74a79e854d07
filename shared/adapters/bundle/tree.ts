import type { Warning } from '../../ports/source.ts';

/** One file of what was given, whether it lies in a folder or in a zip. */
export interface Entry {
  /** The path below what was given, with slashes; the file's own name where a single file was given. */
  readonly name: string;
  /** In bytes, unpacked. */
  readonly size: number;
  /** The whole content; throws an Error that says why not. */
  read(): Promise<Buffer>;
  /** The last bytes of the content, at most so many. */
  tail(bytes: number): Promise<Buffer>;
}

/** The files of what was given. */
export interface Tree {
  readonly kind: 'file' | 'folder' | 'zip';
  readonly entries: readonly Entry[];
  readonly warnings: readonly Warning[];
  /** When what was given was last written. */
  readonly written: Date;
  close(): Promise<void>;
}

/** A tree, or why there is none: the rest of a sentence that starts with the path. */
export type Opening = { readonly ok: true; readonly tree: Tree } | { readonly ok: false; readonly because: string };

/**
 * What untrusted input may cost. A file is read whole and a JavaScript string ends at 512 MB, so a larger one is
 * refused rather than half read. Support bundles hold YAML of tens of MB that packs 10 to 40 times smaller.
 */
export const BOUNDS = {
  fileBytes: 256 * 1024 * 1024,
  totalBytes: 2 * 1024 * 1024 * 1024,
  entries: 100_000,
  depth: 16,
  /** How many times larger an entry of a zip may be than what it was packed to, beyond the first megabyte. */
  ratio: 200,
} as const;

export const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;

/** Why a file is too large to be read; undefined where it is not. */
export const tooLarge = (size: number) =>
  size > BOUNDS.fileBytes
    ? `is ${megabytes(size)}: files up to ${megabytes(BOUNDS.fileBytes)} are read; write one file per kind instead`
    : undefined;
