import { parseDocument } from 'yaml';
import * as z from 'zod';
import { type Duration, isDuration, milliseconds, type Risk } from './handler.ts';
import { Principal } from './model.ts';

/** A moment would make a card expire before it is read; what waits longer than a month, nobody waits for. */
const [SHORTEST, LONGEST] = ['1s', '30d'] as const;

const Span = z.string().transform((text, context): Duration => {
  if (!isDuration(text)) {
    context.addIssue({ code: 'custom', message: 'write a number and s, m, h or d, such as 30m' });
    return z.NEVER;
  }
  const ms = milliseconds(text);
  if (ms < milliseconds(SHORTEST) || ms > milliseconds(LONGEST))
    context.addIssue({ code: 'custom', message: `${text} is not between ${SHORTEST} and ${LONGEST}` });
  return text;
});

const Who = z
  .string()
  .refine((text) => Principal.safeParse(text).success, 'write slack:U…, slack-group:S…, local:NAME or hook:NAME');

/** Who decides on plans of one risk tier. No approvers means nobody. */
const Tier = z.strictObject({
  approvers: z.array(Who),
  /** How many distinct people. */
  quorum: z.number().int().min(1).max(10),
  reasonRequired: z.boolean(),
  /** After this long without a decision the answer is no. */
  expiry: Span,
  remind: Span,
});
export type Tier = z.infer<typeof Tier>;
const PartialTier = Tier.partial();

const RISKS = ['low', 'medium', 'high'] as const satisfies readonly Risk[];
const tiers = { low: PartialTier.default({}), medium: PartialTier.default({}), high: PartialTier.default({}) };

/** A policy for the clusters and modes that it names; the first that fits a plan is laid over the defaults. */
const Override = z.strictObject({
  clusters: z.array(z.string()).optional(),
  modes: z.array(z.string()).optional(),
  ...tiers,
});

const ClusterConfig = z.strictObject({
  name: z.string().min(1),
  /** Without one it is the cluster around Gleaner. */
  kubeconfig: z.string().min(1).optional(),
  context: z.string().min(1).optional(),
  /** Several addresses of one API server: the VIP may be down when it is needed. */
  servers: z
    .array(z.url({ protocol: /^https?$/, error: 'write an address such as https://10.0.0.11:6443' }))
    .default([]),
  /** `observe` proposes and touches nothing. */
  mode: z.enum(['observe', 'apply']).default('observe'),
});

/** `gleaner.yaml`. Unknown keys are refused, for they are typing errors. */
const SECTIONS = {
  clusters: z.array(ClusterConfig).default([]),
  /** Every name that a person goes by: one person counts once. */
  people: z.record(z.string().regex(/^[^:]+$/, 'the name of a person has no colon'), z.array(Who).min(1)).default({}),
  policy: z.strictObject({ ...tiers, overrides: z.array(Override).default([]) }).prefault({}),
  page: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(0),
      /** Who the page's link belongs to. */
      as: z
        .string()
        .regex(/^local:[^\s:]+$/, "write local:NAME: the page's link belongs to one person")
        .default('local:operator'),
      /** A proxy before the page ends TLS and asks for a login. */
      behindProxy: z.boolean().default(false),
      tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
    })
    .prefault({}),
  state: z.string().min(1).default('gleaner.sqlite'),
};
const Config = z.strictObject(SECTIONS);
export type Config = z.infer<typeof Config>;

/**
 * What a small team can keep: low-risk plans need one of the named people, medium ones a reason, high ones two people.
 * Nobody is named, so nobody may approve until somebody is.
 */
const DEFAULTS: Readonly<Record<Risk, Tier>> = {
  low: { approvers: [], quorum: 1, reasonRequired: false, expiry: '24h', remind: '4h' },
  medium: { approvers: [], quorum: 1, reasonRequired: true, expiry: '12h', remind: '2h' },
  high: { approvers: [], quorum: 2, reasonRequired: true, expiry: '4h', remind: '1h' },
};

/** A configuration, or every problem of the text at once, each as `key.path: sentence`. */
export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the text of a `gleaner.yaml`. Where the failure modes are known, a name that is none of them is a problem. */
export function readConfig(text: string, known: { modes?: readonly string[] } = {}): ReadConfig {
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
  const problems = [...(parsed.error?.issues ?? []).flatMap(told), ...contradictions(Object(yaml), known.modes)];
  return parsed.success && problems.length === 0 ? { ok: true, config: parsed.data } : { ok: false, problems };
}

const problem = (path: readonly PropertyKey[], message: string) =>
  `${path.map(String).join('.') || '(top)'}: ${message}`;

function told(issue: z.core.$ZodIssue): string[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => problem([...path, key], 'there is no such key: check its spelling'));
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => problem(path, message));
  return [problem(path, issue.message)];
}

/** What no schema of one section sees. A section that cannot be read is left out: its own problems are told already. */
function contradictions(yaml: Record<string, unknown>, modes: readonly string[] | undefined): string[] {
  const part = <S extends z.ZodType>(schema: S, raw: unknown) => schema.safeParse(raw).data;
  const people = part(SECTIONS.people, yaml.people);
  const clusters = part(SECTIONS.clusters, yaml.clusters);
  const policy = part(SECTIONS.policy, yaml.policy);
  const page = part(SECTIONS.page, yaml.page);
  return [
    ...(clusters ? clusterProblems(clusters) : []),
    ...(people ? peopleProblems(people, Object(yaml.people)) : []),
    ...(page ? pageProblems(page) : []),
    ...(policy && people ? policyProblems(policy, people) : []),
    ...(policy ? nameProblems(policy, clusters?.map(({ name }) => name) ?? [], modes ?? []) : []),
  ];
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
function nameProblems(policy: Config['policy'], clusters: readonly string[], modes: readonly string[]): string[] {
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

const tierOf = (policy: Config['policy'], risk: Risk, override?: Config['policy']['overrides'][number]): Tier => ({
  ...DEFAULTS[risk],
  ...policy[risk],
  ...override?.[risk],
});

/** The policy for a plan of one risk tier, for one mode on one cluster (by its name in the file). */
export function policyFor({ policy }: Config, of: { cluster: string; mode: string; risk: Risk }): Tier {
  const override = policy.overrides.find(
    ({ clusters, modes }) => (clusters?.includes(of.cluster) ?? true) && (modes?.includes(of.mode) ?? true),
  );
  return tierOf(policy, of.risk, override);
}

/** The person behind a principal; a principal that nobody claims is a person of its own. */
export function personOf({ people }: Pick<Config, 'people'>, principal: Principal): string {
  return Object.entries(people).find(([, principals]) => principals.includes(principal))?.[0] ?? principal;
}
