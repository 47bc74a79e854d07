import { isObject, type Json, type JsonObject } from '../../handler.ts';
import { momentOf } from './moment.ts';

/** The name of a kind, as far as objects and lists carry it. */
export interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What stands where a Kubernetes object belongs. */
export type Shape =
  | {
      readonly is: 'object';
      readonly named: Named;
      readonly object: JsonObject;
      /** What is odd at first sight; the rest is for its kind's schema to say. Ends a sentence as `because` does. */
      readonly complaint: string | undefined;
    }
  | {
      readonly is: 'list';
      /** What its items are, where the list's own kind tells (`PodList`); undefined for the untyped `List`. */
      readonly of: Named | undefined;
      readonly items: readonly Json[];
      /** `metadata.at`: the moment that whoever wrote the list says it shows. */
      readonly at: Date | undefined;
      /** Whether the API server said that the list goes on elsewhere. */
      readonly isPart: boolean;
    }
  /** `because` ends a sentence that starts with the place. */
  | { readonly is: 'odd'; readonly because: string };

const odd = (because: string): Shape => ({ is: 'odd', because });

/** Tells objects from lists, and from what is neither. */
export function shapeOf(value: Json): Shape {
  if (!isObject(value)) return odd(`is ${article(value)} where an object belongs`);
  const { kind, items } = value;
  if (typeof kind !== 'string' || kind === '') return odd('has no kind');
  const isList = kind.endsWith('List') && items !== undefined;
  const apiVersion = value.apiVersion ?? (kind === 'List' ? 'v1' : '');
  if (typeof apiVersion !== 'string' || apiVersion === '') return odd(`is a ${kind} without an apiVersion`);
  if (isList) return listOf(value, { apiVersion, kind }, items);
  if (kind === 'Status' && apiVersion === 'v1') return odd(`is an answer of the API server: ${told(value)}`);
  const misshapen = ['metadata', 'spec', 'status'].find((part) => !isPart(value[part]));
  const complaint = misshapen && `is a ${kind} whose ${misshapen} is ${article(value[misshapen] ?? null)}`;
  return { is: 'object', named: { apiVersion, kind }, object: value, complaint };
}

/** What every kind has as an object, where it has it at all. */
const isPart = (part: Json | undefined) => part === undefined || part === null || isObject(part);

function listOf(value: JsonObject, { apiVersion, kind }: Named, items: Json): Shape {
  if (items !== null && !Array.isArray(items)) return odd(`is a ${kind} whose items are ${article(items)}`);
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const itself = { apiVersion, kind: kind.slice(0, -'List'.length) };
  const of = itself.kind === '' ? undefined : itself;
  // The items of a raw API answer name neither their kind nor its version: the list does.
  const isBare = (item: Json) => isObject(item) && item.kind === undefined && item.apiVersion === undefined;
  return {
    is: 'list',
    of,
    items: (items ?? []).map((item: Json) => (of && isObject(item) && isBare(item) ? { ...of, ...item } : item)),
    at: momentOf(metadata.at),
    isPart: typeof metadata.continue === 'string' && metadata.continue !== '',
  };
}

function article(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const told = ({ reason, message, code }: JsonObject) =>
  [code, reason, message]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ')
    .slice(0, 200);
