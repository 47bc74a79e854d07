/** One entry of an archive: a file's bytes, a link's target, or a folder. */
export interface Entry {
  /** Without a slash at its beginning or end. */
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer | { readonly link: string } | 'folder';
}

const BLOCK = 512;

/** An uncompressed archive (POSIX ustar) owned by root, without times, so that equal entries are equal bytes. */
export function tar(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const body = Buffer.isBuffer(entry.content) ? entry.content : Buffer.alloc(0);
    return [header(entry, body.length), body, Buffer.alloc(-body.length & (BLOCK - 1))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06 */
function header({ path, mode, content }: Entry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const isFolder = content === 'folder';
  const [prefix, name] = split(isFolder ? `${path}/` : path);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0, 100, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(' '.repeat(8), 148, 'latin1');
  block.write(isFolder ? '5' : Buffer.isBuffer(content) ? '0' : '2', 156, 'latin1');
  if (typeof content === 'object' && 'link' in content) block.write(content.link, 157, 100, 'utf8');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345, 155, 'utf8');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** A path of more than 100 bytes has its beginning in a field of its own. Throws where even that is too short. */
function split(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  const at = path.lastIndexOf('/', 155);
  const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
  if (at < 0 || Buffer.byteLength(name) > 100)
    throw new Error(`The path ${path} is too long for an archive: shorten it`);
  return [prefix, name];
}
