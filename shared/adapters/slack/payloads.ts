import * as z from 'zod';
import type { From, Principal } from '../../model.ts';

const id = z.string().regex(/^[A-Z0-9]{2,40}$/i);
const trigger = z.string().min(1).max(300);
const team = z.object({ id }).nullish();
const user = z.object({ id, team_id: id.nullish() });
const reply = z.url({ protocol: /^https?$/ }).max(2_000);

/** A press of a button (docs.slack.dev/reference/interaction-payloads/block_actions-payload), as far as it is read. */
export const Press = z.object({
  type: z.literal('block_actions'),
  ...{ user, team, enterprise: team, trigger_id: trigger },
  container: z.object({
    message_ts: z.string().max(40).optional(),
    channel_id: id.optional(),
    is_ephemeral: z.boolean().optional(),
  }),
  channel: z.object({ id }).optional(),
  response_url: reply.optional(),
  actions: z.tuple([z.object({ action_id: z.string().max(255), value: z.string().max(2_000).optional() })]),
});
export type Press = z.infer<typeof Press>;

/** A modal that was sent (…/view-interactions-payload). What was typed and kept in it is read by who made it. */
export const Submission = z.object({
  type: z.literal('view_submission'),
  ...{ user, team, enterprise: team },
  view: z.object({
    id,
    /** `block`: the id of the first block with a field, where an error is shown. */
    state: z
      .object({ values: z.record(z.string(), z.unknown()) })
      .transform(({ values }) => ({ block: Object.keys(values)[0] ?? '' })),
  }),
});
export type Submission = z.infer<typeof Submission>;

/** What was typed after `/gleaner` (docs.slack.dev/interactivity/implementing-slash-commands). */
export const Typed = z.object({
  command: z.string().max(100),
  text: z.string().max(4_000).default(''),
  ...{ team_id: id, user_id: id, channel_id: id, trigger_id: trigger },
  enterprise_id: id.nullish(),
  response_url: reply.optional(),
});
export type Typed = z.infer<typeof Typed>;

/** Our workspace (`T…`), and the organisation that it belongs to (`E…`), as `auth.test` names them. */
export interface Home {
  readonly team: string;
  readonly enterprise?: string | undefined;
}

interface Sender {
  readonly user: { readonly id: string; readonly team_id?: string | null | undefined };
  readonly team?: { readonly id: string } | null | undefined;
  readonly enterprise?: { readonly id: string } | null | undefined;
}

export const principalOf = ({ user: { id: name } }: Pick<Sender, 'user'>): Principal => `slack:${name}`;

/**
 * The workspace of the sender: their own (`user.team_id`), for in a shared channel `team` may be ours while the person is
 * not. In an organisation a person of ours may be at home in another of its workspaces: then it is the organisation.
 * Undefined where Slack names none.
 */
export function teamOf({ user: { team_id }, team: where, enterprise }: Sender, home: Home | undefined) {
  const own = team_id ?? where?.id;
  if (home === undefined || own === home.team) return own;
  const isOfOurs = home.enterprise !== undefined && enterprise?.id === home.enterprise;
  return isOfOurs ? home.enterprise : own;
}

/** Where a button was pressed; undefined where it was in no channel. */
export function placeOf(press: Press, home: Home | undefined): From | undefined {
  const { container, channel, response_url } = press;
  const where = channel?.id ?? container.channel_id;
  const workspace = teamOf(press, home);
  if (where === undefined || workspace === undefined) return undefined;
  // What one person alone was shown stands nowhere: there is nothing to hold it against.
  const message = container.is_ephemeral === true ? undefined : container.message_ts;
  return {
    ...{ team: workspace, channel: where },
    ...(message !== undefined && { message }),
    ...(response_url !== undefined && { reply: response_url }),
  };
}

/** Where something was typed. */
export const typedAt = (typed: Typed, home: Home | undefined): From => {
  const { user_id, team_id, enterprise_id, channel_id, response_url } = typed;
  const sender = { user: { id: user_id, team_id }, ...(enterprise_id && { enterprise: { id: enterprise_id } }) };
  return {
    team: teamOf(sender, home) ?? team_id,
    channel: channel_id,
    ...(response_url !== undefined && { reply: response_url }),
  };
};

export const isForeign = (from: Pick<From, 'team'>, home: Home | undefined) =>
  home !== undefined && from.team !== home.team && from.team !== home.enterprise;
