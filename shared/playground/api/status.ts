import type { Json, JsonObject } from '../../handler.ts';
import type { Resource } from './resource.ts';

/**
 * What the API server says instead of doing what was asked: a `Status` object with its HTTP code. Thrown anywhere
 * inside the pretend API server, and turned into the answer at its edge.
 */
export class Refusal extends Error {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: JsonObject;

  constructor(code: number, reason: string, message: string, details: JsonObject = {}, headers = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      details,
      code,
    };
  }
}

/** `ippools.loadbalancer.harvesterhci.io`; `pods` in the core group. */
const qualified = ({ plural, group }: Pick<Resource, 'plural' | 'group'>) => (group ? `${plural}.${group}` : plural);

const detailsOf = (resource: Resource, name: string): JsonObject => ({
  name,
  ...(resource.group && { group: resource.group }),
  kind: resource.plural,
});

export const notFound = (resource: Resource, name: string) =>
  new Refusal(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));

export const alreadyThere = (resource: Resource, name: string) =>
  new Refusal(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, detailsOf(resource, name));

export const conflict = (resource: Resource, name: string, because: string) =>
  new Refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${because}`,
    detailsOf(resource, name),
  );

export const modified = 'the object has been modified; please apply your changes to the latest version and try again';

/** One field that the object must not have, or must have otherwise. */
export interface Fault {
  readonly reason: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueNotSupported';
  readonly field: string;
  readonly message: string;
}

export function invalid(resource: Resource, name: string, faults: readonly Fault[]): Refusal {
  const causes: readonly Json[] = faults.map(({ reason, field, message }) => ({ reason, field, message }));
  const told = faults.map(({ field, message }) => `${field}: ${message}`);
  const text = told.length === 1 ? told[0] : `[${told.join(', ')}]`;
  return new Refusal(
    422,
    'Invalid',
    `${resource.kind}${resource.group ? `.${resource.group}` : ''} "${name}" is invalid: ${text}`,
    { ...detailsOf(resource, name), kind: resource.kind, causes },
  );
}

/** A patch that cannot be applied: apiserver pkg/endpoints/handlers/patch.go says no more than this, without causes. */
export const unpatchable = () =>
  new Refusal(422, 'Invalid', 'the server rejected our request due to an error in our request');

export const badRequest = (message: string) => new Refusal(400, 'BadRequest', message);

/** A path that nobody serves: plain text, as the API server's own mux answers. */
export class NoSuchPath extends Error {}
