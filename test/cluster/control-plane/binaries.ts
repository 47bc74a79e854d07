import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The programs of a control plane, by the name they carry on disk. */
const binaryNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'] as const;
export type BinaryName = (typeof binaryNames)[number];

/** A Go module that pins some of the programs as tool dependencies. */
export interface Recipe {
  /** The folder that holds `go.mod` and `go.sum`. */
  readonly folder: string;
  /** Go package by program. */
  readonly packages: Readonly<Partial<Record<BinaryName, string>>>;
}

/** etcd has a module of its own: its requirements are at odds with those of Kubernetes. */
export const recipes: readonly Recipe[] = [
  { folder: join(import.meta.dirname, '..', 'etcd'), packages: { etcd: 'go.etcd.io/etcd/server/v3' } },
  {
    folder: import.meta.dirname,
    packages: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
    },
  },
];

/** Where the programs of a recipe are kept: outside the tree, under a name that changes with what is pinned. */
export function cacheFolder({ folder }: Recipe, environment = process.env): string {
  const pinned = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) pinned.update(readFileSync(join(folder, file)));
  const cache = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'gleaner-control-plane', pinned.digest('hex').slice(0, 16));
}

/**
 * Where each program is, or would be after `build.ts`. `KUBEBUILDER_ASSETS` wins for the programs that its folder has:
 * the usual envtest archive brings etcd, kube-apiserver and kubectl only.
 */
export function binaryPaths(environment = process.env): Record<BinaryName, string> {
  const given = environment.KUBEBUILDER_ASSETS;
  const at = (name: BinaryName): string => {
    if (given && existsSync(join(given, name))) return join(given, name);
    const recipe = recipes.find(({ packages }) => packages[name]);
    if (!recipe) throw new Error(`no recipe builds ${name}`);
    return join(cacheFolder(recipe, environment), name);
  };
  return {
    etcd: at('etcd'),
    'kube-apiserver': at('kube-apiserver'),
    'kube-controller-manager': at('kube-controller-manager'),
    'kube-scheduler': at('kube-scheduler'),
    kubectl: at('kubectl'),
  };
}

/** The programs that are not there yet. */
export function missingBinaries(environment = process.env): BinaryName[] {
  const paths = binaryPaths(environment);
  return binaryNames.filter((name) => !existsSync(paths[name]));
}
