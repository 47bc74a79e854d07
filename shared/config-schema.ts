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

/** Less would be gone before it was talked about. */
const Kept = z.string().transform((text, context): Duration => {
  if (isDuration(text) && milliseconds(text) >= milliseconds('7d')) return text;
  context.addIssue({ code: 'custom', message: 'write a number of days, 7d or more, such as 90d' });
  return z.NEVER;
});

const Who = z
  .string()
  .refine((text) => Principal.safeParse(text).success, 'write slack:U…, slack-group:S…, local:NAME or hook:NAME');

/** Who decides on plans of one risk tier. No approvers means nobody. */
const Tier = z.strictObject({
  approvers: z.array(Who),
  /** How many distinct people. */
  quorum: z.number().int().min(1).max(10),
  /** Whether who asked for it (an undo, a diagnosis) counts as an approver. */
  requesterMayApprove: z.boolean(),
  reasonRequired: z.boolean(),
  /** After this long without a decision the answer is no. */
  expiry: Span,
  remind: Span,
});
export type Tier = z.infer<typeof Tier> & { readonly channel?: string | undefined };

const Channel = z
  .string()
  .regex(/^[CG][A-Z0-9]{2,}$/, "write the channel's id, such as C0123ABCD: its details show it");
const PartialTier = Tier.partial().extend({
  /** The Slack channel for its cards, where it is not that of the section `slack`. */
  channel: Channel.optional(),
});

export const RISKS = ['low', 'medium', 'high'] as const satisfies readonly Risk[];
const tiers = { low: PartialTier.default({}), medium: PartialTier.default({}), high: PartialTier.default({}) };

/** An empty list would fit nothing, and leave the policy in force that it was to replace. */
const Names = z.array(z.string()).min(1, 'name at least one, or leave it out for all of them').optional();

/** A policy for the clusters and modes that it names; the first that fits a plan is laid over the defaults. */
const Override = z.strictObject({
  clusters: Names,
  modes: Names,
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

/** `gleaner.yaml`, section by section. Unknown keys are refused, for they are typing errors. */
export const SECTIONS = {
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
  slack: z
    .strictObject({
      /** Where cards go for which the policy names no channel of their own. */
      channel: Channel.optional(),
    })
    .prefault({}),
  state: z.string().min(1).default('gleaner.sqlite'),
  /** For how long what is over is kept. The audit log is kept for good. */
  keep: Kept.default('90d'),
};
export const Config = z.strictObject(SECTIONS);
export type Config = z.infer<typeof Config>;

/**
 * What a small team can keep: low-risk plans need one of the named people, medium ones a reason, high ones two people.
 * Nobody is named, so nobody may approve until somebody is.
 */
const DEFAULTS: Readonly<Record<Risk, Tier>> = {
  low: { approvers: [], quorum: 1, requesterMayApprove: true, reasonRequired: false, expiry: '24h', remind: '4h' },
  medium: { approvers: [], quorum: 1, requesterMayApprove: true, reasonRequired: true, expiry: '12h', remind: '2h' },
  high: { approvers: [], quorum: 2, requesterMayApprove: false, reasonRequired: true, expiry: '4h', remind: '1h' },
};

/** The policy of one tier: an override over the file's own tier over the shipped defaults. */
export const tierOf = (
  policy: Config['policy'],
  risk: Risk,
  override?: Config['policy']['overrides'][number],
): Tier => ({
  ...DEFAULTS[risk],
  ...policy[risk],
  ...override?.[risk],
});
