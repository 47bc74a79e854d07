import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../shared/objects.ts';
import { BOUNDS, MISSHAPEN, plain, SOUND } from '../corpus.ts';
import { checkBlocks, checkMessage, checkView } from './check.ts';

const modal = (more: JsonObject = {}): JsonObject => ({
  ...{ type: 'modal', title: plain(5), blocks: [{ type: 'divider' }] },
  ...more,
});

describe('The double takes', () => {
  it.each(BOUNDS)('$limit as $what, and no more', ({ blocks, limit }) => {
    expect(checkBlocks(blocks(limit))).toBeUndefined();
    expect(checkBlocks(blocks(limit + 1))).toMatchObject({
      error: 'invalid_blocks',
      messages: [expect.stringMatching(/^\[ERROR\] (must be less than \d+ characters|no more than \d+ items allowed)/)],
    });
  });

  it.each(SOUND.map((blocks) => [blocks]))('%j', (blocks) => {
    expect(checkBlocks(blocks)).toBeUndefined();
  });
});

describe('The double refuses', () => {
  it.each(MISSHAPEN)('$what', ({ blocks, says }) => {
    const refusal = checkBlocks(blocks);
    expect(refusal?.error).toBe('invalid_blocks');
    expect(refusal?.messages.join('\n')).toContain(says);
  });

  it('more text in all blocks together than Slack stores', () => {
    const sections = (last: number) =>
      [3_000, 3_000, 3_000, 3_000, last].map((length) => ({ type: 'section', text: plain(length) }));

    expect(checkBlocks(sections(1_200))).toBeUndefined();
    expect(checkBlocks(sections(1_201))).toMatchObject({ error: 'msg_blocks_too_long' });
  });

  it('a second table, and a table of too much text', () => {
    const table = (length: number) => ({ type: 'table', rows: [[{ type: 'raw_text', text: 'x'.repeat(length) }]] });

    expect(checkBlocks([table(10_000)])).toBeUndefined();
    expect(checkBlocks([table(10_001)])).toMatchObject({ error: 'msg_blocks_too_long' });
    expect(checkBlocks([table(1), table(1)])?.messages).toEqual([
      '[ERROR] only one table is allowed [json-pointer:/blocks]',
    ]);
  });

  it('a fallback text that Slack would cut', () => {
    expect(checkMessage({ text: 'x'.repeat(40_000) })).toBeUndefined();
    expect(checkMessage({ text: 'x'.repeat(40_001) })).toMatchObject({ error: 'msg_too_long' });
  });
});

describe('A modal', () => {
  const bounds: readonly (readonly [string, number, (count: number) => JsonObject])[] = [
    ['title', 24, (n) => ({ title: plain(n) })],
    ['close', 24, (n) => ({ close: plain(n) })],
    ['submit', 24, (n) => ({ submit: plain(n) })],
    ['private_metadata', 3_000, (n) => ({ private_metadata: 'p'.repeat(n) })],
    ['callback_id', 255, (n) => ({ callback_id: 'c'.repeat(n) })],
    ['blocks', 100, (n) => ({ blocks: Array.from({ length: n }, () => ({ type: 'divider' })) })],
  ];
  it.each(bounds)('has a %s of %i at most', (_, limit, more) => {
    expect(checkView(modal(more(limit)))).toBeUndefined();
    expect(checkView(modal(more(limit + 1)))).toMatchObject({ error: 'invalid_arguments' });
  });

  it('needs a button to submit what is put in', () => {
    const input = { type: 'input', label: plain(1), element: { type: 'plain_text_input' } };

    expect(checkView(modal({ blocks: [input], submit: plain(2) }))).toBeUndefined();
    expect(checkView(modal({ blocks: [input] }))?.messages).toEqual([
      '[ERROR] missing required field: submit [json-pointer:/view]',
    ]);
  });

  it('has no table, no markdown block, and no more bytes than Slack takes', () => {
    expect(checkView(modal({ blocks: [{ type: 'markdown', text: 'x' }] }))).toMatchObject({
      error: 'invalid_arguments',
    });
    const sections = Array.from({ length: 84 }, () => ({ type: 'section', text: plain(3_000) }));
    expect(checkView(modal({ blocks: sections }))).toMatchObject({ error: 'view_too_large' });
  });
});
