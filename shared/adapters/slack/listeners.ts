import type { App } from '@slack/bolt';
import { type InteractionParts, onPress } from './press.ts';
import { onSubmit } from './submit.ts';
import { onTyped } from './typed.ts';

/** Any: what is none of ours is refused in words by who reads it. */
const ANY = /^/;

/** Everything that Gleaner takes from Slack, for either transport. Each acknowledges last: on Lambda nothing runs after that. */
export function registerListeners(app: App, parts: InteractionParts): void {
  app.action(ANY, async ({ ack, body }) => {
    await onPress(parts, body);
    await ack();
  });
  app.view(ANY, async ({ ack, body }) => {
    const next = await onSubmit(parts, body);
    switch (next.is) {
      case 'close':
        return ack();
      case 'errors':
        return ack({ response_action: 'errors', errors: next.errors });
      case 'update':
        return ack({ response_action: 'update', view: next.view });
    }
  });
  app.view({ type: 'view_closed' }, async ({ ack }) => ack());
  app.command('/gleaner', async ({ ack, body }) => {
    const message = await onTyped(parts, body);
    await (message ? ack({ response_type: 'ephemeral', ...message }) : ack());
  });
}
