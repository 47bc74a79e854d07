import type * as z from 'zod';
import { type Config, RISKS, SECTIONS, type Tier, tierOf } from './config-schema.ts';
import type { Principal } from './model.ts';
import { personOf } from './people.ts';

/** A problem of a configuration, as it is told. */
export const problem = (path: readonly PropertyKey[], message: string) =>
  `${path.map(String).join('.') || '(top)'}: ${message}`;

/** Names that a policy may use and the file does not tell. */
export interface Known {
  readonly modes?: readonly string[];
  readonly clusters?: readonly string[];
}

/** What no schema of one section sees. A section that cannot be read is left out: its own problems are told already. */
export function contradictions(yaml: Record<string, unknown>, known: Known): string[] {
  const people = part(SECTIONS.people, yaml.people);
  const clusters = part(SECTIONS.clusters, yaml.clusters);
  const policy = part(SECTIONS.policy, yaml.policy);
  const page = part(SECTIONS.page, yaml.page);
  return [
    ...(clusters ? clusterProblems(clusters) : []),
    ...(people ? peopleProblems(people, Object(yaml.people)) : []),
    ...(page ? pageProblems(page) : []),
    ...(policy && people ? policyProblems(policy, people) : []),
    ...(policy
      ? nameProblems(policy, [...(clusters ?? []).map(({ name }) => name), ...(known.clusters ?? [])], known)
      : []),
    ...(policy ? shadowed(policy) : []),
  ];
}

/** A section by its schema; one whose only fault is a misspelt key is read without that, so that its other problems are told, too. */
function part<S extends z.ZodType>(schema: S, raw: unknown): z.infer<S> | undefined {
  const read = schema.safeParse(raw);
  if (read.success || !read.error.issues.every(({ code }) => code === 'unrecognized_keys')) return read.data;
  const known = structuredClone(raw);
  for (const issue of read.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const at = issue.path.reduce<unknown>((value, key) => Object(value)[key], known);
    for (const key of issue.keys) Reflect.deleteProperty(Object(at), key);
  }
  return schema.safeParse(known).data;
}

function clusterProblems(clusters: Config['clusters']): string[] {
  return clusters.flatMap(({ name, kubeconfig, context }, index) => [
    ...(clusters.findIndex((one) => one.name === name) === index
      ? []
      : [problem(['clusters', index, 'name'], `there are two clusters ${name}`)]),
    ...(kubeconfig === undefined && clusters.findIndex((one) => one.kubeconfig === undefined) !== index
      ? [
          problem(
            ['clusters', index, 'kubeconfig'],
            'only one cluster can be the one around Gleaner: name a kubeconfig',
          ),
        ]
      : []),
    ...(kubeconfig === undefined && context !== undefined
      ? [problem(['clusters', index, 'context'], 'a context is one of a kubeconfig: name that, too')]
      : []),
  ]);
}

function peopleProblems(people: Config['people'], raw: object): string[] {
  const owners = new Map<string, string>();
  // A record drops this key, and with it a person whose names would then count as several people.
  const problems = Object.keys(raw)
    .filter((name) => name === '__proto__')
    .map((name) => problem(['people', name], 'this cannot be the name of a person'));
  for (const [person, principals] of Object.entries(people)) {
    for (const [index, principal] of principals.entries()) {
      const path = ['people', person, index];
      const other = owners.get(principal);
      if (other !== undefined)
        problems.push(problem(path, `${principal} is ${other} already: one principal is one person`));
      if (isGroup(principal)) problems.push(problem(path, `${principal} is a group, and no name of one person`));
      owners.set(principal, person);
    }
  }
  return problems;
}

const isGroup = (principal: Principal) => principal.startsWith('slack-group:');
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

function pageProblems({ host, tls, behindProxy }: Config['page']): string[] {
  if (isLoopback(host) || tls || behindProxy) return [];
  const message = `${host} is not loopback: give "tls", or say "behindProxy: true" where a proxy ends TLS and asks for a login`;
  return [problem(['page', 'host'], message)];
}

/** A quorum that the people who are named can never fill would let every card expire. */
function policyProblems(policy: Config['policy'], people: Config['people']): string[] {
  const unfillable = (path: readonly PropertyKey[], tier: Tier) => {
    const { approvers, quorum } = tier;
    const named = new Set(approvers.map((approver) => personOf({ people }, approver))).size;
    return approvers.length === 0 || approvers.some(isGroup) || named >= quorum
      ? []
      : [problem(path, `${quorum} people must approve and ${named} can: name more approvers, or set another quorum`)];
  };
  return RISKS.flatMap((risk) => [
    ...unfillable(['policy', risk], tierOf(policy, risk)),
    ...policy.overrides.flatMap((override, index) =>
      Object.keys(override[risk]).length === 0
        ? []
        : unfillable(['policy', 'overrides', index, risk], tierOf(policy, risk, override)),
    ),
  ]);
}

/** An override for a name that is misspelt would leave the looser policy in force. */
function nameProblems(policy: Config['policy'], clusters: readonly string[], { modes = [] }: Known): string[] {
  const unknown = (key: 'clusters' | 'modes', known: readonly string[]) =>
    policy.overrides.flatMap((override, index) =>
      (override[key] ?? []).flatMap((name, at) =>
        known.length === 0 || known.includes(name)
          ? []
          : [problem(['policy', 'overrides', index, key, at], `${name} is none of ${known.join(', ')}`)],
      ),
    );
  return [...unknown('clusters', clusters), ...unknown('modes', modes)];
}

/** An override behind one that fits wherever it does never holds: whoever wrote it means another policy to be in force. */
function shadowed({ overrides }: Config['policy']): string[] {
  const covers = (wide: readonly string[] | undefined, narrow: readonly string[] | undefined) =>
    wide === undefined || (narrow?.every((name) => wide.includes(name)) ?? false);
  return overrides.flatMap(({ clusters, modes }, index) => {
    const first = overrides.findIndex((one) => covers(one.clusters, clusters) && covers(one.modes, modes));
    if (first === index) return [];
    const because = `it never holds, for policy.overrides.${first} fits wherever it does: put the narrower one first`;
    return [problem(['policy', 'overrides', index], because)];
  });
}
