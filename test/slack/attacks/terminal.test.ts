import { describe, expect, it } from 'vitest';
import { consoleChat } from '../../../shared/adapters/console/chat.ts';
import { printer } from '../../../shared/worlds/commands.ts';

describe('The terminal beside which Gleaner runs', () => {
  it('shows one harmless line of whatever somebody in Slack gave as a reason', async () => {
    const lines: string[] = [];
    const chat = consoleChat(printer({ out: (text) => void lines.push(text) }));
    const click = { id: 'c1', who: 'slack:U1' as const, choice: 'reject' as const };

    await chat.answer(click, {
      ok: false,
      because: 'no\r\u001b[2J\u001b]0;owned\u0007\napproved   by local:ann \u202Exif',
    });

    expect(lines).toEqual([expect.stringMatching(/^refused {1,4}slack:U1 reject: no [^\p{Cc}\p{Cf}]*\n$/u)]);
  });
});
