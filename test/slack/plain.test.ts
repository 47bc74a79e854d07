import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fit, may, must } from '../../shared/adapters/slack/fit.ts';
import { clean, cut, fallback, inline, lengthOf, line } from '../../shared/adapters/slack/plain.ts';
import { block, rich, says, section } from '../../shared/adapters/slack/rich.ts';
import { entitiesOf } from '../doubles/slack/entities.ts';

const seed = Number(process.env.GLEANER_SEED ?? 20_260_115);

describe(`Text for Slack (seed ${seed})`, { timeout: 60_000 }, () => {
  it.each([
    ['pool\u200B1', 'pool\uFFFD1'],
    ['\u202Egnp.exe', '\uFFFDgnp.exe'],
    ['a\u0000b\u001B[31mc', 'ab[31mc'],
    ['\uD83Dx', '\uFFFDx'],
    ['one\r\ntwo\u2028three', 'one\ntwo\nthree'],
    ['😀 شبكة', '😀 شبكة'],
  ])('%j is shown as %j', (given, shown) => {
    expect(clean(given)).toBe(shown);
  });

  it('has no line breaks where it is one line, and is never empty', () => {
    expect(inline(' a \n\t b ')).toBe('a b');
    expect(line('\u0000', 10)).toBe('–');
  });

  it('is cut at a word where it can be, within what Slack may count', () => {
    expect(cut('stops default/vm1 and waits', 22)).toBe('stops default/vm1 and…');
    expect(cut('&&&&', 12)).toBe('&&…');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (text, limit) => {
        const short = cut(clean(text), limit);

        expect(lengthOf(short)).toBeLessThanOrEqual(limit);
        expect(short.isWellFormed()).toBe(true);
      }),
      { seed },
    );
  });

  it.each([
    '<!channel>',
    '<@U1>',
    'https://evil.example/x',
    'evil.example',
    'a@evil.example',
    '@here',
    '#general',
    '&lt;!here&gt;',
  ])('has nothing alive in a notification that says %s', (text) => {
    expect(entitiesOf({ text: fallback(text, 300), parse: 'full', linkNames: true })).toEqual([]);
  });
});

describe('What does not fit', () => {
  const pointer = (left: number) => rich(section(says(`${left} left out`)));
  const big = (mark: string) => rich(block(mark.repeat(2_900), 3_000));

  it('gives way from the first optional part on that does not fit, with one pointer in its place', () => {
    const last = rich(section(says('last')));

    const blocks = fit(
      [must(big('a')), ...['b', 'c', 'd', 'e'].map((mark) => may(big(mark))), must(last)],
      'message',
      pointer,
    );

    expect(blocks).toEqual([big('a'), big('b'), big('c'), pointer(2), last]);
  });

  it('keeps to the number of blocks that a message may have', () => {
    const parts = Array.from({ length: 80 }, () => may({ type: 'divider' }));

    const blocks = fit([...parts, must({ type: 'divider' })], 'message', pointer);

    expect(blocks).toHaveLength(50);
  });

  it('leaves everything as it is where it fits', () => {
    expect(fit([must(big('a')), may(big('b'))], 'message', pointer)).toEqual([big('a'), big('b')]);
  });
});
