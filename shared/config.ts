import { parse, YAMLParseError } from 'yaml';
import * as z from 'zod';
import { type Duration, isDuration, type Risk } from './handler.ts';
import { Principal } from './model.ts';

const Span = z
  .string()
  .refine(isDuration, 'write a number and s, m, h or d, such as 30m')
  .transform((text): Duration => (isDuration(text) ? text : '0s'));

/** Who decides on plans of one risk tier. */
const Tier = z.strictObject({
  approvers: z.array(Principal),
  quorum: z.number().int().min(1).max(10),
  reasonRequired: z.boolean(),
  expiry: Span,
  remind: Span,
});
export type Tier = z.infer<typeof Tier>;
const PartialTier = Tier.partial();

/** A tier's policy for the clusters and modes that it names; the first that fits a plan is laid over the defaults. */
const Override = z.strictObject({
  clusters: z.array(z.string()).optional(),
  modes: z.array(z.string()).optional(),
  low: PartialTier.optional(),
  medium: PartialTier.optional(),
  high: PartialTier.optional(),
});

const ClusterConfig = z.strictObject({
  name: z.string().min(1),
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
  /** Several addresses of one API server: the VIP may be down when it is needed. */
  servers: z.array(z.url()).default([]),
  /** `observe` proposes and touches nothing. */
  mode: z.enum(['observe', 'apply']).default('observe'),
});

/**
 * What a small team can keep: low-risk plans need one of the named people, medium ones a reason, high ones two people.
 * Nobody is named, so nobody may approve until somebody is.
 */
const DEFAULTS: Readonly<Record<Risk, Omit<Tier, 'approvers'>>> = {
  low: { quorum: 1, reasonRequired: false, expiry: '24h', remind: '4h' },
  medium: { quorum: 1, reasonRequired: true, expiry: '12h', remind: '2h' },
  high: { quorum: 2, reasonRequired: true, expiry: '4h', remind: '1h' },
};

/** `gleaner.yaml`. Unknown keys are refused, for they are typing errors. */
const Config = z
  .strictObject({
    clusters: z.array(ClusterConfig).default([]),
    /** Every name that a person goes by: one person counts once. */
    people: z.record(z.string(), z.array(Principal).min(1)).default({}),
    policy: z
      .strictObject({
        low: PartialTier.default({}),
        medium: PartialTier.default({}),
        high: PartialTier.default({}),
        overrides: z.array(Override).default([]),
      })
      .default({ low: {}, medium: {}, high: {}, overrides: [] }),
    page: z
      .strictObject({
        host: z.string().default('127.0.0.1'),
        port: z.number().int().min(0).max(65_535).default(0),
        /** Who the page's link belongs to. */
        as: Principal.default('local:operator'),
        /** A proxy before the page ends TLS and asks for a login. */
        behindProxy: z.boolean().default(false),
        tls: z.strictObject({ cert: z.string(), key: z.string() }).optional(),
      })
      .prefault({}),
    state: z.string().default('gleaner.sqlite'),
  })
  .superRefine(consistent);
export type Config = z.infer<typeof Config>;

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

function consistent(
  config: {
    clusters: { name: string }[];
    people: Record<string, string[]>;
    page: { host: string; behindProxy: boolean; tls?: unknown };
  },
  context: z.RefinementCtx,
): void {
  const problem = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
  const { clusters, people, page } = config;
  for (const [index, { name }] of clusters.entries()) {
    if (clusters.findIndex((one) => one.name === name) !== index)
      problem(['clusters', index, 'name'], `there are two clusters ${name}`);
  }
  const owners = new Map<string, string>();
  for (const [person, principals] of Object.entries(people)) {
    for (const [index, principal] of principals.entries()) {
      const other = owners.get(principal);
      if (other !== undefined)
        problem(['people', person, index], `${principal} is ${other} already: one principal is one person`);
      owners.set(principal, person);
    }
  }
  if (!LOOPBACK.has(page.host) && !page.tls && !page.behindProxy) {
    problem(
      ['page', 'host'],
      `${page.host} is not loopback: give "tls", or say "behindProxy: true" where a proxy ends TLS and asks for a login`,
    );
  }
}

/** A configuration, or every problem of the text at once, each with its key's path. */
export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the text of a `gleaner.yaml`. */
export function readConfig(text: string): ReadConfig {
  let yaml: unknown;
  try {
    yaml = parse(text) ?? {};
  } catch (error) {
    const [line] = (error instanceof YAMLParseError ? error.message : String(error)).split('\n');
    return { ok: false, problems: [`it is no YAML: ${line}`] };
  }
  const parsed = Config.safeParse(yaml);
  if (parsed.success) return { ok: true, config: parsed.data };
  return {
    ok: false,
    problems: parsed.error.issues.map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`),
  };
}

/** The policy for a plan of one risk tier, for one mode on one cluster. */
export function policyFor({ policy }: Config, of: { cluster: string; mode: string; risk: Risk }): Tier {
  const override = policy.overrides.find(
    ({ clusters, modes }) => (clusters?.includes(of.cluster) ?? true) && (modes?.includes(of.mode) ?? true),
  );
  return { approvers: [], ...DEFAULTS[of.risk], ...policy[of.risk], ...override?.[of.risk] };
}

/** The person behind a principal; a principal that nobody claims is a person of its own. */
export function personOf({ people }: Config, principal: Principal): string {
  return Object.entries(people).find(([, principals]) => principals.includes(principal))?.[0] ?? principal;
}
