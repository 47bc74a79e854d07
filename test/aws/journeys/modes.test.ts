import { afterEach, describe, expect, it } from 'vitest';
import { drills } from '../../../handlers/drills.ts';
import { QUEUED } from '../../../infra/aws/functions.ts';
import { verifyChain } from '../../../shared/audit.ts';
import type { Proposal } from '../../../shared/model.ts';
import { type PretendCluster, startPretendCluster } from '../../../shared/playground/start-pretend-cluster.ts';
import { chance } from '../../conformance/chance.ts';
import { ADA, CHANNEL, type Message } from '../../doubles/slack/index.ts';
import { type Cloud, type CloudOptions, startCloud } from './cloud.ts';
import { type Watched, watched } from './writes.ts';

const SEED = Number(process.env.GLEANER_SEED ?? 1);

const CONFIG = `
people: { ada: ["slack:${ADA}"] }
policy:
${['low', 'medium', 'high']
  .map(
    (risk) => `  ${risk}: { approvers: ["slack:${ADA}"], quorum: 1, requesterMayApprove: true, reasonRequired: false }`,
  )
  .join('\n')}
slack: { channel: ${CHANNEL} }
`;

interface Journey {
  readonly cloud: Cloud;
  readonly cluster: PretendCluster;
  readonly api: Watched;
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The stack, with one registered cluster that it may touch. */
async function begin(flavour: 'harvester' | 'rancher', ill: Omit<CloudOptions, 'config'> = {}): Promise<Journey> {
  const cloud = await startCloud({ config: CONFIG, ...ill });
  open.push(cloud.stop);
  const cluster = await startPretendCluster({ flavour, name: 'barn', clock: cloud.clock, drills });
  open.push(cluster.stop);
  const api = await watched(cluster.url);
  open.push(api.close);
  // Its watcher is heard, so that nothing is told of it.
  const beatAt = '2099-01-01T00:00:00.000Z';
  const row = { id: cluster.id, name: 'barn', flavour, does: 'apply' as const, beatAt };
  await cloud.register(row, cluster.kubeconfig().replace(cluster.url, api.url));
  return { cloud, cluster, api };
}

const approve = ({ blocks }: Message) => /"(gleaner:approve:[^"]*)"/.exec(JSON.stringify(blocks))?.[1];
const isOpen = (message: Message) => approve(message) !== undefined;

/** The card in the channel, once it can be approved. */
const card = ({ cloud }: Journey, mode: string) =>
  cloud.until(`a card of ${mode}`, () =>
    cloud.slack.messages(CHANNEL).find((message) => message.threadTs === undefined && isOpen(message)),
  );

const proposals = async ({ cloud }: Journey) => (await cloud.store.list('proposal')).map(({ item }) => item);

const ended = (journey: Journey) =>
  journey.cloud.until('the run is verified', async (): Promise<Proposal | undefined> => {
    const all = await proposals(journey);
    return all.find(({ state }) => ['fixed', 'failed', 'unknown', 'stale', 'reverted'].includes(state));
  });

/** How often a function was cut off in each journey of that kind: a short one may go through by chance. */
const mishaps: number[] = [];

describe.each(drills)('The packaged functions find, show, mend and verify $mode', ({ mode, on }) => {
  it('with the services at their best', { timeout: 300_000 }, async () => {
    const journey = await begin(on);
    await journey.cluster.break(mode);

    const shown = await card(journey, mode);
    const clicked = await journey.cloud.slack.click(shown, approve(shown) ?? '', ADA);
    const proposal = await ended(journey);

    expect(clicked).toMatchObject({ acknowledged: true, status: 200 });
    expect(proposal).toMatchObject({ state: 'fixed', found: { mode } });
    await expectOnce(journey, proposal);
  });

  it.each([
    ['with the services at their worst', { chance: chance(SEED) }],
    ['with functions that are cut off at any moment', { cutOff: chance(SEED) }],
    ['with both', { chance: chance(SEED + 1), cutOff: chance(SEED + 1) }],
  ])(`%s (seed ${SEED})`, { timeout: 300_000 }, async (_what, ill) => {
    const journey = await begin(on, ill);
    await journey.cluster.break(mode);

    const shown = await card(journey, mode);
    await journey.cloud.slack.click(shown, approve(shown) ?? '', ADA);
    const proposal = await ended(journey);

    expect(proposal).toMatchObject({ state: 'fixed', found: { mode } });
    await expectOnce(journey, proposal);
    if ('cutOff' in ill) mishaps.push(journey.cloud.mishaps());
  });
});

it('has cut functions off in those journeys', () => {
  expect(mishaps.length).toBe(drills.length * 2);
  expect(Math.max(...mishaps)).toBeGreaterThan(0);
});

const TOUCHES = new Set(['patch', 'delete', 'call', 'restart']);

/** Every step took effect once, one card tells of it, nothing was set aside, and the audit log holds. */
async function expectOnce({ cloud, api }: Journey, { run, found, approvals }: Proposal): Promise<void> {
  const steps = found.offer.plans.find(({ id }) => id === approvals[0]?.plan)?.steps ?? [];
  const touched = steps.filter((step, index) => TOUCHES.has(step.do) && run.steps[index]?.is === 'done');
  expect(touched.length).toBeGreaterThan(0);
  expect(api.writes.filter(({ status }) => status < 300)).toHaveLength(touched.length);
  const [card, ...more] = cloud.slack.messages(CHANNEL).filter(({ threadTs }) => threadTs === undefined);
  expect(more).toEqual([]);
  await cloud.until('the card has no button to approve', () => (card && !isOpen(card)) || undefined);
  for (const hop of QUEUED) expect(cloud.bus.queue(`${hop}-dead`).peek()).toEqual([]);
  const lines = await cloud.store.audit(0, 100_000);
  expect(lines.length).toBeGreaterThan(10);
  expect(verifyChain(lines)).toMatchObject({ ok: true });
  expect(cloud.refused).toEqual([]);
}
