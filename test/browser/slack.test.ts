import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askMessage } from '../../shared/adapters/slack/ask.ts';
import { cardMessage } from '../../shared/adapters/slack/card-message.ts';
import { detailsView } from '../../shared/adapters/slack/details.ts';
import { helpMessage, listMessage, statusMessage } from '../../shared/adapters/slack/lists.ts';
import { answerMessage, noticeMessage } from '../../shared/adapters/slack/notice.ts';
import { reasonView } from '../../shared/adapters/slack/reason.ts';
import { threadMessage } from '../../shared/adapters/slack/thread.ts';
import { blockKitConfirm, blockKitMessage, blockKitModal, blockKitPage } from '../../shared/web/block-kit.ts';
import { ANN, BOB, everyState } from '../slack/states.ts';
import { openBrowser } from './chromium.ts';

/** Where the pictures go that the documents show, when they are asked for. */
const PICTURES =
  process.env.GLEANER_PICTURES === '1' ? join(import.meta.dirname, '..', '..', 'docs', 'pictures') : undefined;

const idOf = (principal: string) => principal.slice(principal.indexOf(':') + 1);
const around = {
  names: { [idOf(ANN)]: 'Ann Baker', [idOf(BOB)]: 'Bob Okoro', S0ONCALL: 'oncall-storage' },
  at: '1:09 PM',
};
const states = await everyState();
const stateOf = (name: string) => {
  const drawing = states[name];
  if (!drawing) throw new Error(`there is no state ${name}`);
  return drawing;
};
const messageOf = (name: string) => {
  const { card, stages } = stateOf(name);
  return blockKitMessage(cardMessage(card), { ...around, replies: stages.length });
};

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

type Parts = Parameters<typeof blockKitPage>[1];

const confirmOf = (blocks: ReturnType<typeof cardMessage>['blocks']): Parts =>
  blocks.flatMap((block) => (block.type === 'actions' ? (blockKitConfirm(block.elements[0]) ?? []) : []));

const PRESSED = { do: 'approve' as const, proposal: 'p', revision: 'r', plan: 'stop-and-start' };
const LAB = {
  id: 'c1',
  name: 'lab',
  flavour: 'Harvester v1.4.1',
  does: 'apply' as const,
  blind: undefined,
  stopped: undefined,
};
const COMMANDS = () => [
  statusMessage(
    [
      LAB,
      { ...LAB, id: 'c2', name: 'plant-2', does: 'observe', blind: 'the watch of nodes is refused' },
      { ...LAB, id: 'c3', name: 'edge-7', stopped: ANN },
    ],
    [stateOf('open').card, stateOf('applying-waits').card],
  ),
  listMessage(
    ['open', 'open-one-of-two', 'applying-waits', 'failed', 'fixed-with-undo'].map((name) => stateOf(name).card),
  ),
  askMessage(stateOf('open-reason-required').card, 'approve'),
  answerMessage({ ok: true, because: 'you approved "Give IPPool pool1 its status back"' }),
  answerMessage({
    ok: false,
    because: 'a newer proposal took its place: read that one',
    see: 'https://example.slack.com/archives/C1/p1',
  }),
  noticeMessage({
    title: 'lab: emergency stop',
    text: 'Nothing is changed on lab until somebody resumes.',
    tone: 'bad',
  }),
  helpMessage(),
];

const CARDS: Readonly<Record<string, { readonly theme: 'light' | 'dark'; readonly cards: readonly string[] }>> = {
  'slack-card': { theme: 'light', cards: ['open'] },
  'slack-card-dark': { theme: 'dark', cards: ['open-one-of-two'] },
  'slack-choices': {
    theme: 'light',
    cards: ['open-reason-required', 'open-fix-and-stopgap', 'storm', 'no-plan', 'undo'],
  },
  'slack-waiting': { theme: 'light', cards: ['snoozed', 'taken', 'observe-only', 'blocked-dry-run'] },
  'slack-running': {
    theme: 'light',
    cards: ['approved', 'applying-waits', 'ask-waits', 'applied-verifying', 'putting-back'],
  },
  'slack-done': { theme: 'dark', cards: ['fixed-with-undo', 'fixed-without-undo', 'reverted', 'failed', 'unknown'] },
  'slack-closed': { theme: 'light', cards: ['rejected', 'expired', 'superseded', 'stale', 'withdrawn'] },
};

/** Each picture with what stands on it. */
const SHEETS: Readonly<Record<string, { readonly theme: 'light' | 'dark'; readonly parts: () => Parts }>> = {
  ...Object.fromEntries(
    Object.entries(CARDS).map(([name, { theme, cards }]) => [name, { theme, parts: () => cards.map(messageOf) }]),
  ),
  'slack-thread': {
    theme: 'light',
    parts: () =>
      ['open-one-of-two', 'applying-waits', 'applied-verifying'].map((name) =>
        blockKitMessage(threadMessage(stateOf(name).card, stateOf(name).stages), around),
      ),
  },
  'slack-confirm': {
    theme: 'light',
    parts: () => confirmOf(cardMessage(stateOf('open').card).blocks),
  },
  'slack-commands': { theme: 'light', parts: () => COMMANDS().map((message) => blockKitMessage(message, around)) },
  'slack-reason': {
    theme: 'dark',
    parts: () => [
      blockKitModal(reasonView(PRESSED, { team: 'T1', channel: 'C1' }, stateOf('open-reason-required').card), around),
    ],
  },
  'slack-details': { theme: 'light', parts: () => [blockKitModal(detailsView(stateOf('open').card), around)] },
};

describe('The preview of what Slack shows', () => {
  it('has a picture of every state of a card', () => {
    const shown = Object.values(CARDS).flatMap(({ cards }) => cards);

    expect([...shown].sort()).toEqual(Object.keys(states).sort());
  });

  it.each(Object.entries(SHEETS))(
    '%s shows each part once and needs no scrolling sideways',
    async (name, { theme, parts }) => {
      const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
      await page.setContent(String(await blockKitPage(name, parts(), theme)));

      expect(await page.locator('main > article').count()).toBe(parts().length);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBeLessThanOrEqual(0);
      if (PICTURES) await page.locator('main').screenshot({ path: join(PICTURES, `${name}.png`) });
      await page.close();
    },
  );
});
