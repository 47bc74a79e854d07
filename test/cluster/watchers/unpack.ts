import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundleWatcher } from '../../../infra/watcher/image/bundle.ts';
import { ENTRYPOINT, imageFiles, USER } from '../../../infra/watcher/image/files.ts';

/** The files of the watcher's image in a folder of this machine. */
export interface Unpacked {
  readonly root: string;
  /** Puts a file where a volume of the pod would have it; only its owner, the image's user, can read it. */
  mount(path: string, text: string): void;
  /** How a process of the image is started: as its user, with nothing but its files where this machine's root starts it. */
  command(): { readonly program: string; readonly args: readonly string[]; readonly inside: (path: string) => string };
  remove(): void;
}

/** Unpacks the image as a container engine would: nothing in it can be written by whom it runs as. */
export async function unpackImage(): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-image-'));
  chmodSync(folder, 0o755);
  await bundleWatcher(join(folder, 'bundle'));
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const { path, mode, content } of imageFiles(join(folder, 'bundle'), process.execPath)) {
    const target = join(root, path);
    if (content === 'folder') mkdirSync(target, { recursive: true });
    else if (Buffer.isBuffer(content)) writeFileSync(target, content, { mode });
    else symlinkSync(content.link, target);
  }
  chmodSync(root, 0o555);
  const isRoot = process.getuid?.() === 0;
  const inside = (path: string) => (isRoot ? path : join(root, path));
  const [node = '', ...args] = ENTRYPOINT;
  return {
    root,
    mount(path, text) {
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text, { mode: 0o444 });
    },
    command: () =>
      isRoot
        ? { program: 'chroot', args: [`--userspec=${USER}:${USER}`, root, ...ENTRYPOINT], inside }
        : { program: join(root, node), args: args.map((arg) => (arg.startsWith('/') ? join(root, arg) : arg)), inside },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
