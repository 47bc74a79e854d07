import { type Click, type Principal, type Proposal, type Question, shownTo } from '../../model.ts';
import type { Told } from '../../ports/chat.ts';
import type { Answer } from '../../ports/desk.ts';
import { answering, askMessage } from './ask.ts';
import type { Message } from './blocks.ts';
import { cardMessage } from './card-message.ts';
import { listMessage, statusMessage } from './lists.ts';
import { permalink } from './messages.ts';
import { nearest } from './nearest.ts';
import { answerMessage } from './notice.ts';
import { once } from './once.ts';
import type { Parts } from './parts.ts';
import { answerTo } from './respond.ts';

/** Tells a clicker what became of the click, once. A click that did not come from Slack is answered elsewhere. */
export async function answer(
  parts: Parts,
  { id, who, from }: Click,
  { ok, because, see }: Answer & { readonly see?: string | undefined },
): Promise<Told> {
  const user = userOf(who);
  if (!from || user === undefined) return {};
  return once(parts, ['answer', id, because], async () => {
    const link = see === undefined ? undefined : await linkTo(parts, see);
    return answerTo(parts, from, user, answerMessage({ ok, because, see: link }));
  });
}

/** Answers a question, to whoever may read: a full member of our workspace. */
export async function reply(parts: Parts, question: Question): Promise<Told> {
  const { id, who, from } = question;
  const user = userOf(who);
  if (user === undefined) return {};
  return once(parts, ['reply', id], async () => answerTo(parts, from, user, await readingFor(parts, question)));
}

/** The Slack user behind a principal. */
const userOf = (who: Principal): string | undefined =>
  who.startsWith('slack:') ? who.slice('slack:'.length) : undefined;

/** The address of the card on which a proposal is shown, where there is one. */
async function linkTo({ api, store }: Parts, proposal: string): Promise<string | undefined> {
  const incident = (await store.get('proposal', proposal))?.item.incident;
  const post = incident === undefined ? undefined : (await store.get('post', incident))?.item;
  if (post?.message === undefined) return undefined;
  const called = await permalink(api, { channel: post.channel, message: post.message });
  return called.is === 'ok' ? called.value.permalink : undefined;
}

async function readingFor(parts: Parts, { id, who, from, ask }: Question): Promise<Message> {
  const member = await parts.directory.isMember(who, from);
  if (member.is !== 'yes') return no(`only members of this workspace may read it: ${member.because}`);
  switch (ask.is) {
    case 'status':
      return statusMessage(await parts.board.clusters(), await parts.board.cards());
    case 'incidents':
      return listMessage(await parts.board.cards());
    case 'show': {
      const named = await find(parts, ask.id);
      if ('because' in named) return no(named.because);
      const card = parts.draw(named.proposal, parts.records.now());
      // Noted before it is shown: a button that could be pressed and would not count helps nobody.
      const receipt = {
        schema: 1 as const,
        id: shownTo(id, who, named.proposal.id),
        at: parts.records.now().toISOString(),
      };
      await parts.store.put('receipt', receipt, 0);
      return answering(id, ask.to === undefined ? cardMessage(card) : askMessage(card, ask.to));
    }
  }
}

const no = (because: string) => answerMessage({ ok: false, because });

/** For how long what is over is found by the beginning of its id. */
const LISTED_FOR = 7 * 86_400_000;

/** The proposal that somebody means by its id, that of its incident, or the beginning of one. */
async function find({ store, records }: Parts, id: string): Promise<{ proposal: Proposal } | { because: string }> {
  const named = (await store.get('incident', id))?.item.proposal;
  const exact = await store.get('proposal', named ?? id);
  if (exact) return { proposal: exact.item };
  const overSince = new Date(records.now().getTime() - LISTED_FOR).toISOString();
  const current = (await store.current('incident', { overSince })).flatMap(({ item }) => item.proposal ?? []);
  const meant = current.filter((proposal) => id !== '' && proposal.startsWith(id));
  const [one, ...more] = meant;
  if (!one) return { because: unknown(id, current) };
  if (more.length > 0) {
    const ids = meant.slice(0, 5).join(', ');
    return { because: `${id} begins more than one id, such as ${ids}: write more of it` };
  }
  const row = await store.get('proposal', one);
  return row ? { proposal: row.item } : { because: unknown(id, current) };
}

function unknown(id: string, current: readonly string[]): string {
  const near = nearest(id, current);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '/gleaner incidents lists them all';
  return `there is no proposal ${id}: ${hint}`;
}
