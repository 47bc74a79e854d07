import { describe, expect, it } from 'vitest';
import { exitOf, shownFindings } from './findings.ts';

const terminal = { width: 80, colours: false };
const good = { is: 'good', what: 'bot token', because: 'it is gleaner in Acme (T1)' } as const;
const bad = { is: 'bad', what: 'channel C1', because: 'the app is not in #ops: type /invite @Gleaner there' } as const;
const unsure = { is: 'unsure', what: 'slack:U1', because: 'Slack did not answer users.info' } as const;

describe('What a doctor found', () => {
  it('is one thing a line, and the verdict', () => {
    expect(shownFindings([good, bad, unsure], terminal)).toBe(
      [
        'ok      bot token   it is gleaner in Acme (T1)',
        'WRONG   channel C1  the app is not in #ops: type /invite @Gleaner there',
        'unknown slack:U1    Slack did not answer users.info',
        '',
        '1 to fix, 1 not known\n',
      ].join('\n'),
    );
  });

  it.each([
    [[good], 0, 'all is well\n'],
    [[good, bad, unsure], 1, '1 to fix, 1 not known\n'],
    [[good, unsure], 2, 'nothing is known to be wrong, 1 could not be looked at\n'],
  ])('has an exit code (%#)', (findings, code, verdict) => {
    expect(exitOf(findings)).toBe(code);
    expect(shownFindings(findings, terminal).endsWith(verdict)).toBe(true);
  });

  it('lets no name of Slack draw over the terminal', () => {
    expect(shownFindings([{ ...good, because: 'a\u001b[2Jb' }], terminal)).not.toContain('\u001b');
  });
});
