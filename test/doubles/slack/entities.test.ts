import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entitiesOf, entitiesOfView } from './entities.ts';

const inText = (text: string, more: object = {}) => entitiesOf({ text, ...more }).map(({ kind, to }) => [kind, to]);
const inMrkdwn = (text: string, more: object = {}) =>
  entitiesOf({ blocks: [{ type: 'section', text: { type: 'mrkdwn', text, ...more } }] }).map(({ kind, to }) => [
    kind,
    to,
  ]);

describe('An active entity', () => {
  const active: readonly (readonly [string, string, string])[] = [
    ['<!channel>', 'broadcast', '!channel'],
    ['<!here|here>', 'broadcast', '!here'],
    ['<!everyone>', 'broadcast', '!everyone'],
    ['<@U123>', 'user', '@U123'],
    ['<@W123|ada>', 'user', '@W123'],
    ['<#C123|ops>', 'channel', '#C123'],
    ['<!subteam^S123|@oncall>', 'group', '!subteam^S123'],
    ['<!date^1^{date}^https://x.test|then>', 'date', '!date^1^{date}^https://x.test'],
    ['<http://x.test|y>', 'link', 'http://x.test'],
    ['<mailto:a@b.c>', 'link', 'mailto:a@b.c'],
    ['`<!channel>`', 'broadcast', '!channel'],
    ['see https://x.test/a?b now', 'link', 'https://x.test/a?b'],
    ['ada@example.com', 'link', 'ada@example.com'],
    ['evil.example.com/login', 'link', 'evil.example.com/login'],
  ];
  it.each(active)('stands in %s, in the fallback text and in mrkdwn', (text, kind, to) => {
    expect(inText(text)).toEqual([[kind, to]]);
    expect(inMrkdwn(text)).toEqual([[kind, to]]);
  });

  it.each(['&lt;!channel&gt;', '<!channel', 'a < b > c', 'x <3', '< @U1>', 'pod-7.default.svc', '1.2.3', 'a@b'])(
    'does not stand in %s',
    (text) => {
      expect(inText(text)).toEqual([]);
      expect(inMrkdwn(text)).toEqual([]);
    },
  );

  it('is made of plain words by parse, by link_names, and by mrkdwn that is not verbatim', () => {
    expect(inText('@here')).toEqual([]);
    expect(inText('@here', { linkNames: true })).toEqual([['broadcast', 'here']]);
    expect(inText('#ops', { parse: 'full' })).toEqual([['channel', 'ops']]);
    expect(inText('https://x.test', { parse: 'none' })).toEqual([]);
    expect(inMrkdwn('@channel')).toEqual([['broadcast', 'channel']]);
    expect(inMrkdwn('@channel https://x.test', { verbatim: true })).toEqual([]);
  });

  it('stands in the elements of rich text and in the URL of a button, with the place', () => {
    const elements = [
      { type: 'user', user_id: 'U1' },
      { type: 'usergroup', usergroup_id: 'S1' },
      { type: 'channel', channel_id: 'C1' },
      { type: 'broadcast', range: 'here' },
      { type: 'link', url: 'https://x.test' },
    ];
    const blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] },
      {
        type: 'actions',
        elements: [{ type: 'button', text: { type: 'plain_text', text: 'x' }, url: 'https://y.test' }],
      },
    ];

    expect(entitiesOf({ blocks }).map(({ kind, to, at }) => `${kind} ${to} ${at}`)).toEqual([
      'user U1 /blocks/0/elements/0/elements/0/user_id',
      'group S1 /blocks/0/elements/0/elements/1/usergroup_id',
      'channel C1 /blocks/0/elements/0/elements/2/channel_id',
      'broadcast here /blocks/0/elements/0/elements/3/range',
      'link https://x.test /blocks/0/elements/0/elements/4/url',
      'link https://y.test /blocks/1/elements/0/url',
    ]);
    expect(entitiesOfView({ type: 'modal', blocks })).toHaveLength(6);
  });

  it('never stands in plain_text, nor in the text of rich text', () => {
    const nasty = fc.stringMatching(/^(<[!@#]?[A-Za-z^|:/.]{0,12}>|https:\/\/x\.test|@here|[a-z<>&` ]){1,8}$/);
    fc.assert(
      fc.property(nasty, (text) => {
        const blocks = [
          { type: 'section', text: { type: 'plain_text', text } },
          { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
          { type: 'table', rows: [[{ type: 'raw_text', text }]] },
        ];
        expect(entitiesOf({ blocks })).toEqual([]);
      }),
      { seed: 20_260_302 },
    );
  });

  it('is found wherever it stands between other words', () => {
    const word = fc.stringMatching(/^[a-z ]{0,20}$/);
    fc.assert(
      fc.property(word, fc.constantFrom('<!channel>', '<@U1>', '<http://x.test|y>'), word, (before, entity, after) => {
        expect(inText(`${before} ${entity} ${after}`)).toHaveLength(1);
      }),
      { seed: 20_260_302 },
    );
  });
});
