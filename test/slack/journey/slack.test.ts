import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pool from '../../../handlers/ippool-status-wiped/drill.ts';
import upgrade from '../../../handlers/stuck-pre-drained/drill.ts';
import { type Playground, startPlayground } from '../../../shared/worlds/playground.ts';
import { connectSlack } from '../../../shared/worlds/slack.ts';
import { ADA, BOB, CHANNEL, type Message, type SlackDouble, startSlack } from '../../doubles/slack/index.ts';

/** Fast enough to see a verification window through; what is said to Slack keeps Slack's own pace. */
const SPEED = 60;
const warnings: string[] = [];
const log = {
  info() {},
  warn: (_: object, what: string) => warnings.push(what),
  error: (_: object, what: string) => warnings.push(what),
};

let slack: SlackDouble;
let playground: Playground;

beforeAll(async () => {
  slack = await startSlack({ clock: { now: () => new Date() }, target: 'socket' });
  const way = { is: 'socket' as const, appToken: slack.appToken };
  const settings = { botToken: slack.botToken, way, channel: CHANNEL, url: slack.apiUrl };
  playground = await startPlayground({
    ...{ speed: SPEED, log, guests: [`slack:${ADA}`] },
    slack: connectSlack({ settings, channelOf: () => undefined, speed: SPEED, log }),
  });
}, 30_000);

afterAll(async () => {
  await playground?.stop();
  await slack?.stop();
});

/** Waits for something that the double shows, at most so long. */
async function until<T>(what: string, probe: () => T | undefined, seconds = 45): Promise<T> {
  for (let left = seconds * 10; left > 0; left--) {
    const seen = probe();
    if (seen !== undefined) return seen;
    await pause(100);
  }
  throw new Error(
    `waited ${seconds} s in vain for ${what}: ${JSON.stringify(slack.messages().map(textOf)).slice(0, 2_000)}`,
  );
}

const textOf = (message: Message) => JSON.stringify(message.newest);
const cardOf = (about: RegExp) =>
  slack.messages(CHANNEL).find((message) => message.threadTs === undefined && about.test(textOf(message)));
const card = () => cardOf(/pool1/);
const stalled = () => cardOf(/upgrade to/i);
const buttonsOf = (message: Message | undefined) =>
  [...(message ? textOf(message) : '').matchAll(/"action_id":"(gleaner:[a-z]+:\d+)"/g)].map(([, id = '']) => id);
const button = (message: Message, choice: string) =>
  buttonsOf(message).find((id) => id.startsWith(`gleaner:${choice}:`)) ?? '';
const told = (user: string) => slack.ephemerals(user).map(textOf).join('\n');

describe('A fault, from Slack', { timeout: 60_000 }, () => {
  it('shows on one card, with its buttons', async () => {
    await until('Socket Mode', () => (slack.sockets.connections.length > 0 ? true : undefined));
    await playground.break(pool.mode);

    const shown = await until('a card', card);

    expect(buttonsOf(shown).map((id) => id.split(':')[1])).toEqual(['approve', 'reject', 'snooze', 'take', 'details']);
  });

  it('tells somebody who may not decide why, and changes nothing', async () => {
    const shown = await until('a card', card);
    const delivery = await slack.click(shown, button(shown, 'approve'), BOB);

    expect(delivery.acknowledged).toBe(true);
    await until('the refusal', () => (/may not decide this/.test(told(BOB)) ? true : undefined));
    expect((await playground.gleaner.world.store.list('proposal')).every(({ item }) => item.state === 'open')).toBe(
      true,
    );
  });

  it('shows its details in a modal, with the dry run', async () => {
    const shown = await until('a card', card);
    await slack.click(shown, button(shown, 'details'), ADA);

    const view = await until('the modal', () => slack.openView(ADA));

    expect(JSON.stringify(view.content)).toMatch(/The dry run would change/);
  });

  it('is mended by one approval, its card updated in place and its thread told each stage', async () => {
    const shown = await until('a card', card);
    await slack.click(shown, button(shown, 'approve'), ADA);

    const mended = await until('the end of the run', () => {
      const now = card();
      return now && /Fixed/.test(textOf(now)) ? now : undefined;
    });

    expect(mended.ts).toBe(shown.ts);
    expect(buttonsOf(mended).some((id) => /approve|reject|snooze|take/.test(id))).toBe(false);
    expect(told(ADA)).toMatch(/approved/);
    const thread = await until('the thread', () => {
      const replies = slack.thread(CHANNEL, shown.ts).map(textOf).join('\n');
      return /fixed|Fixed/.test(replies) ? replies : undefined;
    });
    expect(thread).toContain(ADA);
    expect(
      slack.messages(CHANNEL).filter((message) => message.threadTs === undefined && /pool1/.test(textOf(message))),
    ).toHaveLength(1);
  });

  it('leaves in the audit log who decided, by their name in Slack, and no token anywhere', async () => {
    const audit = (await playground.gleaner.world.store.audit(0, 10_000)).map(({ text }) => text).join('\n');

    expect(audit.includes(`slack:${ADA}`)).toBe(true);
    expect(audit.includes(`slack:${BOB}`)).toBe(true);
    for (const secret of [slack.botToken, slack.appToken, '/actions/', '/commands/'])
      expect(`${audit}\n${warnings.join('\n')}`).not.toContain(secret);
  });

  it('answers what is typed: a list, one card, a refusal in words', async () => {
    await slack.command('/gleaner', 'incidents', ADA);
    await until('the list', () => (/pool1/.test(told(ADA)) ? true : undefined));
    const delivery = await slack.command('/gleaner', 'frobnicate', BOB);

    expect(JSON.stringify(delivery.body)).toMatch(/no command frobnicate/);
  });

  it('is approved by what is typed only after it was shown, and undone from its card', async () => {
    await playground.break(upgrade.mode);
    const shown = await until('a card', () => (stalled() && buttonsOf(stalled()).length > 0 ? stalled() : undefined));
    const id = /show ([0-9a-f]+-[0-9a-f]+)/.exec(textOf(shown))?.[1] ?? '';
    await slack.command('/gleaner', `approve ${id}`, ADA);
    const asked = await until('the question', () => slack.ephemerals(ADA).find((one) => textOf(one).includes('Does')));

    await slack.click(asked, button(asked, 'approve'), ADA);

    const mended = await until('the end of the run', () => {
      const now = stalled();
      return now && button(now, 'undo') !== '' ? now : undefined;
    });
    await slack.click(mended, button(mended, 'undo'), ADA);
    await until('the undo', () => (/Undo|not yet/.test(told(ADA) + textOf(stalled() ?? mended)) ? true : undefined));
  });
});
