import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './chromium.ts';
import { type PlaygroundProcess, startPlaygroundProcess } from './playground-process.ts';

/** Where the pictures go that the README shows, when they are asked for. */
const PICTURES =
  process.env.GLEANER_PICTURES === '1' ? join(import.meta.dirname, '..', '..', 'docs', 'pictures') : undefined;
const SPEED = 60;

let browser: Browser;
let playground: PlaygroundProcess;
let page: Page;
const problems: string[] = [];
const requested: string[] = [];

beforeAll(async () => {
  [browser, playground] = await Promise.all([openBrowser(), startPlaygroundProcess(SPEED)]);
  page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => requested.push(request.url()));
  page.on('dialog', (dialog) => void dialog.accept());
});

afterAll(async () => {
  await browser?.close();
  await playground?.stop();
});

const picture = async (name: string, of: Page = page) => {
  if (!PICTURES) return;
  // What the last click was answered is no part of the picture.
  await of.evaluate('document.getElementById("answer")?.replaceChildren()');
  await of.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: false });
};
const card = (state: string) => page.locator(`article[data-state="${state}"]`).first();

describe('The page', { timeout: 100_000 }, () => {
  it('opens by its link once, and by nothing else', async () => {
    const root = new URL('/', playground.link).href;
    expect((await fetch(root)).status).toBe(401);

    await page.goto(playground.link);
    await page.getByText('all is well').waitFor();

    expect(page.url()).toBe(root);
    expect((await fetch(playground.link, { redirect: 'manual' })).status).toBe(401);
  });

  it('shows a fault within a minute of the settle window, with six lines first', async () => {
    await page.getByRole('button', { name: /v1\.4\.2-rc1/ }).click();

    await card('open').waitFor({ timeout: 60_000 });

    const lines = card('open').locator('dl.screen dt');
    expect(await lines.allInnerTexts()).toEqual(['Since', 'Users', 'Can it wait', 'Approve', 'For good', 'Who']);
    expect((await card('open').locator('dl.screen').innerText()).length).toBeLessThanOrEqual(650);
    await picture('card');
  });

  it('unfolds the plan with the dry-run diff and the evidence, and keeps it unfolded when the page redraws', async () => {
    await card('open')
      .getByText(/^Plan:/)
      .click();
    await card('open').getByText(/^Why:/).click();

    expect(await card('open').locator('.diff').first().innerText()).toMatch(/nodePlacement/);
    await page.evaluate('draw()');
    expect(await card('open').locator('.diff').first().isVisible()).toBe(true);
    await picture('plan');
  });

  it('says who decides on the plan by the policy in force', async () => {
    expect(
      await card('open')
        .getByText(/^Policy in force/)
        .first()
        .innerText(),
    ).toBe('Policy in force: by local:you; one of them is enough.');
  });

  it('shows who has it in hand', async () => {
    await card('open').getByRole('button', { name: 'I have it' }).press('Enter');

    await card('open')
      .getByText(/^local:you has it until/)
      .waitFor();
  });

  it('silences the object from the keyboard, shows who did and until when, and ends it', async () => {
    const form = card('open').getByRole('form', { name: 'Silence' });
    await card('open').getByText('Silence', { exact: true }).first().press('Enter');
    await form.getByLabel('For how long').selectOption('2h');
    await form.getByLabel('Why').focus();
    await page.keyboard.type('replacing its disk');
    await page.keyboard.press('Enter');

    const silenced = page.getByRole('region', { name: 'Silenced' });
    await silenced.getByText(/ on barn until .* by local:you: replacing its disk$/).waitFor();
    expect(await form.getByLabel('Why').inputValue()).toBe('');
    await silenced.getByRole('button', { name: 'Hear it again' }).press('Enter');
    await silenced.waitFor({ state: 'detached' });
  });

  it('lets a second person in by an invitation, who opens it by a press', async () => {
    const [link = ''] = (await playground.gleaner('invite', 'bob')).split('\n');
    const theirs = await browser.newContext();
    const other = await theirs.newPage();
    await other.goto(link);
    await picture('invitation', other);
    await other.getByRole('button', { name: 'Open as local:bob' }).press('Enter');
    await other.getByText('you are local:bob').waitFor();

    await other.getByRole('button', { name: 'Reject' }).first().press('Enter');
    await other.getByText(/^Not done: local:bob may not decide this: it is for local:you/).waitFor();
    await other.getByText('Who gets in here').press('Enter');

    expect(await other.getByRole('cell', { name: /^local:/ }).allInnerTexts()).toEqual([
      'local:you',
      'local:you',
      'local:bob (you)',
    ]);
    await playground.gleaner('uninvite', 'bob');
    expect((await other.goto(new URL('/', link).href))?.status()).toBe(401);
    await theirs.close();
  });

  it('shows the card as Slack would, and comes back', async () => {
    await card('open').getByText('Timeline').click();
    await card('open').getByRole('link', { name: 'how Slack shows it' }).press('Enter');
    await page.waitForURL(/\/slack\//);

    expect(await page.locator('article.message').getByText('Approve', { exact: true }).count()).toBeGreaterThan(0);
    await page.goBack();
    await card('open').waitFor();
  });

  it('can be decided from the keyboard', async () => {
    const reason = card('open').getByLabel('Reason');
    await reason.focus();
    await page.keyboard.type('the window is open until six');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Approve');
    await page.keyboard.press('Enter');

    await page.getByText(/^Done: local:you approved/).waitFor();
  });

  it('shows the run to its verified end without a reload', async () => {
    await card('fixed').waitFor({ timeout: 90_000 });

    expect(await card('fixed').locator('dl.screen dd').last().innerText()).toMatch(/^fixed: /);
    expect(await card('fixed').getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await picture('fixed');
  });

  it('undoes it as a plan of its own, once the upgrade has ended', async () => {
    await expect
      .poll(
        async () => {
          const undo = card('fixed').getByRole('button', { name: 'Undo' });
          if (await undo.count()) await undo.click().catch(() => undefined);
          return card('open').count();
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(1);
    expect(await card('open').locator('h3').innerText()).toMatch(/^Undo of/);
    await card('open').getByRole('button', { name: 'Approve' }).click();

    await card('fixed').waitFor({ timeout: 60_000 });

    expect(await card('fixed').locator('h3').innerText()).toMatch(/^Undo of/);
  });

  it('loads nothing from elsewhere and throws no error', () => {
    const origin = new URL(playground.link).origin;

    expect(requested.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['a phone in the dark', { width: 360, height: 740 }, 'dark'],
    ['a wide screen in the light', { width: 1600, height: 900 }, 'light'],
  ] as const)('fits %s without scrolling sideways', async (_what, viewport, colorScheme) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });

    for (const summary of await page.locator('summary').all()) {
      if (await summary.isVisible()) await summary.click();
    }
    const overflow = await page.evaluate(`[...document.querySelectorAll('main *')]
      .filter((e) => !e.closest('.scroll, pre') && e.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((e) => e.outerHTML.slice(0, 200))`);

    expect(overflow).toEqual([]);
    await picture(`${colorScheme}-${viewport.width}`);
  });
});
