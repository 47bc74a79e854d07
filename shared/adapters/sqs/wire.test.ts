import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../model.ts';
import { detailOf, messageOf, read } from './wire.ts';

const AT = '2026-01-15T12:00:00.000Z';
const TAKES = ['reminded', 'ticked'] as const;
const LARGEST = 10_000;
const reminded = (proposal: string): Event => ({ event: 'reminded', proposal, id: 'e1', at: AT });
const DETAIL = { schema: 1, event: 'reminded', proposal: 'p1', id: 'e1', at: AT };

/** A message as EventBridge puts it on a queue. */
const brought = (change: object = {}) =>
  JSON.stringify({
    ...{ version: '0', id: 'eb-1', 'detail-type': 'reminded', source: 'gleaner', account: '000000000000', time: AT },
    ...{ region: 'eu-central-1', resources: [], detail: DETAIL },
    ...change,
  });
const reading = (text: string) => read(text, TAKES, LARGEST);

describe('A message of a queue', () => {
  it('is the event that EventBridge brought', () => {
    expect(reading(brought())).toEqual({ is: 'event', event: reminded('p1'), due: undefined });
  });

  it('is the event that was put there directly, with its time', () => {
    const due = '2026-01-15T12:15:00.000Z';

    expect(reading(messageOf(reminded('p1'), due))).toEqual({ is: 'event', event: reminded('p1'), due });
    expect(reading(messageOf(reminded('p1')))).toEqual({ is: 'event', event: reminded('p1'), due: undefined });
  });

  it('is what was published, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (proposal) => {
        const event = reminded(proposal);

        expect(reading(brought({ detail: JSON.parse(detailOf(event)) }))).toMatchObject({ is: 'event', event });
        expect(reading(messageOf(event, AT))).toMatchObject({ is: 'event', event });
      }),
      { seed: 1 },
    );
  });

  it('may have brackets without end inside its texts', () => {
    const proposal = `${'[{'.repeat(500)}"\\"`;

    expect(reading(messageOf(reminded(proposal), AT))).toMatchObject({ is: 'event', event: { proposal } });
  });

  it.each([
    ['no JSON', '{"source":"gleaner"', /it is no JSON$/],
    ['nothing', '', /it is no JSON$/],
    ['no object', '[1]', /the whole of it: /],
    ['an envelope of somebody else', brought({ source: 'aws.s3' }), /source: /],
    [
      'a newer schema',
      brought({ detail: { ...DETAIL, schema: 2 } }),
      /has schema version 2, and this release reads version 1/,
    ],
    ['a schema that is no number', brought({ detail: { ...DETAIL, schema: '1' } }), /has no schema version/],
    ['no schema', brought({ detail: { event: 'reminded' } }), /has no schema version/],
    [
      'an event that nobody knows',
      brought({ detail: { ...DETAIL, event: 'exploded' } }),
      /event: no event of that name/,
    ],
    [
      'a choice that nobody knows',
      brought({ 'detail-type': 'untold', detail: { ...DETAIL, event: 'untold', what: { is: 'shouted' } } }),
      /what.is: no shape that fits/,
    ],
    ['a field of another type', brought({ detail: { ...DETAIL, proposal: 7 } }), /proposal: /],
    ['no id', brought({ detail: { ...DETAIL, id: '' } }), /id: /],
    ['no time', brought({ detail: { ...DETAIL, at: 'noon' } }), /at: /],
    [
      'another name outside than inside',
      brought({ 'detail-type': 'ticked' }),
      /its detail-type is not its event reminded/,
    ],
    ['a due date that is none', brought({ due: 'soon' }), /due: /],
    [
      'an event for another hop',
      brought({ 'detail-type': 'expired', detail: { ...DETAIL, event: 'expired' } }),
      /this hop does not take expired/,
    ],
    ['a thousand levels', `${'['.repeat(1000)}${']'.repeat(1000)}`, /nested deeper than 100 levels/],
    [
      'a thousand levels inside',
      brought({ detail: JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`) }),
      /nested deeper/,
    ],
    ['a prototype', '{"__proto__":{"source":"gleaner"}}', /it has a key __proto__/],
    [
      'a prototype in other letters',
      brought().replace('"schema"', '"\\u005f_proto__":{"a":1},"schema"'),
      /it has a key __proto__/,
    ],
    ['too many bytes', brought({ padding: '€'.repeat(4_000) }), /it has 12\d{3} bytes, and 10000 are allowed/],
  ])('that holds %s cannot be read, and says why', (_what, text, because) => {
    expect(reading(text)).toEqual({ is: 'poison', because: expect.stringMatching(because) });
    expect(reading(text)).toMatchObject({ because: expect.stringMatching(/^it cannot be read: ./) });
  });

  it('that was replayed from an archive changes nothing', () => {
    expect(reading(brought({ 'replay-name': 'replay-7' }))).toEqual({
      ...{ is: 'poison', because: 'it was replayed from an archive (replay-7), and a replay changes nothing' },
    });
  });

  it('leaves no trace of what it says in the reason', () => {
    const secret = 'xoxb-s3cr3t-t0k3n';
    const texts = [
      secret,
      `{"a":"${secret}`,
      JSON.stringify({ [secret]: 1 }),
      brought({ source: secret }),
      brought({ 'detail-type': secret }),
      brought({ 'replay-name': `${secret} ${secret}` }),
      brought({ due: secret }),
      ...Object.keys(DETAIL).map((key) => brought({ detail: { ...DETAIL, [key]: secret } })),
      ...Object.keys(DETAIL).map((key) => brought({ detail: { ...DETAIL, [key]: { [secret]: secret } } })),
    ];

    const reasons = texts.map(reading).map((said) => (said.is === 'poison' ? said.because : ''));

    expect(reasons.filter((because) => because.includes(secret))).toEqual([]);
    // A proposal's name may be anything.
    expect(reasons.filter((because) => because === '')).toHaveLength(2);
  });

  it('never throws, and is never an event by accident (1,000 texts)', () => {
    const json = fc.json({ maxDepth: 5 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), json), (text) => {
        expect(reading(text).is).toBe('poison');
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it('takes a time that grows no faster than its length', () => {
    const odd = ['"\\'.repeat(120_000), '['.repeat(240_000), '"'.repeat(240_001), `"${'\\"'.repeat(120_000)}`];

    const read240KB = odd.map((text) => read(text, TAKES, 1_000_000).is);

    expect(read240KB).toEqual(['poison', 'poison', 'poison', 'poison']);
  });
});
