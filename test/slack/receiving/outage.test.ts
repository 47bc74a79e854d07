import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import type { Card } from '../../../shared/card.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { ADA } from '../../doubles/slack/index.ts';
import { everyState } from '../states.ts';
import { receivingBed, TRANSPORTS } from './bed.ts';

const APPROVE = 'gleaner:approve:0';
const NEVER = new Promise<never>(() => {});
const hanging: Bus = { publish: () => NEVER };
const failing: Bus = { publish: () => Promise.reject(new Error('the disk is full')) };
let open: Card;
let withReason: Card;

beforeAll(async () => {
  const states = await everyState();
  const [first, second] = [states.open?.card, states['open-reason-required']?.card];
  if (!first || !second) throw new Error('the states lack the two that are pressed here');
  open = first;
  withReason = second;
});

/** The machine's time, whose waits are a tenth as long. */
const hasty: Clock = { now: systemClock.now, after: (ms, then) => systemClock.after(ms / 10, then) };

describe.each(TRANSPORTS)('While clicks cannot be kept, over %s', (transport) => {
  it.each<[string, Bus, string]>([
    ['fails', failing, 'nothing was decided'],
    ['hangs', hanging, 'may not be kept'],
  ])('a press is acknowledged in time and its sender told, when the bus %s', async (_how, bus, said) => {
    const bed = await receivingBed(transport, { bus, clock: hasty, cards: [open] });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, APPROVE, ADA, { within: 1_500 });

    expect(delivery.acknowledged).toBe(true);
    expect(bed.slack.ephemerals(ADA).map(({ text }) => text)).toEqual([expect.stringContaining(said)]);
    expect(bed.warnings).toEqual([expect.stringContaining('a click was not kept')]);
    expect(bed.warnings[0]).not.toContain('response_url');
  });

  it('a command is answered in words', async () => {
    const bed = await receivingBed(transport, { bus: failing, clock: hasty });

    await bed.slack.command('/gleaner', 'stop', ADA);
    await bed.slack.command('/gleaner', 'status', ADA);

    const told = bed.slack.ephemerals(ADA).map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining('Try again'), expect.stringContaining('Try again')]);
  });

  it('a form stays open with what was typed, and says why', async () => {
    const bed = await receivingBed(transport, { bus: hanging, clock: hasty, cards: [withReason] });
    const message = await bed.show(withReason);
    await bed.slack.click(message, APPROVE, ADA);
    const view = bed.slack.openView(ADA);
    if (!view) throw new Error('no form was opened');

    const delivery = await bed.slack.submit(view, { 'gleaner:reason:text': 'the guests are idle' });

    expect(delivery).toMatchObject({ acknowledged: true, refused: undefined });
    expect(view.state).toBe('open');
    expect(Object.values(view.errors ?? {})).toEqual([expect.stringContaining('may not be kept')]);
  });

  it('details that cannot be read in time say so in their modal, which opened at once', async () => {
    const bed = await receivingBed(transport, { clock: hasty, cards: [open], readTakes: NEVER });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, 'gleaner:details:0', ADA, { within: 1_500 });

    expect(delivery.acknowledged).toBe(true);
    expect(bed.slack.views()[0]?.contents.map((content) => JSON.stringify(content))).toEqual([
      expect.stringContaining('Looking it up'),
      expect.stringContaining('cannot read the record'),
    ]);
  });

  it('a press is acknowledged in time although Slack itself answers nothing', async () => {
    const bed = await receivingBed(transport, { bus: failing, clock: hasty, cards: [open] });
    const message = await bed.show(open);
    bed.slack.faults.add({ kind: 'hang' });

    const delivery = await bed.slack.click(message, APPROVE, ADA, { within: 1_500 });

    expect(delivery.acknowledged).toBe(true);
    expect(bed.warnings).toContainEqual(expect.stringContaining('could not be told'));
  });
});
