import { type Message, message } from './blocks.ts';
import { bold, link, rich, says, section, words } from './rich.ts';
import type { Light } from './standing.ts';

/** News that concern more than one card: blindness, the emergency stop, a silence, a change of policy, an outage of Slack. */
export interface Announcement {
  /** The cluster or the channel, and what happened to it. */
  readonly title: string;
  readonly text: string;
  readonly tone: 'bad' | 'good' | 'plain';
}

const LIGHTS: Readonly<Record<Announcement['tone'], Light>> = {
  bad: 'red_circle',
  good: 'large_green_circle',
  plain: 'white_circle',
};

export const noticeMessage = ({ title, text, tone }: Announcement): Message =>
  message(`${title}: ${text}`, [
    rich(section({ type: 'emoji', name: LIGHTS[tone] }, words(' '), bold(title, 200)), section(says(text, 1_500))),
  ]);

/** What became of a click, for the clicker alone. `link` is where to read on: a permalink of Slack's. */
export const answerMessage = ({
  ok,
  because,
  see,
}: {
  readonly ok: boolean;
  readonly because: string;
  readonly see?: string | undefined;
}): Message =>
  message(`${ok ? 'Done' : 'Not done'}: ${because}`, [
    rich(
      section(
        { type: 'emoji', name: ok ? 'large_green_circle' : 'white_circle' },
        words(' '),
        bold(ok ? 'Done' : 'Not done'),
        words('  '),
        says(because, 1_500),
        ...(see === undefined ? [] : [words('  '), link(see, 'Open the card')]),
      ),
    ),
  ]);
