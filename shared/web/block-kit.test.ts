import { describe, expect, it } from 'vitest';
import { blockKitConfirm, blockKitMessage, blockKitModal, blockKitPage } from './block-kit.ts';

const around = { names: { U0ANN: 'Ann Baker' }, at: '1:09 PM', replies: 2 };
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
const shown = async (message: unknown) => String(await blockKitMessage(message, around));
const rich = (...elements: object[]) => ({
  text: '',
  blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }],
});
const confirm = {
  title: plain('Mend it'),
  text: plain('Mends node1.'),
  confirm: plain('Approve'),
  deny: plain('Not now'),
  style: 'danger',
};
const button = { type: 'button', action_id: 'gleaner:approve:0', text: plain('Approve'), value: '{}', style: 'danger' };

describe('The Block Kit preview', () => {
  it('shows text as text, whatever stands in it', async () => {
    const html = await shown({
      text: '',
      blocks: [{ type: 'header', text: plain('<script>alert(1)</script> & "x"') }],
    });

    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;');
    expect(html).not.toContain('<script>');
  });

  it('shows names for mentions, circles for lights, and the replies', async () => {
    const html = await shown(
      rich({ type: 'emoji', name: 'red_circle' }, { type: 'user', user_id: 'U0ANN' }, { type: 'user', user_id: 'U1' }),
    );

    expect(html).toContain('@Ann Baker');
    expect(html).toContain('@U1');
    expect(html).toContain('aria-label=":red_circle:"');
    expect(html).toContain('2 replies');
  });

  it('keeps the lines of plain text and the style of a button', async () => {
    const html = await shown({ text: '', blocks: [{ type: 'section', text: plain('one\ntwo'), accessory: button }] });

    expect(html).toContain('one<br />two');
    expect(html).toContain('class="button danger"');
  });

  it('shows what is asked after a press, and nothing where nothing is asked', async () => {
    expect(String(await blockKitConfirm({ ...button, confirm }))).toContain('Mends node1.');
    expect(blockKitConfirm(button)).toBeUndefined();
  });

  it('shows a modal with its title and buttons', async () => {
    const input = {
      type: 'input',
      block_id: 'b',
      label: plain('Why?'),
      element: { type: 'plain_text_input', multiline: true },
    };

    const html = String(
      await blockKitModal({ type: 'modal', title: plain('Reject'), submit: plain('Send'), blocks: [input] }, around),
    );

    expect(html).toMatch(/Reject[\s\S]*Why\?[\s\S]*Send/);
  });

  it.each([
    ['a block that Gleaner does not use', { text: '', blocks: [{ type: 'video' }] }],
    [
      'markup, which Gleaner never sends',
      { text: '', blocks: [{ type: 'header', text: { type: 'mrkdwn', text: '*x*' } }] },
    ],
    ['a field that is none', { text: '', blocks: [{ type: 'divider', colour: 'red' }] }],
    ['no message', 'hello'],
  ])('refuses %s', (_what, message) => {
    expect(() => blockKitMessage(message, around)).toThrow();
  });

  it('is a page of its own in the light or in the dark', async () => {
    const html = String(await blockKitPage('x', [blockKitMessage(rich({ type: 'text', text: 'hi' }), around)], 'dark'));

    expect(html).toMatch(/^<!doctype html>[\s\S]*data-theme="dark"[\s\S]*<span>hi<\/span>/);
  });
});
