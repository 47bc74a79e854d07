import type { Json, JsonObject } from '../../../shared/objects.ts';

/** Blocks of every limit, at the limit and one above: what both the double and a second opinion are asked about. */

export const plain = (length: number, character = 'x'): JsonObject => ({
  type: 'plain_text',
  text: character.repeat(length),
});
const button = (more: JsonObject = {}): JsonObject => ({ type: 'button', text: plain(3), ...more });
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const actions = (...elements: Json[]): Json[] => [{ type: 'actions', elements }];
const option = (value: string, label = 3): JsonObject => ({ text: plain(label), value });
const select = (count: number): JsonObject => ({
  ...{ type: 'static_select', action_id: 's', placeholder: plain(3) },
  options: times(count, (index) => option(`${index}`)),
});
const overflow = (count: number) =>
  actions({ type: 'overflow', action_id: 'o', options: times(count, (i) => option(`${i}`)) });
const confirmed = (more: JsonObject) =>
  actions(button({ confirm: { title: plain(1), text: plain(1), confirm: plain(1), deny: plain(1), ...more } }));
const input = (more: JsonObject): Json[] => [
  { type: 'input', label: plain(3), element: { type: 'plain_text_input', action_id: 'i' }, ...more },
];
const mrkdwn = (length: number): JsonObject => ({ type: 'mrkdwn', text: 'x'.repeat(length) });

/** A limit: what is asked about it, and the blocks for a number of characters or items. */
export interface Bound {
  readonly what: string;
  readonly limit: number;
  readonly blocks: (count: number) => Json[];
  /** slack_sdk's models do not know this limit; say so where a release of it begins to. */
  readonly sdkBlind?: true;
}

export const BOUNDS: readonly Bound[] = [
  { what: 'text of a section', limit: 3_000, blocks: (n) => [{ type: 'section', text: mrkdwn(n) }] },
  { what: 'plain text of a section', limit: 3_000, blocks: (n) => [{ type: 'section', text: plain(n) }] },
  { what: 'fields of a section', limit: 10, blocks: (n) => [{ type: 'section', fields: times(n, () => plain(1)) }] },
  { what: 'text of a field', limit: 2_000, blocks: (n) => [{ type: 'section', fields: [plain(n)] }], sdkBlind: true },
  { what: 'text of a header', limit: 150, blocks: (n) => [{ type: 'header', text: plain(n) }] },
  {
    what: 'elements of a context',
    limit: 10,
    blocks: (n) => [{ type: 'context', elements: times(n, () => mrkdwn(1)) }],
  },
  {
    what: 'elements of actions',
    limit: 25,
    blocks: (n) => actions(...times(n, (i) => button({ action_id: `a${i}` }))),
  },
  { what: 'block id', limit: 255, blocks: (n) => [{ type: 'divider', block_id: 'b'.repeat(n) }] },
  { what: 'action id', limit: 255, blocks: (n) => actions(button({ action_id: 'a'.repeat(n) })) },
  { what: 'text of a button', limit: 75, blocks: (n) => actions({ type: 'button', action_id: 'a', text: plain(n) }) },
  { what: 'value of a button', limit: 2_000, blocks: (n) => actions(button({ action_id: 'a', value: 'v'.repeat(n) })) },
  {
    what: 'URL of a button',
    limit: 3_000,
    blocks: (n) => actions(button({ action_id: 'a', url: `https:${'u'.repeat(n - 6)}` })),
  },
  {
    what: 'label of a button',
    limit: 75,
    blocks: (n) => actions(button({ action_id: 'a', accessibility_label: 'l'.repeat(n) })),
  },
  { what: 'title of a confirm dialog', limit: 100, blocks: (n) => confirmed({ title: plain(n) }) },
  { what: 'text of a confirm dialog', limit: 300, blocks: (n) => confirmed({ text: plain(n) }) },
  { what: 'confirm of a confirm dialog', limit: 30, blocks: (n) => confirmed({ confirm: plain(n) }) },
  { what: 'deny of a confirm dialog', limit: 30, blocks: (n) => confirmed({ deny: plain(n) }) },
  { what: 'options of a select', limit: 100, blocks: (n) => actions(select(n)) },
  {
    what: 'text of an option',
    limit: 75,
    blocks: (n) => actions({ ...select(1), options: [option('v', n)] }),
    sdkBlind: true,
  },
  {
    what: 'value of an option',
    limit: 150,
    blocks: (n) => actions({ ...select(1), options: [option('v'.repeat(n))] }),
    sdkBlind: true,
  },
  { what: 'placeholder', limit: 150, blocks: (n) => actions({ ...select(1), placeholder: plain(n) }) },
  { what: 'options of an overflow menu', limit: 5, blocks: (n) => overflow(n) },
  { what: 'label of an input', limit: 2_000, blocks: (n) => input({ label: plain(n) }) },
  { what: 'hint of an input', limit: 2_000, blocks: (n) => input({ hint: plain(n) }) },
  {
    what: 'alt text of an image',
    limit: 2_000,
    blocks: (n) => [{ type: 'image', image_url: 'https://x.test', alt_text: 'a'.repeat(n) }],
  },
  { what: 'text of a markdown block', limit: 12_000, blocks: (n) => [{ type: 'markdown', text: 'x'.repeat(n) }] },
  { what: 'blocks of a message', limit: 50, blocks: (n) => times(n, () => ({ type: 'divider' })), sdkBlind: true },
];

/** Blocks that are wrong in their shape. `sdkBlind`: slack_sdk's models let them pass. */
export const MISSHAPEN: readonly { what: string; blocks: Json[]; says: string; sdkBlind?: true }[] = [
  { what: 'an unknown type', blocks: [{ type: 'nonsense' }], says: 'unsupported type' },
  {
    what: 'an unknown field',
    blocks: [{ type: 'divider', colour: 'red' }],
    says: 'invalid additional property: colour',
    sdkBlind: true,
  },
  { what: 'a section of nothing', blocks: [{ type: 'section' }], says: 'must have one of text and fields' },
  { what: 'a header of nothing', blocks: [{ type: 'header' }], says: 'missing required field: text' },
  {
    what: 'an empty text',
    blocks: [{ type: 'section', text: mrkdwn(0) }],
    says: 'must be more than 0 characters',
    sdkBlind: true,
  },
  {
    what: 'mrkdwn in a header',
    blocks: [{ type: 'header', text: mrkdwn(3) }],
    says: '/blocks/0/text/type',
    sdkBlind: true,
  },
  {
    what: 'mrkdwn on a button',
    blocks: actions(button({ action_id: 'a', text: mrkdwn(3) })),
    says: '/elements/0/text/type',
    sdkBlind: true,
  },
  {
    what: 'an unknown style',
    blocks: actions(button({ action_id: 'a', style: 'warning' })),
    says: '/elements/0/style',
  },
  {
    what: 'a confirm dialog without a text',
    blocks: actions(button({ confirm: { title: plain(1) } })),
    says: 'missing required field: text',
  },
  {
    what: 'a select without options',
    blocks: actions({ type: 'static_select', action_id: 's', placeholder: plain(1) }),
    says: 'exactly one of options',
  },
  {
    what: 'an action id twice',
    blocks: actions(button({ action_id: 'a' }), button({ action_id: 'a' })),
    says: 'action_id already exists: a',
    sdkBlind: true,
  },
  {
    what: 'a block id twice',
    blocks: [
      { type: 'divider', block_id: 'd' },
      { type: 'divider', block_id: 'd' },
    ],
    says: 'block_id already exists: d',
    sdkBlind: true,
  },
  {
    what: 'a script as URL',
    blocks: actions(button({ action_id: 'a', url: 'javascript:alert(1)' })),
    says: 'must be a valid URL',
    sdkBlind: true,
  },
  {
    what: 'a broadcast to an unknown range',
    blocks: rich({ type: 'broadcast', range: 'all' }),
    says: '/range',
    sdkBlind: true,
  },
  {
    what: 'an empty rich text',
    blocks: rich({ type: 'text', text: '' }),
    says: 'must be more than 0 characters',
    sdkBlind: true,
  },
];

function rich(...elements: Json[]): Json[] {
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
}

/** Blocks of each kind that nobody objects to. */
export const SOUND: readonly Json[][] = [
  [{ type: 'section', text: mrkdwn(10), accessory: button({ action_id: 'a', style: 'primary', value: 'v' }) }],
  [{ type: 'divider' }, { type: 'header', text: plain(5) }, { type: 'context', elements: [mrkdwn(3), plain(3)] }],
  confirmed({ style: 'danger' }),
  rich(
    { type: 'text', text: 'a', style: { bold: true } },
    { type: 'link', url: 'https://x.test', text: 'x' },
    { type: 'emoji', name: 'fire' },
  ),
  [
    {
      type: 'rich_text',
      elements: [
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: '- a\n+ b' }], border: 0 },
        { type: 'rich_text_quote', elements: [{ type: 'text', text: 'q' }] },
        {
          ...{ type: 'rich_text_list', style: 'bullet', indent: 0 },
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'l' }] }],
        },
      ],
    },
  ],
  input({ optional: true, hint: plain(4) }),
  [
    {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'a' },
          { type: 'raw_text', text: 'b' },
        ],
      ],
    },
  ],
];
