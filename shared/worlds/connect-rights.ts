import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import type { JsonObject } from '../handler.ts';
import type { Registered } from '../model.ts';

/** The namespace of everything that is Gleaner's in a cluster. */
export const HOME = 'gleaner';
/** The account that looks, and the one that looks and touches: whose rights are generated from the failure modes. */
const ACCOUNTS = { observe: 'gleaner-watcher', apply: 'gleaner-applier' } as const;
export type Account = (typeof ACCOUNTS)[keyof typeof ACCOUNTS];

/** As whom the functions reach a cluster in which they may do this. */
export const accountOf = (does: Registered['does']): Account => ACCOUNTS[does];

/** Every kind that is installed, the ones that give rights last to go. */
export const INSTALLED = [
  ...['RoleBinding', 'ClusterRoleBinding', 'Role', 'ClusterRole'].map((kind) => ({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind },
  })),
  ...['Secret', 'ServiceAccount'].map((kind) => ({ apiVersion: 'v1', kind })),
];

export const NAMESPACE: JsonObject = {
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name: HOME, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  subjects: z.array(z.looseObject({ name: z.string() })).optional(),
});

/**
 * The accounts and rights of a cluster, as the generated manifests beside this program have them. Only accounts that are
 * made are bound: no right waits for one that somebody else might create. Throws where the manifests are not there.
 */
export function rightsOf({ flavour, does }: Pick<Registered, 'flavour' | 'does'>): readonly JsonObject[] {
  const accounts = new Set<string>(does === 'apply' ? Object.values(ACCOUNTS) : [ACCOUNTS.observe]);
  const files = does === 'apply' ? ['watcher', 'applier'] : ['watcher'];
  const folder = manifests();
  const documents = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, `${flavour}-${file}.yaml`), 'utf8')).map((each) => each.toJS()),
  );
  return documents
    .map((document) => Manifest.parse(document))
    .filter(({ kind }) => kind !== 'Namespace')
    .map(({ subjects, ...object }) =>
      Json.parse({ ...object, ...(subjects && { subjects: subjects.filter(({ name }) => accounts.has(name)) }) }),
    );
}

const Json = z.record(z.string(), z.json());

/** The folder of the manifests: in a clone beside `shared/`, in the package beside `dist/`. */
function manifests(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'infra', 'watcher', 'rbac');
    if (existsSync(found)) return found;
  }
  throw new Error(
    'The manifests of infra/watcher/rbac are not beside this program: run it from a clone or the package',
  );
}
