import { describe, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { checkupOf } from './slack-checkup.ts';

function config(text: string) {
  const read = readConfig(text);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

describe('What the doctor looks at', () => {
  it('is every channel and every approver that any plan could need', () => {
    const checkup = checkupOf(
      config(`
slack: { channel: C0OPS }
policy:
  low: { approvers: [slack:U1, slack-group:S1] }
  high: { approvers: [slack:U1, slack:U2], channel: C0HIGH }
  overrides:
    - { clusters: [lab], low: { approvers: [local:ann], channel: C0LAB } }
    - { modes: [m], medium: { approvers: [slack:U3] } }
`),
      { SLACK_CHANNEL: 'C0ELSE' },
    );

    expect([...checkup.channels].sort()).toEqual(['C0HIGH', 'C0LAB', 'C0OPS']);
    expect([...checkup.approvers].sort()).toEqual(['local:ann', 'slack-group:S1', 'slack:U1', 'slack:U2', 'slack:U3']);
  });

  it('is the channel of the environment where the file names none', () => {
    expect(checkupOf(config(''), { SLACK_CHANNEL: 'C0ELSE' }).channels).toEqual(['C0ELSE']);
    expect(checkupOf(config(''), { SLACK_CHANNEL: '' }).channels).toEqual([]);
  });
});
