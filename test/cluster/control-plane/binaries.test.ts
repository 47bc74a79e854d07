import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binaryPaths, missingBinaries } from './binaries.ts';
import { buildControlPlane } from './build.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleaner-binaries-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the programs of the control plane', () => {
  it('are kept in the cache of the user, under a name that changes with what is pinned', () => {
    const paths = binaryPaths({ XDG_CACHE_HOME: folder });

    expect(paths.etcd).toMatch(new RegExp(`^${folder}/gleaner-control-plane/[0-9a-f]{16}/etcd$`));
    expect(paths['kube-apiserver']).toMatch(/[0-9a-f]{16}\/kube-apiserver$/);
  });

  it('come from KUBEBUILDER_ASSETS as far as that folder has them', () => {
    writeFileSync(join(folder, 'etcd'), '');
    const environment = { XDG_CACHE_HOME: join(folder, 'cache'), KUBEBUILDER_ASSETS: folder };

    const paths = binaryPaths(environment);

    expect(paths.etcd).toBe(join(folder, 'etcd'));
    expect(paths.kubectl).toContain(join(folder, 'cache'));
    expect(missingBinaries(environment)).not.toContain('etcd');
    expect(missingBinaries(environment)).toContain('kubectl');
  });

  it('are asked for in one line where there is no Go to build them', () => {
    writeFileSync(join(folder, 'etcd'), '');

    const said = buildControlPlane({ PATH: folder, XDG_CACHE_HOME: join(folder, 'cache'), KUBEBUILDER_ASSETS: folder });

    expect(said).toBe(
      'test:cluster needs Go 1.26 or newer, or KUBEBUILDER_ASSETS: ' +
        'a folder with kube-apiserver, kube-controller-manager, kube-scheduler, kubectl',
    );
  });
});
