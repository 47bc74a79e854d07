import type { Mode } from '../../shared/handler.ts';
import { Lease, Namespace } from '../../shared/kinds.ts';
import { type Flavour, type Grant, grantOn, HOME, manifests, text } from './rbac.ts';

/** The Lease by which one of several watchers leads. */
const LEASE = 'gleaner-watcher';

/** Manifests of the account of the watcher in the cluster, which only follows what wakes a mode, and reads nothing besides. */
export function followerOf(flavour: Flavour, modes: readonly Mode[]): string {
  const wakes = modes.filter((mode) => mode.on === flavour).flatMap(({ triggers }) => triggers);
  const follow = grantOn(['list', 'watch']);
  const grants: Grant[] = [
    // Its uid is the cluster's id.
    grantOn(['get'])({ kind: Namespace, names: ['kube-system'] }),
    ...wakes.map(({ kind, where = {} }) => {
      const name = where.fields?.['metadata.name'];
      const { namespace } = where;
      return follow({
        kind,
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { names: [name] }),
      });
    }),
    grantOn(['get', 'patch'])({ kind: Lease, namespace: HOME, names: [LEASE] }),
    // RBAC cannot name what does not exist yet.
    grantOn(['create'])({ kind: Lease, namespace: HOME }),
  ];
  return text(manifests('gleaner-follower', unique(grants), ['gleaner-follower']), [
    `What the watcher in a ${flavour} cluster may do, from the triggers of handlers/*/handler.ts, and its own Lease.`,
    'A list or watch of a right with resourceNames passes only with the field selector metadata.name.',
  ]);
}

const unique = (grants: readonly Grant[]): Grant[] => [
  ...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values(),
];
