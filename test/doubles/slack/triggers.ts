import { LIMITS } from './limits.ts';
import { mintId, type State } from './state.ts';

interface Trigger {
  readonly at: Date;
  readonly team: string;
  readonly user: string;
  /** The modal that the person was in. */
  readonly view: string | undefined;
  exchanged: boolean;
}

/** The `trigger_id`s: each opens one modal for one person, within three seconds of the click. */
export interface Triggers {
  mint(of: { team: string; user: string; view?: string | undefined }): string;
  /** The trigger, used up; or the error that Slack names. */
  exchange(
    id: string,
  ): Omit<Trigger, 'exchanged'> | 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id';
}

export function startTriggers(state: State): Triggers {
  const triggers = new Map<string, Trigger>();
  return {
    mint({ team, user, view }) {
      const id = `${state.next()}.${state.next()}.${mintId(state, 'x').toLowerCase()}`;
      triggers.set(id, { at: state.now(), team, user, view, exchanged: false });
      return id;
    },
    exchange(id) {
      const trigger = triggers.get(id);
      if (trigger === undefined) return 'invalid_trigger_id';
      if (trigger.exchanged) return 'exchanged_trigger_id';
      if (state.now().getTime() - trigger.at.getTime() > LIMITS.triggerLives) return 'expired_trigger_id';
      trigger.exchanged = true;
      return trigger;
    },
  };
}
