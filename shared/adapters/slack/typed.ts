import type { Message } from './blocks.ts';
import { parseCommand } from './commands.ts';
import { idOfClick, keepClick, keepQuestion } from './keep.ts';
import { helpMessage } from './lists.ts';
import { answerMessage } from './notice.ts';
import { Typed, typedAt } from './payloads.ts';
import type { InteractionParts } from './press.ts';

/** Takes what was typed after `/gleaner`. Undefined: it is kept, and answered by the flow. */
export async function onTyped(parts: InteractionParts, body: unknown): Promise<Message | undefined> {
  const typed = Typed.safeParse(body).data;
  if (!typed) {
    await parts.refused({ kind: 'malformed', because: 'a command that cannot be read' });
    return answerMessage({ ok: false, because: 'This command cannot be read.' });
  }
  const command = parseCommand(typed.text);
  if (command.is === 'help') return helped(command.because);
  const who = `slack:${typed.user_id}`;
  const from = typedAt(typed, parts.home());
  const id = idOfClick(from.team, who, typed.trigger_id, typed.text);
  const kept =
    command.is === 'click'
      ? await keepClick(parts, { ...command.click, id, who, from })
      : await keepQuestion(parts, { id, who, from, ask: command.ask });
  return kept.ok ? undefined : answerMessage({ ok: false, because: kept.because });
}

function helped(because: string | undefined): Message {
  const help = helpMessage();
  if (because === undefined) return help;
  const { text, blocks } = answerMessage({ ok: false, because });
  return { text, blocks: [...blocks, ...help.blocks] };
}
