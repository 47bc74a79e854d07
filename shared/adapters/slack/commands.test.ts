import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Command, parseCommand } from './commands.ts';

const click = (click: Extract<Command, { is: 'click' }>['click']): Command => ({ is: 'click', click });
const ask = (asked: Extract<Command, { is: 'question' }>['ask']): Command => ({ is: 'question', ask: asked });

describe('What is typed after /gleaner', () => {
  it.each<[string, Command]>([
    ['', { is: 'help' }],
    ['help', { is: 'help' }],
    ['status', ask({ is: 'status' })],
    ['  Incidents ', ask({ is: 'incidents' })],
    ['show 1f3a', ask({ is: 'show', id: '1f3a' })],
    ['approve 1f3a-22', ask({ is: 'show', id: '1f3a-22', to: 'approve' })],
    ['reject 1f3a not in the middle of the day', ask({ is: 'show', id: '1f3a', to: 'reject' })],
    ['undo 1f3a', ask({ is: 'show', id: '1f3a', to: 'undo' })],
    ['diagnose', click({ choice: 'diagnose' })],
    ['diagnose Node/node1', click({ choice: 'diagnose', what: 'Node/node1' })],
    ['diagnose console', click({ choice: 'diagnose', what: 'console' })],
    ['silence Node/node1 2h', click({ choice: 'silence', what: 'Node/node1', lasts: '2h' })],
    [
      'silence Node/node1 2h replacing its "old" disk',
      click({ choice: 'silence', what: 'Node/node1', lasts: '2h', reason: 'replacing its "old" disk' }),
    ],
    ['unsilence Node/node1', click({ choice: 'unsilence', what: 'Node/node1' })],
    ['stop', click({ choice: 'stop' })],
    ['stop it writes nonsense', click({ choice: 'stop', reason: 'it writes nonsense' })],
    ['resume', click({ choice: 'resume' })],
  ])('%j is understood', (typed, command) => {
    expect(parseCommand(typed)).toEqual(command);
  });

  it.each<[string, Command]>([
    ['stop --cluster lab', click({ choice: 'stop', cluster: 'lab' })],
    ['--cluster lab stop', click({ choice: 'stop', cluster: 'lab' })],
    ['stop --cluster=lab it writes nonsense', click({ choice: 'stop', cluster: 'lab', reason: 'it writes nonsense' })],
    ['stop —cluster lab', click({ choice: 'stop', cluster: 'lab' })],
    ['stop --cluster "lab two" now', click({ choice: 'stop', cluster: 'lab two', reason: 'now' })],
  ])('names a cluster anywhere: %j', (typed, command) => {
    expect(parseCommand(typed)).toEqual(command);
  });

  it.each<[string, string]>([
    ['`1f3a`', '1f3a'],
    ['"1f3a"', '1f3a'],
    ['“1f3a”', '1f3a'],
    ["'1f3a'", '1f3a'],
    ['\u200b1f3a', '1f3a'],
    ['<http://node1.example.com|node1.example.com>', 'node1.example.com'],
    ['<https://node1.example.com/x>', 'https://node1.example.com/x'],
    ['<@U0ADA|ada>', 'ada'],
    ['a&amp;b', 'a&b'],
    ['&lt;!channel&gt;', '<!channel>'],
  ])('sheds what Slack or a phone put around an ID: %j', (typed, id) => {
    expect(parseCommand(`show ${typed}`)).toEqual(ask({ is: 'show', id }));
  });

  it.each<[string, string]>([
    ['aprove 1f3a', 'there is no command aprove: did you mean approve?'],
    ['xyzzy', 'there is no command xyzzy'],
    ['constructor', 'there is no command constructor'],
    ['approve', 'say which one'],
    ['approve 1f3a 2b4c', 'approve takes one ID'],
    ['silence Node/node1', 'say what and for how long'],
    ['silence Node/node1 soon', 'say what and for how long'],
    ['silence 2h Node/node1', 'say what and for how long'],
    ['unsilence', 'say what is to be heard again'],
    ['diagnose Node/node1 now', 'diagnose takes one object'],
    ['stop --cluster', 'say which cluster'],
    ['stop --cluster a --cluster b', 'name one cluster only'],
  ])('that is not understood is answered with why: %j', (typed, because) => {
    expect(parseCommand(typed)).toEqual({ is: 'help', because: expect.stringContaining(because) });
  });

  it('is answered, whatever it is, and decides nothing unless it begins with the very word', () => {
    const Text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(
          fc.constantFrom('stop', 'show', '--cluster', '<', '>', '|', '`', '"', '&lt;', 'a', '2h', ' ', '\n', '“'),
          { maxLength: 30 },
        )
        .map((all) => all.join('')),
    );
    fc.assert(
      fc.property(Text, (typed) => {
        const command = parseCommand(typed);

        if (command.is !== 'click') return;
        expect(typed.toLowerCase()).toContain(command.click.choice);
      }),
      { numRuns: 2_000 },
    );
  });

  it('means the same however its words are quoted, spaced and capitalised, and wherever the cluster stands', () => {
    const Name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._/-]{0,30}[A-Za-z0-9]$/);
    const Quotes = fc.constantFrom<[string, string]>(['', ''], ['`', '`'], ['"', '"'], ['“', '”'], ["'", "'"]);
    const Space = fc.constantFrom(' ', '  ', '\t', ' \u200b ', '\u00a0');
    const Case = fc.constantFrom(
      (word: string) => word,
      (word: string) => word.toUpperCase(),
    );
    fc.assert(
      fc.property(
        Name,
        Name,
        Quotes,
        Space,
        Case,
        fc.boolean(),
        (what, cluster, [left, right], space, spelt, isFirst) => {
          const words = [spelt('silence'), `${left}${what}${right}`, '90m', 'for', 'a', 'test'];
          const flag = ['--cluster', `${left}${cluster}${right}`];
          const typed = (isFirst ? [...flag, ...words] : [...words, ...flag]).join(space);

          expect(parseCommand(typed)).toEqual(
            click({ choice: 'silence', what, lasts: '90m', reason: 'for a test', cluster }),
          );
        },
      ),
    );
  });
});
