import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ENTRYPOINT, USER } from './files.ts';
import { type Entry, tar } from './tar.ts';

/** What an image is called, and for which machines it is. */
export interface ImageName {
  /** As `ctr images import` names it: `gleaner-watcher:0.1.0`. */
  readonly reference: string;
  readonly version: string;
  readonly architecture: 'amd64' | 'arm64';
}

const MEDIA = 'application/vnd.oci.image';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly bytes: Buffer;
}

function blob(mediaType: string, bytes: Buffer): Blob {
  return { mediaType: `${MEDIA}.${mediaType}`, digest: `sha256:${sha256(bytes)}`, size: bytes.length, bytes };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const descriptor = ({ mediaType, digest, size }: Blob) => ({ mediaType, digest, size });

/**
 * An image as one archive in the OCI layout (github.com/opencontainers/image-spec, image-layout.md), which
 * `ctr images import`, `docker load` and `skopeo copy oci-archive:` take. Equal files give equal bytes.
 */
export function ociArchive(files: readonly Entry[], { reference, version, architecture }: ImageName): Buffer {
  const plain = tar(files);
  const layer = blob('layer.v1.tar+gzip', gzipSync(plain, { level: 9 }));
  const config = blob(
    'config.v1+json',
    json({
      ...{ architecture, os: 'linux', created: '1970-01-01T00:00:00Z' },
      config: {
        ...{ User: `${USER}:${USER}`, Entrypoint: ENTRYPOINT, WorkingDir: '/', ExposedPorts: { '8080/tcp': {} } },
        Labels: { 'org.opencontainers.image.title': 'gleaner-watcher', 'org.opencontainers.image.version': version },
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(plain)}`] },
    }),
  );
  const manifest = blob(
    'manifest.v1+json',
    json({
      ...{ schemaVersion: 2, mediaType: `${MEDIA}.manifest.v1+json` },
      ...{ config: descriptor(config), layers: [descriptor(layer)] },
    }),
  );
  const annotations = { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': reference };
  const index = {
    ...{ schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json` },
    manifests: [{ ...descriptor(manifest), annotations, platform: { architecture, os: 'linux' } }],
  };
  const file = (path: string, content: Buffer): Entry => ({ path, mode: 0o644, content });
  return tar([
    file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
    file('index.json', json(index)),
    ...[config, manifest, layer].map(({ digest, bytes }) => file(`blobs/${digest.replace(':', '/')}`, bytes)),
  ]);
}
