import { parseAllDocuments } from 'yaml';
import { applierOf, watcherOf } from '../../../infra/generate/rbac.ts';
import type { Hands } from '../../../shared/drill.ts';
import type { Mode } from '../../../shared/handler.ts';
import { type JsonObject, JsonValue } from '../../../shared/handler.ts';
import { isObject } from '../../../shared/objects.ts';
import type { Bed } from '../bed/start-bed.ts';

/** The account that looks and touches, as a client certificate names it. */
const ACCOUNT = 'system:serviceaccount:gleaner:gleaner-applier';

/** Applies the RBAC manifests that are generated from the modes' rights: Gleaner has these rights here, and no others. */
export async function grantRights(
  hands: Hands,
  flavour: 'harvester' | 'rancher',
  modes: readonly Mode[],
): Promise<void> {
  for (const text of [watcherOf(flavour, modes), applierOf(flavour, modes)]) {
    for (const document of parseAllDocuments(text)) {
      const object = JsonValue.parse(document.toJS());
      if (isObject(object)) await create(hands, object);
    }
  }
}

/** A role's namespace may be one that this cluster does without. */
async function create(hands: Hands, object: JsonObject): Promise<void> {
  const { namespace } = Object(object.metadata);
  if (namespace !== undefined) {
    await hands.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
  await hands.create(object);
}

/** A kubeconfig for Gleaner's account; `server`: another way to the API server, such as a proxy. */
export const gleanerKubeconfig = (bed: Bed, server?: string): string =>
  bed.kubeconfig(ACCOUNT, { groups: ['system:serviceaccounts'], ...(server !== undefined && { server }) });
