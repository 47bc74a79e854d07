import { isDuration } from '../../handler.ts';
import type { Choice, Click, Question } from '../../model.ts';
import { nearest } from './nearest.ts';
import { typedText, type Word, wordsOf } from './words.ts';

/** What was typed after `/gleaner`. `because` is said above the list of the commands. */
export type Command =
  | { readonly is: 'click'; readonly click: Pick<Click, 'choice' | 'cluster' | 'what' | 'lasts' | 'reason'> }
  | { readonly is: 'question'; readonly ask: Question['ask'] }
  | { readonly is: 'help'; readonly because?: string };

/** The words after the command's own, and the text itself, for reasons are kept as they were typed. */
interface Rest {
  readonly words: readonly Word[];
  readonly text: string;
  readonly cluster: string | undefined;
}

const help = (because?: string): Command => ({ is: 'help', ...(because !== undefined && { because }) });
const question = (ask: Question['ask']): Command => ({ is: 'question', ask });

const COMMANDS: Readonly<Record<string, (rest: Rest) => Command>> = {
  status: () => question({ is: 'status' }),
  incidents: () => question({ is: 'incidents' }),
  show: (rest) => shown(rest, 'show'),
  approve: (rest) => shown(rest, 'approve'),
  reject: (rest) => shown(rest, 'reject'),
  undo: (rest) => shown(rest, 'undo'),
  diagnose: (rest) => onWhat(rest, 'diagnose'),
  silence: silenced,
  unsilence: (rest) =>
    rest.words.length === 0
      ? help('say what is to be heard again, such as: /gleaner unsilence Node/node1')
      : onWhat(rest, 'unsilence'),
  stop: (rest) => click(rest, { choice: 'stop', ...reasonFrom(rest, 0) }),
  resume: (rest) => click(rest, { choice: 'resume', ...reasonFrom(rest, 0) }),
  help: () => help(),
};

/**
 * What somebody typed after `/gleaner`. What decides about a proposal shows it first, with its revision and the button
 * that says so. Whatever is not understood is a `help` that says why, and never something nearby.
 */
export function parseCommand(typed: string): Command {
  const found = clusterIn(typedText(typed));
  if ('because' in found) return help(found.because);
  const { text, cluster } = found;
  const [first, ...words] = wordsOf(text);
  if (!first) return help();
  const name = first.text.toLowerCase();
  const parse = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return parse ? parse({ words, text, cluster }) : help(unknown(first.text));
}

function unknown(name: string): string {
  const near = nearest(name.toLowerCase(), Object.keys(COMMANDS));
  const short = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return `there is no command ${short}${near.length > 0 ? `: did you mean ${near.join(' or ')}?` : ''}`;
}

const click = ({ cluster }: Rest, what: Extract<Command, { is: 'click' }>['click']): Command => ({
  is: 'click',
  click: { ...what, ...(cluster !== undefined && { cluster }) },
});

function shown({ words }: Rest, to: 'show' | 'approve' | 'reject' | 'undo'): Command {
  const [id, ...more] = words;
  if (!id) return help(`say which one, such as: /gleaner ${to} 1f3a; /gleaner incidents lists them`);
  // A reason is asked for in the form that follows.
  if (more.length > 0 && to !== 'reject') return help(`${to} takes one ID, and ${more.length + 1} words were typed`);
  return question({ is: 'show', id: id.text.slice(0, 200), ...(to !== 'show' && { to }) });
}

function onWhat(rest: Rest, choice: Extract<Choice, 'diagnose' | 'unsilence'>): Command {
  const [what, ...more] = rest.words;
  if (more.length > 0) return help(`${choice} takes one object, such as Node/node1`);
  return click(rest, { choice, ...(what && { what: what.text.slice(0, 300) }) });
}

function silenced(rest: Rest): Command {
  const [what, lasts] = rest.words;
  if (!what || !lasts || !isDuration(lasts.text.toLowerCase()))
    return help('say what and for how long, such as: /gleaner silence Node/node1 2h replacing its disk');
  const [name, span] = [what.text.slice(0, 300), lasts.text.toLowerCase()];
  return click(rest, { choice: 'silence', what: name, lasts: span, ...reasonFrom(rest, 2) });
}

/** As it was typed, from the word of that number on. */
function reasonFrom({ words, text }: Rest, index: number): { reason?: string } {
  if (words.length <= index) return {};
  const before = index === 0 ? wordsOf(text)[0] : words[index - 1];
  return { reason: text.slice(before?.end ?? 0).trim() };
}

/** `--cluster NAME` anywhere; phones make one dash of two. */
const CLUSTER = /(?:^|\s)(?:--|—|–)cluster(?:=|\s+|$)/iu;

function clusterIn(
  text: string,
): { readonly text: string; readonly cluster: string | undefined } | { readonly because: string } {
  const found = CLUSTER.exec(text);
  if (!found) return { text, cluster: undefined };
  const after = text.slice(found.index + found[0].length);
  const [name] = wordsOf(after);
  if (!name) return { because: 'say which cluster: --cluster NAME' };
  const rest = `${text.slice(0, found.index)} ${after.slice(name.end)}`.trim();
  if (CLUSTER.test(rest)) return { because: 'name one cluster only' };
  return { text: rest, cluster: name.text };
}
