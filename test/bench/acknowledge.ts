import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { INTERACTIONS } from '../../shared/runtime/interact.ts';
import { portOf } from '../kubernetes/loopback.ts';
import { ms, quantile, type Row } from './table.ts';

const SECRET = 'bench-0123456789abcdef';
const EVERY = 20;
const CLICKS = 1_500;
/** Clicks before the first that counts: code that runs for the first time is compiled first. */
const WARMING = 150;

/** How long an acknowledgement takes over HTTP at 50 clicks a second, beside a route that verifies and writes one row. */
export async function acknowledge(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bench-'));
  const [ours, bare] = await Promise.all([started('ours', folder), started('bare', folder)]);
  try {
    const times = await timed(ours.port, bare.port);
    return rowsOf(times.ours, times.bare);
  } finally {
    for (const { child } of [ours, bare]) {
      child.kill();
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function started(what: string, folder: string): Promise<{ child: ChildProcess; port: number }> {
  const path = join(import.meta.dirname, 'acknowledging.ts');
  const child = fork(path, [what, join(folder, `${what}.sqlite`), SECRET]);
  const [address] = await once(child, 'message');
  return { child, port: portOf(address) };
}

/** Sends to both in turn, whether the former was answered or not. */
async function timed(ours: number, bare: number) {
  const agent = new Agent({ keepAlive: true });
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  const waiting: Promise<unknown>[] = [];
  const began = performance.now();
  for (let nth = 0; nth < WARMING + CLICKS; nth++) {
    for (const [half, [port, into]] of [[ours, times.ours] as const, [bare, times.bare] as const].entries()) {
      await pause(Math.max(0, began + nth * EVERY + (half * EVERY) / 2 - performance.now()));
      const answered = click(agent, port, nth).then((took) => void (nth >= WARMING && into.push(took)));
      // A failure is thrown below, when all have been sent.
      waiting.push(answered.catch((error: unknown) => error));
    }
  }
  const [failure] = (await Promise.all(waiting)).filter((error) => error !== undefined);
  agent.destroy();
  if (failure !== undefined) throw failure;
  return times;
}

/** Sends a press of another person each time; answers the milliseconds until its acknowledgement was there. */
function click(agent: Agent, port: number, nth: number): Promise<number> {
  const body = `payload=${encodeURIComponent(JSON.stringify(pressed(nth)))}`;
  const timestamp = Math.floor(Date.now() / 1_000);
  const mac = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${mac}`,
  };
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(
      { agent, port, host: '127.0.0.1', method: 'POST', path: INTERACTIONS, headers },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`a click was answered with ${response.statusCode}`));
        response.resume().on('end', () => resolve(performance.now() - began));
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** As large as Slack's, which repeats the message. */
const pressed = (nth: number) => ({
  type: 'block_actions',
  user: { id: `U${nth}`, username: 'ada', name: 'ada', team_id: 'T0' },
  ...{
    api_app_id: 'A0',
    token: 'none',
    team: { id: 'T0', domain: 't' },
    enterprise: null,
    is_enterprise_install: false,
  },
  container: { type: 'message', message_ts: '1768478400.000001', channel_id: 'C0', is_ephemeral: false },
  ...{ trigger_id: `${nth}.1.x`, channel: { id: 'C0', name: 'ops' }, state: { values: {} } },
  message: { type: 'message', ts: '1768478400.000001', text: 'x'.repeat(600), blocks: [{ filler: 'x'.repeat(8_000) }] },
  response_url: `https://hooks.slack.com/actions/T0/${nth}/x`,
  actions: [
    {
      ...{ type: 'button', action_id: 'gleaner:approve:0', block_id: 'b', action_ts: '1768478400.000002' },
      value: JSON.stringify({
        do: 'approve',
        proposal: '3f9a1c07b2de-51c0aa',
        revision: '77aa10c4be0912f3',
        plan: 'fix',
      }),
    },
  ],
});

function rowsOf(ours: readonly number[], bare: readonly number[]): Row[] {
  const row = (what: string, part: number, aim: string, holds: (mine: number, ratio: number) => boolean): Row => {
    const [mine, theirs] = [quantile(ours, part), quantile(bare, part)];
    const ratio = mine / theirs;
    return {
      ...{ what, measured: ms(mine), beside: `${ms(theirs)} signature and one durable row`, ratio, aim },
      holds: holds(mine, ratio),
    };
  };
  return [
    row(`acknowledgement over HTTP at ${1_000 / EVERY} clicks/s, p50 of ${ours.length}`, 0.5, '-', () => true),
    row('  p99', 0.99, '< 2 times, < 100 ms', (mine, ratio) => ratio < 2 && mine < 100),
  ];
}
