import type { Command } from 'commander';
import type { Choice } from '../model.ts';
import { type Decided, Outcome, ShownCard } from '../ports/api.ts';
import type { Extra } from './main.ts';
import { ask, EXIT, type Exit, fail, meant, type Remote, type Where } from './remote.ts';
import { shownCard } from './shown.ts';
import { harmless } from './terminal.ts';

interface Given extends Where {
  readonly revision?: string;
  readonly plan?: string;
  readonly reason?: string;
  readonly cluster?: string;
}

/** Those that are decided on a revision: without one the card is shown, and nothing is decided. */
const READ_FIRST = [
  ['approve', 'approve a plan of a proposal, at the revision that you read'],
  ['reject', 'decide that nothing is done about it'],
  ['undo', 'propose to put back what a fix changed: a plan of its own, to be approved'],
] as const satisfies readonly (readonly [Choice, string])[];

const AT_ONCE = [
  ['snooze', 'send no reminder for an hour'],
  ['take', 'say that you have it in hand: no reminder for half an hour'],
  ['done', 'say that the step is done which waits for a person: it is checked at once'],
  ['again', 'diagnose it again; after its end, propose it again'],
] as const satisfies readonly (readonly [Choice, string])[];

/** The commands that decide. Every one goes through the same policy and the same record as a click. */
export const deciding = (remote: Remote): readonly Extra[] => [
  ...READ_FIRST.map(
    ([choice, about]): Extra =>
      (program, exit) => {
        const command = onProposal(program, choice, about);
        if (choice === 'approve') command.option('--plan <id>', 'which of its plans, where it offers several');
        command.action(async (id: string, given: Given) => exit(await decideRead(remote, choice, id, given)));
      },
  ),
  ...AT_ONCE.map(
    ([choice, about]): Extra =>
      (program, exit) =>
        onProposal(program, choice, about).action(async (id: string, { revision, reason, ...where }: Given) =>
          exit(await decide(remote, where, { choice, proposal: id, revision, reason })),
        ),
  ),
  (program, exit) =>
    onCluster(
      program.command('look [object]'),
      'look at a cluster now, at one object (Node/node1) or at one failure mode',
    ).action(async (what: string | undefined, { cluster, ...where }: Given) =>
      exit(await decide(remote, where, { choice: 'diagnose', cluster, what })),
    ),
  (program, exit) =>
    onCluster(
      program.command('silence <what> <duration> [reason...]'),
      'no new card and no reminder about a failure mode or an object (Node/node1), for 24h at most',
    ).action(async (what: string, lasts: string, words: string[], { cluster, ...where }: Given) =>
      exit(
        await decide(remote, where, { choice: 'silence', cluster, what, lasts, reason: words.join(' ') || undefined }),
      ),
    ),
  (program, exit) =>
    onCluster(program.command('unsilence <what>'), 'end a silence').action(
      async (what: string, { cluster, ...where }: Given) =>
        exit(await decide(remote, where, { choice: 'unsilence', cluster, what })),
    ),
  (program, exit) =>
    onCluster(
      program.command('stop'),
      'emergency stop: no run touches the cluster until `gleaner resume`; Gleaner goes on looking',
    ).action(async ({ cluster, ...where }: Given) => exit(await decide(remote, where, { choice: 'stop', cluster }))),
  (program, exit) =>
    onCluster(program.command('resume'), 'lift the emergency stop').action(async ({ cluster, ...where }: Given) =>
      exit(await decide(remote, where, { choice: 'resume', cluster })),
    ),
];

const onProposal = (program: Command, name: string, about: string): Command =>
  meant(program.command(`${name} <id>`).description(about))
    .option('--revision <revision>', 'the revision that you read')
    .option('--reason <text>', 'why: it stands on the card and in the audit log');

const onCluster = (command: Command, about: string): Command =>
  meant(command.description(about)).option('--cluster <name>', 'which cluster, where there are several');

/** Sends a decision, and says what became of it. */
const decide = (remote: Remote, where: Where, decision: Decided): Promise<Exit> =>
  ask(remote, where, { method: 'POST', path: '/decisions', body: decision }, Outcome, ({ ok, because }) => {
    if (!ok) return fail(remote, because, EXIT.undecided);
    remote.around.out(`${harmless(because)}\n`);
    return EXIT.done;
  });

/** With a revision: decides. Without: shows what there is to decide, and the command that does. */
async function decideRead(remote: Remote, choice: Choice, id: string, given: Given): Promise<Exit> {
  const { revision, plan, reason, ...where } = given;
  if (revision !== undefined && (choice !== 'approve' || plan !== undefined))
    return decide(remote, where, { choice, proposal: id, revision, plan, reason });
  return ask(remote, where, { path: `/cards/${encodeURIComponent(id)}` }, ShownCard, (card) => {
    if (revision === undefined) return showFirst(remote, choice, card, given);
    const [only, ...others] = card.plans;
    if (only && others.length === 0)
      return decide(remote, where, { choice, proposal: card.proposal, revision, plan: only.id, reason });
    const ids = card.plans.map((each) => `--plan ${each.id}`).join(' or ');
    return fail(remote, only ? `it offers several plans: say ${ids}` : 'it offers no plan that could be approved');
  });
}

function showFirst(remote: Remote, choice: Choice, card: ShownCard, given: Given): Exit {
  const { out, terminal } = remote.around;
  out(shownCard(card, terminal));
  const commands = commandsFor(choice, card, given);
  if (commands.length === 0)
    return fail(remote, `its card does not offer "${choice}" now: it is ${card.state}`, EXIT.refused);
  out(`\nNothing is decided yet. To ${choice} what you have read:\n${commands.map((each) => `   ${each}\n`).join('')}`);
  return EXIT.undecided;
}

function commandsFor(choice: Choice, card: ShownCard, { url, state, plan: wanted, reason }: Given): string[] {
  if (!card.choices.includes(choice)) return [];
  const where = `${url === undefined ? '' : ` --url ${quoted(url)}`}${state === undefined ? '' : ` --state ${quoted(state)}`}`;
  const start = `gleaner ${choice} ${card.proposal} --revision ${card.revision}`;
  const because = (isNeeded: boolean) =>
    reason === undefined ? (isNeeded ? ' --reason "…"' : '') : ` --reason ${quoted(reason)}`;
  if (choice !== 'approve') return [`${start}${because(choice === 'reject')}${where}`];
  return card.plans
    .filter(({ id, closed }) => closed === undefined && (wanted === undefined || id === wanted))
    .map(({ id, deciders }) => `${start} --plan ${id}${because(deciders.reasonRequired)}${where}`);
}

const quoted = (text: string) => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
