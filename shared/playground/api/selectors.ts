import type { Json, JsonObject } from '../../handler.ts';
import { at, isObject, listAt, objectAt, textAt } from '../json.ts';
import type { Resource } from './resource.ts';
import { badRequest } from './status.ts';

export type Test = (object: JsonObject) => boolean;

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const SET = /^([\w./-]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const EQUALITY = /^([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)$/;

/** Reads `labelSelector` of a query. Throws a Refusal (400) for what is none. */
export function labelTest(text: string): Test {
  const requirements = text.trim() === '' ? [] : splitTerms(text).map(requirementOf);
  return (object) => {
    const labels = objectAt(object, 'metadata', 'labels');
    return requirements.every((requirement) => holds(labels, requirement));
  };
}

/** Splits at the commas that do not stand inside parentheses. */
const splitTerms = (text: string) => text.split(/,(?![^(]*\))/).map((term) => term.trim());

function requirementOf(term: string): Requirement {
  const [, setKey, setOperator, list] = SET.exec(term) ?? [];
  if (setKey !== undefined && list !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    return { key: setKey, operator: setOperator === 'in' ? 'In' : 'NotIn', values };
  }
  const [, key, operator, value] = EQUALITY.exec(term) ?? [];
  if (key !== undefined && value !== undefined) {
    return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] };
  }
  const [, not, name] = /^(!?)\s*([\w./-]+)$/.exec(term) ?? [];
  if (name === undefined) throw badRequest(`unable to parse requirement: found '${term}', expected: identifier`);
  return { key: name, operator: not ? 'DoesNotExist' : 'Exists', values: [] };
}

function holds(labels: JsonObject, { key, operator, values }: Requirement): boolean {
  const label = textAt(labels, key);
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'Gt':
      return Number(label) > Number(values[0]);
    case 'Lt':
      return Number(label) < Number(values[0]);
    default:
      return false;
  }
}

/** Whether labels are those of a `LabelSelector` object; an empty one selects everything, none selects nothing. */
export function selects(selector: Json | undefined, labels: JsonObject): boolean {
  if (!isObject(selector)) return false;
  const equal = Object.entries(objectAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value);
  return equal && matchesAll(listAt(selector, 'matchExpressions'), labels);
}

/** Whether labels hold every `matchExpressions` entry, of a label selector or a node selector term. */
export function matchesAll(expressions: readonly Json[], labels: JsonObject): boolean {
  return expressions.every((expression) => {
    const values = listAt(expression, 'values').map(String);
    return holds(labels, {
      key: textAt(expression, 'key') ?? '',
      operator: textAt(expression, 'operator') ?? '',
      values,
    });
  });
}

/** What can be selected by beside name and namespace (kubernetes pkg/registry, SelectableFields of each kind). */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  secrets: ['type'],
  jobs: ['status.successful'],
  replicasets: ['status.replicas'],
  events: [
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.uid',
    'reason',
    'type',
  ],
};

/** Reads `fieldSelector` of a query. Throws a Refusal (400) for a field that cannot be selected by. */
export function fieldTest(text: string, resource: Resource): Test {
  const own = resource.schema ? [] : (FIELDS[resource.plural] ?? []);
  const terms = (text.trim() === '' ? [] : text.split(',')).map((term) => {
    const [, field, operator, value] = /^([^=!]+?)(==|=|!=)(.*)$/.exec(term.trim()) ?? [];
    if (field === undefined || value === undefined)
      throw badRequest(`invalid selector: '${term}'; can't understand it`);
    const known = field === 'metadata.name' || (field === 'metadata.namespace' && resource.namespaced);
    if (!known && !own.includes(field)) throw badRequest(`field label not supported: ${field}`);
    return { path: field.split('.'), equal: operator !== '!=', value };
  });
  return (object) => terms.every(({ path, equal, value }) => (String(at(object, ...path) ?? '') === value) === equal);
}
