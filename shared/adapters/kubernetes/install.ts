import * as z from 'zod';
import { isObject, type Json, type JsonObject, nameOf, type ObjectRef } from '../../objects.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Guard, Read } from '../../ports/cluster.ts';
import { type Access, box } from './access.ts';
import { type Answer, because, isAbsent, jsonOf } from './answer.ts';
import { discovery, pathOf, type Served } from './discovery.ts';
import { addressOf, idIn, SELF } from './introduce.ts';
import { patient } from './patience.ts';
import { guardedIn, placeOf, readObject } from './read-object.ts';
import { deleteRequest } from './touch-request.ts';
import { transport } from './transport.ts';

/** The label by which what was installed is known again. */
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const MANAGER = 'gleaner-connect';

/** What became of an object that is to stand there. `same`: it stood there so already. */
type Ensured =
  | { readonly is: 'made' | 'changed' | 'same' }
  /** Its namespace is not there. */
  | { readonly is: 'homeless' }
  /** Somebody else keeps it, such as Helm, and it is not as it is to be. */
  | { readonly is: 'kept-by'; readonly whom: string };

/** How far an account gets with the API server. `unreached`: nothing can be said of it from here. */
type Tried =
  | { readonly is: 'in'; readonly id: string }
  | { readonly is: 'out'; readonly because: string }
  | { readonly is: 'unreached'; readonly because: string };

/**
 * What an administrator sets up in a cluster by `gleaner connect`, on that person's order and with that person's rights:
 * Gleaner's own accounts, rights and Secrets, and nothing that was there before. A trial asks the API server the same
 * (`dryRun=All`) and changes nothing. Throws an Error of one line where the API server refuses or does not answer.
 */
export interface Installer {
  /** As whom the API server knows the caller. */
  who(): Promise<string>;
  /** Whether the caller is let in, and reads the cluster's id. */
  tried(): Promise<Tried>;
  read(ref: ObjectRef): Promise<Read>;
  /** Makes the object, or changes what differs from it; fields that it does not name stay as they are. */
  ensure(object: JsonObject, isTrial: boolean): Promise<Ensured>;
  /** What was installed, of one kind, in all namespaces. */
  installed(kind: { readonly apiVersion: string; readonly kind: string }): Promise<readonly JsonObject[]>;
  /** Removes what was installed, if it still is what was read. */
  remove(object: JsonObject, isTrial: boolean): Promise<void>;
  close(): void;
}

/** An installer with the identity of `access`. */
export function installer({ access, clock }: { readonly access: Access; readonly clock: Clock }): Installer {
  const way = transport({ servers: [addressOf(access.server)], box: box(access, clock), wall: clock });
  const reads = patient(way.send, clock);
  const find = discovery(reads, clock);

  async function servedOf(of: { apiVersion: string; kind: string }): Promise<Served> {
    const found = await find.find(of);
    if (found.is === 'served') return found.served;
    throw new Error(`${of.kind}: ${found.is === 'unknown' ? found.because : 'this cluster does not serve it'}`);
  }

  async function make(object: JsonObject, ref: ObjectRef, isTrial: boolean): Promise<Ensured> {
    const path = `${pathOf(await servedOf(ref), ref.namespace)}${strictly(isTrial)}`;
    const answer = await way.send({ method: 'POST', path, body: object });
    // The collection is served: what a create does not find is the namespace.
    if (answer.is === 'answered' && isAbsent(answer)) return { is: 'homeless' };
    return { is: 'made', ...done(answer, ref) };
  }

  async function change(object: JsonObject, ref: ObjectRef, guard: Guard, isTrial: boolean): Promise<Ensured> {
    const place = await placeOf(find, ref);
    if (place.is !== 'placed') throw new Error(`${nameOf(ref)} cannot be found any more: run it again`);
    const metadata = { ...(isObject(object.metadata) ? object.metadata : {}), ...guard };
    const path = `${place.path}${strictly(isTrial)}`;
    const contentType = 'application/merge-patch+json';
    const answer = await way.send({ method: 'PATCH', path, contentType, body: { ...object, metadata } });
    return { is: 'changed', ...done(answer, ref) };
  }

  return {
    async who() {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const answer = await way.send({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        body,
      });
      // Kubernetes serves it from 1.28 on.
      return (
        (answer.is === 'answered' && Review.safeParse(jsonOf(answer.body)).data?.status.userInfo.username) || 'you'
      );
    },
    async tried() {
      const answer = await way.send({ method: 'GET', path: SELF });
      if (answer.is !== 'answered') return { is: 'unreached', because: answer.because };
      const id = idIn(answer);
      return id === undefined ? { is: 'out', because: because(answer) } : { is: 'in', id };
    },
    read: (ref) => readObject(reads, find, ref),
    async ensure(wanted, isTrial) {
      const object = labelled(wanted);
      const ref = refOf(object);
      const read = await readObject(reads, find, ref);
      if (read.is === 'unreadable') throw new Error(read.because);
      if (read.is === 'absent') return make(object, ref, isTrial);
      const found = read.object;
      // A namespace is shared: that it is there is enough, whoever made it.
      if (ref.kind === 'Namespace') return living(found, ref);
      const keeper = keeperOf(found);
      if (keeper !== undefined && keeper !== MANAGER)
        return holds(found, wanted) ? { is: 'same' } : { is: 'kept-by', whom: keeper };
      return holds(found, object) ? living(found, ref) : change(object, ref, read.guard, isTrial);
    },
    async installed(kind) {
      const path = `${pathOf(await servedOf(kind))}?labelSelector=${encodeURIComponent(`${MANAGED_BY}=${MANAGER}`)}`;
      const answer = await reads({ method: 'GET', path });
      const items = answer.is === 'answered' ? List.safeParse(jsonOf(answer.body)).data?.items : undefined;
      if (!items) throw new Error(`${kind.kind}s cannot be listed: ${because(answer)}`);
      // Items of a list do not carry their kind.
      return items.flatMap((item) => (isObject(item) ? { ...item, ...kind } : []));
    },
    async remove(object, isTrial) {
      const [ref, guarded] = [refOf(object), guardedIn(object)];
      const place = await placeOf(find, ref);
      if (place.is === 'unreadable') throw new Error(place.because);
      if (place.is === 'absent' || !guarded) return;
      const answer = await way.send(deleteRequest(place.path, guarded.guard, isTrial));
      if (answer.is === 'answered' && isAbsent(answer)) return;
      done(answer, ref);
    },
    close: way.close,
  };
}

const Review = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });
const List = z.object({ items: z.array(z.record(z.string(), z.json())) });
const Named = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
});
const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) });

function refOf(object: JsonObject): ObjectRef {
  const { apiVersion, kind, metadata } = Named.parse(object);
  return { apiVersion, kind, ...metadata };
}

const keeperOf = (object: JsonObject) => Labelled.safeParse(object).data?.metadata.labels[MANAGED_BY];

function labelled(object: JsonObject): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const labels = isObject(metadata.labels) ? metadata.labels : {};
  return { ...object, metadata: { ...metadata, labels: { ...labels, [MANAGED_BY]: MANAGER } } };
}

const strictly = (isTrial: boolean) => `?fieldManager=${MANAGER}&fieldValidation=Strict${isTrial ? '&dryRun=All' : ''}`;

/** Whether an object says all that another says. Lists are one value, as in a merge patch. */
function holds(found: Json | undefined, wanted: Json): boolean {
  if (isObject(wanted))
    return isObject(found) && Object.entries(wanted).every(([key, value]) => holds(found[key], value));
  if (!Array.isArray(wanted)) return found === wanted;
  return (
    Array.isArray(found) && found.length === wanted.length && wanted.every((value, index) => holds(found[index], value))
  );
}

function living(found: JsonObject, ref: ObjectRef): Ensured {
  const isGoing = isObject(found.metadata) && typeof found.metadata.deletionTimestamp === 'string';
  if (isGoing) throw new Error(`${nameOf(ref)} is being deleted: run it again when it is gone`);
  return { is: 'same' };
}

/** Throws where a write is not known to have been done. */
function done(answer: Answer, ref: ObjectRef): object {
  if (answer.is === 'answered' && answer.code < 300) return {};
  const isUnknown = answer.is === 'lost' || (answer.is === 'answered' && (answer.code >= 500 || answer.code === 408));
  throw new Error(`${nameOf(ref)}: ${because(answer)}${isUnknown ? ' (it may have been done: run it again)' : ''}`);
}
