import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { Interactions } from '../../../shared/adapters/slack/app.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { type SocketHealth, slackSocket } from '../../../shared/adapters/slack/socket.ts';
import { slackApi } from '../../../shared/adapters/slack/web-api.ts';
import { openDatabase } from '../../../shared/adapters/sqlite/database.ts';
import { sqliteStore } from '../../../shared/adapters/sqlite/store.ts';
import type { Question } from '../../../shared/model.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { ADA, startSlack, TEAM } from '../../doubles/slack/index.ts';
import { soon } from './soon.ts';

/** The machine's time, whose waits are a twentieth as long. */
const hasty: Clock = { now: systemClock.now, after: (ms, then) => systemClock.after(ms / 20, then) };

async function socketBed({
  connections = 1,
  clock = hasty,
  rates = false,
  before = (_slack: Awaited<ReturnType<typeof startSlack>>) => {},
} = {}) {
  const slack = await startSlack({ clock: systemClock, rates, target: 'socket' });
  onTestFinished(() => slack.stop());
  before(slack);
  const [health, warnings, questions]: [SocketHealth[], string[], Question[]] = [[], [], []];
  const warn = (because: string) => void warnings.push(because);
  const receiver = slackSocket({
    ...{ appToken: slack.appToken, url: slack.apiUrl, clock, connections, random: () => 0 },
    health: (one) => void health.push(one),
  });
  const api = slackApi({ token: slack.botToken, url: slack.apiUrl });
  const app = new Interactions(receiver, {
    ...{ api, warn, clock: systemClock, store: sqliteStore(openDatabase(':memory:')), refused: async () => {} },
    bus: {
      publish: async (outgoing) =>
        outgoing.forEach(({ fact }) => void (fact.event === 'asked' && questions.push(fact.question))),
    },
    ...{ home: () => ({ team: TEAM }), card: async () => undefined },
    directory: slackDirectory({ api, clock: systemClock, team: TEAM }),
  });
  const began = performance.now();
  await app.start();
  const startTook = performance.now() - began;
  onTestFinished(() => app.stop().then(() => undefined));
  const isUp = () => slack.sockets.connections.length === connections && health.at(-1)?.connected === connections;
  return { slack, health, warnings, questions, startTook, isUp, app };
}

describe('Socket Mode', () => {
  it('starts at once, while Slack is away, and connects when it is back', async () => {
    const { slack, health, startTook, isUp } = await socketBed({
      before: ({ faults }) => void faults.add({ kind: 'hang' }, { method: 'apps.connections.open', times: 1 }),
    });

    expect(startTook).toBeLessThan(100);
    await soon(() => health.length > 0);
    expect(health[0]).toEqual({ connected: 0, because: expect.stringContaining('Slack opened no connection') });
    await soon(isUp);
    expect(health.at(-1)).toEqual({ connected: 1, because: undefined });
    expect((await slack.command('/gleaner', 'status', ADA)).acknowledged).toBe(true);
  });

  it.each([
    ['the connection is cut', 'cut'],
    ['Slack closes it', 'close'],
  ] as const)('is there again after %s, and says so meanwhile', async (_what, how) => {
    const { slack, health, questions, isUp } = await socketBed();
    await soon(isUp);
    const [first] = slack.sockets.connections;

    first?.[how]();
    await soon(() => slack.sockets.connections[0] !== undefined && slack.sockets.connections[0].id !== first?.id);
    await soon(isUp);

    expect(health.map(({ connected }) => connected)).toEqual([1, 0, 1]);
    expect((await slack.command('/gleaner', 'status', ADA)).acknowledged).toBe(true);
    expect(questions).toHaveLength(1);
  });

  it('connects anew when Slack asks for it', async () => {
    const { slack, isUp } = await socketBed();
    await soon(isUp);
    const [first] = slack.sockets.connections;

    first?.disconnect('refresh_requested');
    await soon(() => slack.sockets.connections.some(({ id }) => id !== first?.id));
    await soon(isUp);

    expect((await slack.command('/gleaner', 'status', ADA)).acknowledged).toBe(true);
  });

  it('loses nothing with two connections while one of them is renewed', async () => {
    const { slack, health, isUp } = await socketBed({ connections: 2 });
    await soon(isUp);
    slack.sockets.connections[0]?.cut();

    const delivery = await slack.command('/gleaner', 'status', ADA);

    expect(delivery.acknowledged).toBe(true);
    expect(Math.min(...health.slice(2).map(({ connected }) => connected))).toBeGreaterThan(0);
    await soon(isUp);
  });

  it('answers one envelope on two connections twice, as one question', async () => {
    const { slack, questions, isUp } = await socketBed({ connections: 2 });
    await soon(isUp);

    await slack.command('/gleaner', 'status', ADA, { connections: [0, 1] });
    await soon(() => slack.sockets.acks.length === 2);

    expect(new Set(questions.map(({ id }) => id)).size).toBe(1);
  });

  it('waits as long as Slack asks before the second connection, and has the first meanwhile', async () => {
    const { slack, health } = await socketBed({ connections: 2, rates: true, clock: systemClock });
    await soon(() => health.some(({ connected }) => connected === 1));
    await soon(() => slack.calls('apps.connections.open').length === 2);

    expect(slack.calls('apps.connections.open').map(({ outcome }) => outcome)).toEqual(['ok', 'ratelimited']);
    expect((await slack.command('/gleaner', 'status', ADA)).acknowledged).toBe(true);
  });

  it('keeps asking with a token that Slack refuses, ever more slowly, and names the refusal', async () => {
    const { slack, health } = await socketBed({
      before({ token, appToken }) {
        token(appToken).state = 'token_revoked';
      },
    });

    await soon(() => slack.calls('apps.connections.open').length >= 4);

    expect(health).toEqual([{ connected: 0, because: expect.stringContaining('token_revoked') }]);
    expect(JSON.stringify(health)).not.toContain(slack.appToken);
    const times = slack.calls('apps.connections.open').map(({ at }) => at.getTime());
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThan((times[1] ?? 0) - (times[0] ?? 0));
  });

  it('ends when it is stopped, also while it connects', async () => {
    const up = await socketBed();
    await soon(up.isUp);
    await up.app.stop();
    await soon(() => up.slack.sockets.connections.length === 0);

    const connecting = await socketBed({
      before: ({ faults }) => void faults.add({ kind: 'hang' }, { method: 'apps.connections.open' }),
    });
    await connecting.app.stop();
    connecting.slack.faults.clear();

    expect(connecting.slack.calls('apps.connections.open').length).toBeLessThan(2);
    expect(connecting.slack.sockets.connections).toHaveLength(0);
  });
});
