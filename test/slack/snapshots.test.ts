import { describe, expect, it } from 'vitest';
import { cardMessage } from '../../shared/adapters/slack/card-message.ts';
import { detailsView } from '../../shared/adapters/slack/details.ts';
import { threadMessage } from '../../shared/adapters/slack/thread.ts';
import { everyState } from './states.ts';

const states = await everyState();

describe('Every state of a card', () => {
  it.each(Object.entries(states))('%s looks as it was looked at', async (name, { card, stages }) => {
    const drawing = { card: cardMessage(card), thread: threadMessage(card, stages) };

    await expect(`${JSON.stringify(drawing, null, 2)}\n`).toMatchFileSnapshot(`snapshots/${name}.json`);
  });

  it.each(['open', 'open-fix-and-stopgap', 'applying-waits', 'storm', 'no-plan', 'ask-waits'])(
    'the details of %s look as they were looked at',
    async (name) => {
      const card = states[name]?.card;
      if (!card) throw new Error(`there is no state ${name}`);

      await expect(`${JSON.stringify(detailsView(card), null, 2)}\n`).toMatchFileSnapshot(
        `snapshots/details-${name}.json`,
      );
    },
  );
});
