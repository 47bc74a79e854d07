import { parseDocument } from 'yaml';
import type * as z from 'zod';
import { Config, type Tier, tierOf } from './config-schema.ts';
import { contradictions, type Known, problem } from './contradictions.ts';
import type { Risk } from './handler.ts';

export type { Config, Tier } from './config-schema.ts';
export { namesOf, personOf } from './people.ts';

/** A configuration, or every problem of the text at once, each as `key.path: sentence`. */
export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the text of a `gleaner.yaml`. Where the failure modes are known, and the clusters that it does not name itself, a
 * name in the policy that is none of them is a problem.
 */
export function readConfig(text: string, known: Known = {}): ReadConfig {
  const document = parseDocument(text);
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    return { ok: false, problems: faults.map(({ message }) => `it is no YAML: ${message.split('\n')[0]}`) };
  let yaml: unknown;
  try {
    yaml = document.toJS() ?? {};
  } catch (error) {
    return { ok: false, problems: [`it is no YAML: ${Object(error).message}`] };
  }
  const parsed = Config.safeParse(yaml);
  const problems = [...(parsed.error?.issues ?? []).flatMap(told), ...contradictions(Object(yaml), known)];
  return parsed.success && problems.length === 0 ? { ok: true, config: parsed.data } : { ok: false, problems };
}

function told(issue: z.core.$ZodIssue): string[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => problem([...path, key], 'there is no such key: check its spelling'));
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => problem(path, message));
  return [problem(path, issue.message)];
}

/** The policy for a plan of one risk tier, for one mode on one cluster (by its name in the file). */
export function policyFor({ policy }: Config, of: { cluster: string; mode: string; risk: Risk }): Tier {
  const override = policy.overrides.find(
    ({ clusters, modes }) => (clusters?.includes(of.cluster) ?? true) && (modes?.includes(of.mode) ?? true),
  );
  return tierOf(policy, of.risk, override);
}
