import { inWords } from '../../handler.ts';
import type { Event, Proposal } from '../../model.ts';
import { type Chat, TOLD } from '../../ports/chat.ts';

/** Prints one line per stage of a proposal: for the demo, and for a terminal beside the page. */
export function consoleChat(print: (line: string) => void): Chat {
  const said = new Map<string, string>();
  return {
    async show(proposal, event) {
      const line = lineOf(proposal, event);
      // The same stage told twice is one line: deliveries are at least once.
      if (line === undefined || said.get(proposal.id) === line) return TOLD;
      said.set(proposal.id, line);
      print(line);
      return TOLD;
    },
    async answer(click, { ok, because }) {
      if (!ok) print(`${stamp('refused')} ${click.who} ${click.choice}: ${because}`);
      return TOLD;
    },
    reply: async () => TOLD,
    async announce({ event, text }) {
      if (event.event !== 'untold') print(`${stamp(event.event)} ${text}`);
      return TOLD;
    },
  };
}

const stamp = (what: string) => what.padEnd(10);

function lineOf(proposal: Proposal, event: Event): string | undefined {
  const { found } = proposal;
  switch (event.event) {
    case 'proposed':
      return `${stamp(proposal.undoes ? 'undo?' : 'proposed')} ${found.summary} (${found.cause}, ${found.confidence})`;
    case 'decided':
      return `${stamp(event.click.choice)} ${event.because}`;
    case 'applying': {
      const last = proposal.run.steps.at(-1);
      return last && `${stamp('applying')} step ${proposal.run.steps.length}: ${last.because}`;
    }
    case 'applied':
      return `${stamp('applied')} ${proposal.run.steps.length} steps in ${tookOf(proposal)}`;
    case 'unsent':
      return undefined;
    default:
      return `${stamp(event.event)} ${'because' in event ? event.because : proposal.because}`;
  }
}

function tookOf({ timeline, changedAt }: Proposal): string {
  const began = timeline.find(({ is }) => is === 'approved');
  return inWords(Date.parse(changedAt) - Date.parse(began?.at ?? changedAt));
}
