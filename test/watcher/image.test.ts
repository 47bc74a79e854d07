import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ENTRYPOINT } from '../../infra/watcher/image/files.ts';
import { ociArchive } from '../../infra/watcher/image/oci.ts';
import { type Entry, tar } from '../../infra/watcher/image/tar.ts';

const NAME = { reference: 'docker.io/library/gleaner-watcher:1.2.3', version: '1.2.3', architecture: 'amd64' } as const;
const long = `a/${'b'.repeat(90)}/${'c'.repeat(90)}`;
const ENTRIES: readonly Entry[] = [
  { path: 'app', mode: 0o555, content: 'folder' },
  { path: 'app/x.mjs', mode: 0o444, content: Buffer.from('x'.repeat(1_000)) },
  { path: 'app/empty', mode: 0o444, content: Buffer.alloc(0) },
  { path: 'app/link', mode: 0o777, content: { link: 'x.mjs' } },
  { path: long, mode: 0o555, content: Buffer.from('deep') },
];
const Descriptor = z.object({ digest: z.string(), size: z.number() });
const Index = z.object({ manifests: z.array(Descriptor.extend({ annotations: z.record(z.string(), z.string()) })) });
const Manifest = z.object({ config: Descriptor, layers: z.array(Descriptor) });
const Config = z.object({
  config: z.object({ User: z.string(), Entrypoint: z.array(z.string()) }),
  rootfs: z.object({ diff_ids: z.array(z.string()) }),
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-oci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function unpacked(archive: Buffer, ...flags: string[]): string {
  const into = mkdtempSync(join(folder, 'x-'));
  writeFileSync(join(folder, 'archive'), archive);
  execFileSync('tar', ['-x', ...flags, '-C', into, '-f', join(folder, 'archive')]);
  return into;
}

describe("The watcher's image", () => {
  it('is an archive that tar reads: files, folders, links and long paths', () => {
    const into = unpacked(tar(ENTRIES));

    expect(readFileSync(join(into, 'app/link'), 'utf8')).toBe('x'.repeat(1_000));
    expect(readFileSync(join(into, 'app/empty'), 'utf8')).toBe('');
    expect(readFileSync(join(into, long), 'utf8')).toBe('deep');
    expect(() => tar([{ path: 'x'.repeat(200), mode: 0, content: 'folder' }])).toThrow(/too long/);
  });

  it('is an OCI layout in which every digest and size is true', () => {
    const layout = unpacked(ociArchive(ENTRIES, NAME));
    const blob = ({ digest, size }: z.infer<typeof Descriptor>) => {
      const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
      expect([bytes.length, `sha256:${createHash('sha256').update(bytes).digest('hex')}`]).toEqual([size, digest]);
      return bytes;
    };

    const [entry] = Index.parse(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))).manifests;
    const manifest = Manifest.parse(JSON.parse(blob(entry ?? { digest: '', size: 0 }).toString()));
    const config = Config.parse(JSON.parse(blob(manifest.config).toString()));
    const layer = blob(manifest.layers[0] ?? { digest: '', size: 0 });

    expect(entry?.annotations['io.containerd.image.name']).toBe(NAME.reference);
    expect(config.config).toEqual({ User: '65532:65532', Entrypoint: ENTRYPOINT });
    expect(config.rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(tar(ENTRIES)).digest('hex')}`]);
    expect(readFileSync(join(unpacked(layer, '-z'), 'app/x.mjs'), 'utf8')).toHaveLength(1_000);
  });

  it('is the same bytes for the same files', () => {
    expect(ociArchive(ENTRIES, NAME).equals(ociArchive(ENTRIES, NAME))).toBe(true);
  });

  it('starts in the same way when an engine builds it from the Dockerfile', () => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'infra', 'watcher', 'image', 'Dockerfile'), 'utf8');

    expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)?.[1] ?? '')).toEqual(ENTRYPOINT);
    expect(text).toContain('USER 65532:65532');
  });
});
