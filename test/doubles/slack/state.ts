import type { Json, JsonObject } from '../../../shared/objects.ts';
import { complete } from './blocks/complete.ts';
import { type Entity, entitiesOf } from './entities.ts';

/** What the double knows. Everything that is not `readonly` is the test's to change at any time. */

export interface Team {
  readonly id: string;
  readonly domain: string;
  name: string;
  readonly enterprise: { readonly id: string; readonly name: string } | undefined;
  /** User groups need a paid plan. */
  paid: boolean;
}

/** A person or a bot, in the words of `users.info`. */
export interface User {
  readonly id: string;
  readonly team: string;
  /** The handle. */
  name: string;
  real_name: string;
  display_name: string;
  deleted: boolean;
  is_bot: boolean;
  is_restricted: boolean;
  is_ultra_restricted: boolean;
  /** Of another workspace, met through Slack Connect. */
  is_stranger: boolean;
  is_admin: boolean;
  is_workflow_bot: boolean;
  readonly enterprise_user_id: string | undefined;
}

export interface Group {
  readonly id: string;
  readonly team: string;
  name: string;
  handle: string;
  /** Ids of users. */
  readonly members: Set<string>;
  enabled: boolean;
}

export interface Channel {
  readonly id: string;
  readonly team: string;
  name: string;
  readonly kind: 'public' | 'private' | 'im';
  /** Ids of users; the app is in it where its bot user is. */
  readonly members: Set<string>;
  archived: boolean;
  /** Other workspaces that see it through Slack Connect. */
  readonly sharedWith: Set<string>;
}

export interface Token {
  readonly value: string;
  readonly kind: 'bot' | 'app';
  readonly team: string;
  readonly scopes: Set<string>;
  state: 'active' | 'token_revoked' | 'account_inactive' | 'token_expired';
}

/** One version of a message: the newest is the last. */
export interface Version {
  readonly at: Date;
  /** The method that wrote it, or `response_url`, or `user`. */
  readonly by: string;
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly metadata: Json | undefined;
  readonly entities: readonly Entity[];
}

/** What is written into a version. */
export interface Content {
  readonly by: string;
  readonly text?: string | undefined;
  readonly blocks?: Json | undefined;
  readonly metadata?: Json | undefined;
  readonly parse?: string | undefined;
  readonly linkNames?: boolean | undefined;
  readonly mrkdwn?: boolean | undefined;
}

/** A message, or what one person alone was shown (`visibleTo`), with everything that it ever said. */
export class Message {
  readonly channel: string;
  readonly ts: string;
  readonly team: string;
  /** Who posted it. */
  readonly user: string;
  /** Set where an app posted it. */
  readonly botId: string | undefined;
  /** Of the parent, where it is a reply. */
  readonly threadTs: string | undefined;
  /** The one who sees it, where it is ephemeral. */
  readonly visibleTo: string | undefined;
  readonly versions: Version[] = [];
  deletedAt: Date | undefined;

  constructor(said: Pick<Message, 'channel' | 'ts' | 'team' | 'user' | 'botId' | 'threadTs' | 'visibleTo'>) {
    this.channel = said.channel;
    this.ts = said.ts;
    this.team = said.team;
    this.user = said.user;
    this.botId = said.botId;
    this.threadTs = said.threadTs;
    this.visibleTo = said.visibleTo;
  }

  get newest(): Version {
    const version = this.versions.at(-1);
    if (version === undefined) throw new Error(`message ${this.ts} in ${this.channel} was never written`);
    return version;
  }
  get text(): string {
    return this.newest.text;
  }
  get blocks(): readonly JsonObject[] {
    return this.newest.blocks;
  }
  get entities(): readonly Entity[] {
    return this.newest.entities;
  }
  get edited(): boolean {
    return this.versions.length > 1;
  }
}

/** A modal as it was opened or last updated. */
export interface View {
  readonly id: string;
  readonly team: string;
  readonly user: string;
  readonly rootId: string;
  readonly previousId: string | undefined;
  hash: string;
  /** What the app sent, completed with the ids that Slack adds. */
  content: JsonObject;
  /** Every content that it had, oldest first. */
  readonly contents: JsonObject[];
  state: 'open' | 'submitted' | 'closed';
  /** What the last submission was answered with as `response_action: errors`. */
  errors: Readonly<Record<string, string>> | undefined;
}

/** Everything the double holds, and how it counts. */
export interface State {
  readonly now: () => Date;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly teams: Map<string, Team>;
  /** By `team/id`: two workspaces may have a user of the same id. */
  readonly users: Map<string, User>;
  readonly groups: Map<string, Group>;
  readonly channels: Map<string, Channel>;
  readonly tokens: Map<string, Token>;
  readonly messages: Message[];
  readonly views: Map<string, View>;
  /** A number that was never used before. */
  next(): number;
}

/** A timestamp as Slack names messages with: seconds and a part that makes it unique and growing. */
export const mintTs = (state: State): string =>
  `${Math.floor(state.now().getTime() / 1000)}.${String(state.next()).padStart(6, '0')}`;

/** An id for a block, a view or a trigger, from a prefix. */
export const mintId = (state: State, prefix: string): string =>
  `${prefix}${state.next().toString(36).toUpperCase().padStart(6, '0')}`;

/** Puts a message into the state. */
export function post(
  state: State,
  said: Omit<ConstructorParameters<typeof Message>[0], 'ts'>,
  content: Content,
): Message {
  const message = new Message({ ...said, ts: mintTs(state) });
  write(state, message, content);
  state.messages.push(message);
  return message;
}

/** Adds a version. What is left out stays as it was: chat.update keeps the blocks that it is not given. */
export function write(state: State, message: Message, content: Content): void {
  const before = message.versions.at(-1);
  const text = content.text ?? before?.text ?? '';
  const blocks =
    content.blocks === undefined
      ? (before?.blocks ?? [])
      : complete(content.blocks, () => mintId(state, 'b').toLowerCase());
  message.versions.push({
    at: state.now(),
    by: content.by,
    text,
    blocks,
    metadata: content.metadata ?? before?.metadata,
    entities: entitiesOf({ ...content, text, blocks }),
  });
}

/** The message that people see under a timestamp; undefined where it was deleted or never was. */
export const messageAt = (state: State, channel: string, ts: string): Message | undefined =>
  state.messages.find((message) => message.channel === channel && message.ts === ts && message.deletedAt === undefined);

/** A user as a workspace knows them: its own first, then one of another workspace that shares a channel with it. */
export function userSeenBy(state: State, team: string, id: string): User | undefined {
  const own = state.users.get(`${team}/${id}`);
  if (own) return own;
  const shared = [...state.channels.values()].filter(
    (channel) => channel.team === team || channel.sharedWith.has(team),
  );
  const visible = new Set(shared.flatMap((channel) => [channel.team, ...channel.sharedWith]));
  return [...state.users.values()].find((user) => user.id === id && (user.is_stranger || visible.has(user.team)));
}
