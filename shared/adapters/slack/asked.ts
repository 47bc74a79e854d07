import type { Card, CardStep } from '../../card.ts';
import { may, type Part } from './fit.ts';
import { clean, cut } from './plain.ts';
import { block, bold, rich, says, section, words } from './rich.ts';

/** What a person is to do now and the command to paste, where the run waits for people. */
export function askedOf(card: Card): Part[] {
  const step = waitingAsk(card);
  if (!step) return [];
  const command = step.kubectl;
  return [
    may(
      rich(
        section(bold('To do by hand'), words('  '), says(step.what ?? step.because, 1_200)),
        ...(command === undefined ? [] : [commandBlock(card, command)]),
      ),
    ),
  ];
}

/** A command that is cut would be another command: it is shown whole or not at all. */
export function commandBlock(card: Card, command: string, limit = 1_500) {
  const text = clean(command);
  return cut(text, limit) === text
    ? block(text, limit)
    : section(says(`The command is too long for Slack: gleaner show ${card.proposal.id} has it.`));
}

/** The step for which a run waits until a person has done it. */
export function waitingAsk({ proposal, plans }: Card): CardStep | undefined {
  if (proposal.state !== 'applying') return undefined;
  const plan = plans.find(({ id }) => id === proposal.plan);
  const steps = proposal.run.failed ? plan?.onFailure : plan?.steps;
  return steps?.find(({ do: verb, record }) => verb === 'ask' && record?.is === 'waiting');
}
