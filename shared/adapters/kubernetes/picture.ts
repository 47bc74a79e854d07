import type { Right, Rights, Where } from '../../handler.ts';
import { groupOf, type Kind, type Seen } from '../../objects.ts';
import type { Picture } from '../../ports/cluster.ts';
import type { Scene } from './scene.ts';
import type { Sight } from './sight.ts';

/**
 * What one mode may see of a scene. A kind that it does not declare is refused by a throw: that is a mistake of the
 * mode. What lies outside a declared namespace or name is not seen.
 */
export function pictureOf({ at, sight, log, probe, version }: Scene, rights: Rights): Picture {
  const rightsOn = (kind: Kind) => {
    const found = rights.read.filter((right) => isSame(right.kind, kind));
    if (found.length > 0) return found;
    throw new Error(`${nameOfKind(kind)} is read without being declared in \`rights.read\``);
  };
  return {
    at,
    async get(kind, { namespace, name }) {
      const isAllowed = rightsOn(kind).some((right) => mayGet(right, namespace, name));
      return isAllowed ? sight.get(kind, namespace, name) : undefined;
    },
    async list(kind, where = {}) {
      const allowed = rightsOn(kind);
      if (allowed.some(isWhole)) return sight.list(kind, where);
      const lists = await Promise.all(allowed.map((right) => listWithin(sight, kind, where, right)));
      return [...new Set(lists.flat())];
    },
    async captured(kind, namespace) {
      const allowed = rightsOn(kind).filter((right) => isWithin(right, namespace));
      if (allowed.length === 0) return false;
      if (!sight.wasAsked(kind, namespace)) {
        const where = namespace === undefined ? {} : { namespace };
        await Promise.all(allowed.map((right) => listWithin(sight, kind, where, right)));
      }
      return sight.isComplete(kind, namespace);
    },
    async log(pod, options) {
      if (rights.logs?.includes(pod.namespace)) return log(pod, options);
      throw new Error(`logs of the namespace ${pod.namespace} are read without being declared in \`rights.logs\``);
    },
    version,
    probe,
  };
}

const isSame = (a: Kind, b: Kind) => a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);

const nameOfKind = ({ kind, apiVersion }: Kind) => (groupOf(apiVersion) ? `${kind}.${groupOf(apiVersion)}` : kind);

const isWhole = ({ namespace, names }: Right) => namespace === undefined && names === undefined;

const isWithin = (right: Right, namespace: string | undefined) =>
  right.namespace === undefined || namespace === undefined || right.namespace === namespace;

const mayGet = (right: Right, namespace: string | undefined, name: string) =>
  (right.namespace === undefined || right.namespace === namespace) && (right.names?.includes(name) ?? true);

/** Lists what one right covers: RBAC refuses a wider list, also where nothing beyond it is there. */
async function listWithin<T extends Seen>(
  sight: Sight,
  kind: Kind<T>,
  where: Where,
  right: Right,
): Promise<readonly T[]> {
  if (!isWithin(right, where.namespace)) return [];
  const namespace = where.namespace ?? right.namespace;
  const inside: Where = { ...where, ...(namespace !== undefined && { namespace }) };
  if (!right.names) return sight.list(kind, inside);
  // "resourceNames": a list is allowed only with this selector (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources).
  const named = (name: string) => sight.list(kind, { ...inside, fields: { ...where.fields, 'metadata.name': name } });
  return (await Promise.all(right.names.map(named))).flat();
}
