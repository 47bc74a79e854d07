import type { Event } from '../model.ts';

type Announced = Extract<
  Event,
  {
    event:
      | 'stopped'
      | 'resumed'
      | 'blinded'
      | 'sighted'
      | 'silenced'
      | 'unsilenced'
      | 'policy-changed'
      | 'unheard'
      | 'heard';
  }
>;

/** What concerns more than one proposal, in a sentence; `cluster` is the one that it concerns. */
export function inNotice(event: Announced): { cluster: string | undefined; text: string } {
  switch (event.event) {
    case 'stopped':
      return {
        cluster: event.cluster,
        text: `${event.who} pulled the emergency stop: no run touches this cluster until somebody resumes`,
      };
    case 'resumed':
      return { cluster: event.cluster, text: `${event.who} lifted the emergency stop: approved plans may run again` };
    case 'blinded':
    case 'sighted':
      return { cluster: event.cluster, text: event.because };
    case 'silenced': {
      const { cluster, what, who, until, because } = event.silence;
      return { cluster, text: `${who} silenced ${what} until ${until}: ${because}` };
    }
    case 'unsilenced':
      return { cluster: event.silence.cluster, text: `${event.who} ended the silence of ${event.silence.what}` };
    case 'policy-changed':
      return {
        cluster: undefined,
        text: `${event.because}. Approvals that were given under the former one do not count any more`,
      };
    case 'unheard':
      return {
        cluster: undefined,
        text: `nothing got through to the channel ${event.channel} since ${event.since}: ${event.because}`,
      };
    case 'heard':
      return { cluster: undefined, text: `the channel ${event.channel} takes messages again: ${event.because}` };
  }
}
