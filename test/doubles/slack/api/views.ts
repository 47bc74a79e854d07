import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../../../../shared/objects.ts';
import { checkView } from '../blocks/check.ts';
import { complete } from '../blocks/complete.ts';
import { viewJson } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { mintId, type State, type View } from '../state.ts';
import { type Answer, type Call, json, method, refuse, refuseFor } from './method.ts';

/** A view as Slack keeps it, or why it does not. `but`: the view that it replaces, whose external id is its own. */
function contentOf(state: State, view: Json, but?: View): { content: JsonObject } | Answer {
  const refusal = checkView(view);
  if (refusal) return refuseFor(refusal);
  if (!isObject(view)) return refuse('invalid_arguments');
  const external = view.external_id;
  const taken = [...state.views.values()].some(
    (other) =>
      other !== but && other.state === 'open' && external !== undefined && other.content.external_id === external,
  );
  if (taken) return refuse('duplicate_external_id');
  return { content: { ...view, blocks: complete(view.blocks ?? [], () => mintId(state, 'b').toLowerCase()) } };
}

/** Opens a view for a person: on top of another one, where `under` is given. */
export function openView(
  state: State,
  of: { team: string; user: string; view: Json; under?: View | undefined },
): View | Answer {
  const checked = contentOf(state, of.view);
  if ('ok' in checked) return checked;
  const { under } = of;
  if (
    under &&
    [...state.views.values()].filter((view) => view.rootId === under.rootId && view.state === 'open').length >=
      LIMITS.view.stack
  ) {
    return refuse('push_limit_reached');
  }
  const id = mintId(state, 'V');
  const { content } = checked;
  const view: View = {
    ...{ id, team: of.team, user: of.user, rootId: under?.rootId ?? id, previousId: under?.id },
    ...{ hash: mintHash(state), content, contents: [content], state: 'open', errors: undefined },
  };
  state.views.set(id, view);
  return view;
}

/** Gives an open view another content. */
export function replaceView(state: State, view: View, content: Json): View | Answer {
  const checked = contentOf(state, content, view);
  if ('ok' in checked) return checked;
  view.content = checked.content;
  view.contents.push(checked.content);
  view.hash = mintHash(state);
  return view;
}

const mintHash = (state: State): string =>
  `${Math.floor(state.now().getTime() / 1000)}.${mintId(state, 'h').toLowerCase()}`;

const shown = (state: State, view: View | Answer): Answer =>
  'ok' in view ? view : { ok: true, view: viewJson(state, view) };

const opening = z.strictObject({ trigger_id: z.string().min(1), view: json });

/** A view that would be refused does not use the trigger up. */
function exchange({ state, triggers, token }: Call, args: { trigger_id: string; view: Json }) {
  const checked = contentOf(state, args.view);
  if ('ok' in checked) return checked;
  const trigger = triggers.exchange(args.trigger_id);
  if (typeof trigger === 'string') return refuse(trigger);
  return trigger.team === token.team ? trigger : refuse('invalid_trigger_id');
}

const open = method({
  scopes: [],
  args: opening,
  run(args, call) {
    const trigger = exchange(call, args);
    if ('ok' in trigger) return trigger;
    return shown(call.state, openView(call.state, { team: trigger.team, user: trigger.user, view: args.view }));
  },
});

const push = method({
  scopes: [],
  args: opening,
  run(args, call) {
    const trigger = exchange(call, args);
    if ('ok' in trigger) return trigger;
    const under = call.state.views.get(trigger.view ?? '');
    if (under?.state !== 'open') return refuse('not_found');
    return shown(call.state, openView(call.state, { team: trigger.team, user: trigger.user, view: args.view, under }));
  },
});

const update = method({
  scopes: [],
  args: z.strictObject({
    view: json,
    view_id: z.string().optional(),
    external_id: z.string().optional(),
    hash: z.string().optional(),
  }),
  run(args, { state, token }) {
    const view = [...state.views.values()].find(
      ({ id, team, content, state: now }) =>
        team === token.team &&
        now === 'open' &&
        (args.view_id === undefined
          ? content.external_id === args.external_id && args.external_id
          : id === args.view_id),
    );
    if (view === undefined) return refuse('not_found');
    if (args.hash !== undefined && args.hash !== view.hash) return refuse('hash_conflict');
    return shown(state, replaceView(state, view, args.view));
  },
});

export const views = { 'views.open': open, 'views.push': push, 'views.update': update };
