import type { Json, JsonObject } from '../../handler.ts';
import { at, isObject, listAt, numberAt, objectAt, same, textAt, withField, withMetadata } from '../json.ts';
import { builtInFaults, immutableFaults, keepsStatus, withDefaults } from './defaults.ts';
import { type Answer, type Asked, isDryRun, objectOf } from './request.ts';
import { apiVersionOf, keyOf, type Resource } from './resource.ts';
import { faultsOf, shaped } from './schema.ts';
import { alreadyThere, badRequest, conflict, type Fault, invalid, modified, notFound, Refusal } from './status.ts';
import { idOf, type ObjectStore } from './store.ts';

/** What writes need beside the object. */
export interface Press {
  readonly store: ObjectStore;
  readonly now: () => Date;
  readonly uid: () => string;
  /** Five characters that end a generated name. */
  readonly suffix: () => string;
}

/** The moment as Kubernetes writes it: to the second. */
export const stamp = (now: Date) => `${now.toISOString().slice(0, 19)}Z`;

const DNS_NAME = /^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/;
const counts = ({ generation }: Resource) => generation;

/** POST of a collection. */
export function create(press: Press, asked: Asked): Answer {
  const { resource, query } = asked;
  const given = addressed(asked, objectOf(asked));
  const metadata = objectAt(given, 'metadata');
  if (textAt(metadata, 'resourceVersion')) {
    throw new Refusal(500, 'InternalError', 'resourceVersion should not be set on objects to be created');
  }
  const generated = textAt(metadata, 'generateName');
  const name = textAt(metadata, 'name') ?? (generated && `${generated}${press.suffix()}`);
  if (!name) throw badRequest('name or generateName is required');
  requireNamespace(press, asked);
  const born = withMetadata(given, {
    name,
    uid: press.uid(),
    creationTimestamp: stamp(press.now()),
    deletionTimestamp: undefined,
    generation: counts(resource) ? 1 : undefined,
  });
  const asAsked = resource.status && !keepsStatus(resource) ? withField(born, 'status', undefined) : born;
  const { object, warnings } = checked(resource, withDefaults(resource, asAsked), query, 400);
  const faults = DNS_NAME.test(name) ? builtInFaults(resource, object) : [badName(name)];
  if (faults.length > 0) throw invalid(resource, name, faults);
  if (press.store.get(keyOf(resource), idOf(object))) throw alreadyThere(resource, name);
  const stored = isDryRun(query.getAll('dryRun'))
    ? object
    : press.store.write(keyOf(resource), managed(press, asked, object));
  return { code: 201, body: inVersion(resource, stored), headers: warnings };
}

/** The object that a path names, in the version that was asked for. */
export function current({ store }: Press, { resource, namespace, name = '' }: Asked): JsonObject {
  const found = store.get(keyOf(resource), `${namespace ? `${namespace}/` : ''}${name}`);
  if (!found) throw notFound(resource, name);
  return inVersion(resource, found);
}

export function inVersion(resource: Resource, object: JsonObject): JsonObject {
  const apiVersion = apiVersionOf(resource);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** PUT, and the end of every PATCH: stores what was asked for in the place of `before`, as far as the path may change it. */
export function replace(press: Press, asked: Asked, before: JsonObject, wanted: JsonObject): Answer {
  const { resource, name = '', sub, query, method } = asked;
  const given = addressed(asked, wanted);
  requireSameVersion(asked, before, given);
  const uid = textAt(given, 'metadata', 'uid');
  const theUid = textAt(before, 'metadata', 'uid') ?? '';
  if (uid !== undefined && uid !== theUid) {
    if (method === 'PUT')
      throw conflict(resource, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${theUid}`);
    const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
    throw invalid(resource, name, [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message }]);
  }
  const { object, warnings } = checked(
    resource,
    mixed(resource, sub, before, given),
    query,
    method === 'PUT' ? 400 : 422,
  );
  const faults =
    sub === undefined
      ? [
          ...builtInFaults(resource, object),
          ...immutableFaults(resource, before, object),
          ...finalizerFaults(before, object),
        ]
      : [];
  if (faults.length > 0) throw invalid(resource, name, faults);
  // The API server writes nothing where nothing changes: the resourceVersion stays.
  if (same(object, before) || isDryRun(query.getAll('dryRun'))) return { code: 200, body: object, headers: warnings };
  const key = keyOf(resource);
  const stored = press.store.write(key, managed(press, asked, object));
  const isOver =
    textAt(stored, 'metadata', 'deletionTimestamp') && listAt(stored, 'metadata', 'finalizers').length === 0;
  // A pod's end is up to its kubelet, a namespace's up to its content.
  if (isOver && key !== '/namespaces' && numberAt(stored, 'metadata', 'deletionGracePeriodSeconds') === 0)
    press.store.remove(key, idOf(stored));
  return { code: 200, body: inVersion(resource, stored), headers: warnings };
}

/** What becomes of `before`: the status path changes the status alone, and the main path leaves it alone where there is a status path. */
function mixed(resource: Resource, sub: string | undefined, before: JsonObject, given: JsonObject): JsonObject {
  if (sub === 'status') return withField(before, 'status', at(given, 'status'));
  const after = resource.status ? withField(given, 'status', at(before, 'status')) : given;
  const fixed = [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generation',
    'resourceVersion',
    'managedFields',
  ];
  const kept = withMetadata(after, Object.fromEntries(fixed.map((field) => [field, at(before, 'metadata', field)])));
  const asks = (object: JsonObject) => {
    const { metadata: _, apiVersion: __, ...rest } = object;
    return resource.status ? withField(rest, 'status', undefined) : rest;
  };
  if (!counts(resource) || same(asks(kept), asks(before))) return kept;
  return withMetadata(kept, { generation: (numberAt(before, 'metadata', 'generation') ?? 0) + 1 });
}

/** Who wrote last, and when: the fields that each manager owns are not told. */
function managed({ now }: Press, { resource, sub, query }: Asked, object: JsonObject): JsonObject {
  const manager = query.get('fieldManager') ?? 'unknown';
  const others = listAt(object, 'metadata', 'managedFields').filter(
    (entry) => !isObject(entry) || entry.manager !== manager || (entry.subresource ?? undefined) !== sub,
  );
  const entry = {
    ...{ manager, operation: 'Update', apiVersion: apiVersionOf(resource), time: stamp(now()) },
    ...{ fieldsType: 'FieldsV1', fieldsV1: {}, ...(sub && { subresource: sub }) },
  };
  return withMetadata(object, { managedFields: [...others, entry] });
}

function requireSameVersion({ resource, name = '', method }: Asked, before: JsonObject, given: JsonObject): void {
  const version = textAt(given, 'metadata', 'resourceVersion');
  if (version && version !== textAt(before, 'metadata', 'resourceVersion')) throw conflict(resource, name, modified);
  if (!version && method === 'PUT' && !resource.unconditional) {
    const message = 'Invalid value: 0x0: must be specified for an update';
    throw invalid(resource, name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }]);
  }
}

/** The object with the path's namespace and its kind, where it agrees with both. */
function addressed({ resource, namespace, name }: Asked, object: JsonObject): JsonObject {
  const apiVersion = apiVersionOf(resource);
  for (const [field, expected] of [
    ['apiVersion', apiVersion],
    ['kind', resource.kind],
  ] as const) {
    const found = textAt(object, field);
    if (found && found !== expected)
      throw badRequest(`the ${field} in the data (${found}) does not match the expected ${field} (${expected})`);
  }
  const inBody = textAt(object, 'metadata', 'namespace');
  if (inBody && inBody !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const itsName = textAt(object, 'metadata', 'name');
  if (name !== undefined && itsName !== undefined && itsName !== name) {
    throw badRequest(`the name of the object (${itsName}) does not match the name on the URL (${name})`);
  }
  return withMetadata(
    { ...object, apiVersion, kind: resource.kind },
    { namespace, managedFields: undefined, ...(name && { name }) },
  );
}

function requireNamespace({ store }: Press, { resource, namespace }: Asked): void {
  if (!resource.namespaced || namespace === undefined) return;
  const there = store.get('/namespaces', namespace);
  if (!there)
    throw new Refusal(404, 'NotFound', `namespaces "${namespace}" not found`, { name: namespace, kind: 'namespaces' });
  if (textAt(there, 'metadata', 'deletionTimestamp')) {
    throw new Refusal(
      403,
      'Forbidden',
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
  }
}

/** Prunes, fills in and checks a custom resource; `strict` is the code of a refusal of unknown fields. */
function checked(
  resource: Resource,
  object: JsonObject,
  query: URLSearchParams,
  strict: number,
): { object: JsonObject; warnings: Record<string, string> } {
  const { schema, kind } = resource;
  if (!schema) return { object, warnings: {} };
  const unknown: string[] = [];
  const kept = shaped(schema, object, (path) => unknown.push(path));
  const told = unknown.map((path) => `unknown field "${path}"`);
  if (told.length > 0 && query.get('fieldValidation') === 'Strict') throw strictRefusal(resource, object, told, strict);
  const faults = faultsOf(schema, kept);
  if (faults.length > 0) throw invalid(resource, textAt(object, 'metadata', 'name') ?? kind, faults);
  const silent = told.length === 0 || query.get('fieldValidation') === 'Ignore';
  return {
    object: kept,
    warnings: silent ? {} : { warning: told.map((text) => `299 - "${text.replaceAll('"', '\\"')}"`).join(', ') },
  };
}

/** A patch is refused with the whole object in the text (apiserver pkg/endpoints/handlers/patch.go), other writes are not. */
function strictRefusal(resource: Resource, object: JsonObject, told: readonly string[], code: number): Refusal {
  const text = `strict decoding error: ${told.join(', ')}`;
  if (code === 400)
    return badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${text}`,
    );
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(object))}: ${text}`;
  return new Refusal(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}

const badName = (name: string): Fault => ({
  reason: 'FieldValueInvalid',
  field: 'metadata.name',
  message: `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
});

/** Once an object is being deleted, finalizers can only be taken away. */
function finalizerFaults(before: JsonObject, after: JsonObject): readonly Fault[] {
  const old: readonly Json[] = listAt(before, 'metadata', 'finalizers');
  const added = listAt(after, 'metadata', 'finalizers').filter((each) => !old.includes(each));
  const going = isObject(at(before, 'metadata')) && at(before, 'metadata', 'deletionTimestamp') !== undefined;
  if (!going || added.length === 0) return [];
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message }];
}
