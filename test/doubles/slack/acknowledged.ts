import * as z from 'zod';
import { JsonValue } from '../../../shared/objects.ts';
import { openView, replaceView } from './api/views.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { State, View } from './state.ts';

/** What an acknowledgement may do to a submitted view. Source: docs.slack.dev/surfaces/modals. */
const ResponseAction = z.discriminatedUnion('response_action', [
  z.strictObject({ response_action: z.literal('clear') }),
  z.strictObject({ response_action: z.literal('errors'), errors: z.record(z.string(), z.string()) }),
  z.strictObject({ response_action: z.literal('update'), view: JsonValue }),
  z.strictObject({ response_action: z.literal('push'), view: JsonValue }),
]);

/** Does what the acknowledgement of a submission says: nothing said closes the view. Gives what Slack would not take. */
export function settleView(state: State, view: View, body: string): string | undefined {
  view.errors = undefined;
  const said = parsed(body);
  if (said === undefined) {
    view.state = 'submitted';
    return undefined;
  }
  const read = ResponseAction.safeParse(said);
  if (!read.success) return `not a response_action: ${body}`;
  const does = read.data;
  switch (does.response_action) {
    case 'clear':
      for (const other of state.views.values()) if (other.rootId === view.rootId) other.state = 'closed';
      view.state = 'submitted';
      return undefined;
    case 'errors': {
      const blocks = JSON.stringify(view.content.blocks);
      const lost = Object.keys(does.errors).filter((id) => !blocks.includes(JSON.stringify(id)));
      view.errors = does.errors;
      return lost.length > 0 ? `errors of blocks that are not there: ${lost.join(', ')}` : undefined;
    }
    case 'update':
      return refusalOf(replaceView(state, view, does.view));
    case 'push':
      return refusalOf(openView(state, { team: view.team, user: view.user, view: does.view, under: view }));
  }
}

const refusalOf = (view: ReturnType<typeof openView>): string | undefined =>
  'ok' in view ? JSON.stringify(view) : undefined;

/** Says what the acknowledgement of a command says: JSON, or plain text. Gives what Slack would not take. */
export function settleCommand(
  urls: ResponseUrls,
  of: { team: string; channel: string; user: string },
  body: string,
): string | undefined {
  const said = parsed(body);
  return said === undefined ? undefined : urls.say(of, typeof said === 'object' ? said : { text: String(said) });
}

/** The JSON of a body, the text where it is none; undefined where nothing is said. */
function parsed(body: string): unknown {
  if (body.trim() === '' || body.trim() === '{}') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
