import type { Where } from '../../handler.ts';
import { isObject, type Json, type JsonObject } from '../../objects.ts';

/** The query parameters by which the API server selects; the namespace stands in the path. */
export function selectorsOf({ labels = {}, fields = {} }: Where): Record<string, string> {
  const join = (all: Readonly<Record<string, string>>) =>
    Object.entries(all)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}=${escaped(value)}`)
      .join(',');
  const [labelSelector, fieldSelector] = [join(labels), join(fields)];
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}

/** k8s.io/apimachinery fields.EscapeValue; a label's value holds none of these characters. */
const escaped = (value: string) => value.replace(/[\\,=]/g, (character) => `\\${character}`);

/** A query of the parameters that have a value. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return query.toString();
}

/** The same selection by ourselves, for an object that was read by its name or without selectors. */
export function isSelected(object: JsonObject, { namespace, labels = {}, fields = {} }: Where): boolean {
  const at = (path: readonly string[]) =>
    path.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), object);
  return (
    (namespace === undefined || at(['metadata', 'namespace']) === namespace) &&
    Object.entries(labels).every(([key, value]) => at(['metadata', 'labels', key]) === value) &&
    Object.entries(fields).every(([path, value]) => String(at(path.split('.')) ?? '') === value)
  );
}
