import { describe, expect, it } from 'vitest';
import type { Stage } from '../../../shared/model.ts';
import { type Bed, OPS } from './bed.ts';
import { expectPolite, inChannel, jsonOf, jsonsOf, proposed, repliesTo } from './seen.ts';
import { wireBed } from './wire-bed.ts';

const stage = (bed: Bed, is: string, because: string): Stage => ({ at: bed.at(), is, because });

describe('The card of an incident', () => {
  it('is posted once, and its channel is told nothing else', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());

    await bed.publish(proposed('p1'), proposed('p1'));
    await bed.pass(60);

    expect(bed.slack.calls().map(({ method }) => method)).toEqual(['chat.postMessage']);
    expect((await bed.store.get('post', 'i1'))?.item).toMatchObject({
      ...{ proposal: 'p1', channel: OPS, message: bed.slack.messages()[0]?.ts, told: 1 },
    });
    expect(bed.pending()).toBe(0);
  });

  it('follows the record in place, and its thread gets every stage that the card did not tell', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish(proposed('p1'));
    await bed.pass(5);

    await bed.records.change('p1', stage(bed, 'approved', 'slack:U0ADA'), { state: 'approved', plan: 'mend' });
    await bed.publish({ event: 'applying', proposal: 'p1' });
    await bed.records.change('p1', stage(bed, 'step 1: done', 'patched'), { state: 'applying' });
    await bed.publish({ event: 'applying', proposal: 'p1' });
    await bed.pass(30);

    const [card, ...others] = inChannel(bed.slack);
    expect(others).toEqual([]);
    expect(jsonOf(card)).not.toContain('gleaner:approve');
    expect(card?.versions.map(({ by }) => by)).toEqual(['chat.postMessage', 'chat.update']);
    expect(jsonsOf(repliesTo(bed.slack, card?.ts))).toEqual([expect.stringMatching(/Approved.*patched/s)]);
    expectPolite(bed.slack);
    expect(bed.pending()).toBe(0);
  });

  it('shows a newer revision in place, after the thread was told why', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish(proposed('p1'));
    await bed.pass(5);

    await bed.records.change('p1', stage(bed, 'superseded', 'the cluster changed'), { state: 'superseded' });
    await bed.records.open('i1', 'p2', bed.now(), { revision: 'r2' });
    await bed.publish(proposed('p2'), { event: 'superseded', proposal: 'p1', by: 'p2' });
    await bed.pass(30);

    const [card, ...others] = inChannel(bed.slack);
    expect(others).toEqual([]);
    expect(jsonOf(card)).toContain('p2');
    expect(jsonOf(card)).not.toContain('"p1"');
    expect(jsonsOf(repliesTo(bed.slack, card?.ts))).toEqual([expect.stringMatching(/the cluster changed.*Proposed/s)]);
    expect((await bed.store.get('post', 'i1'))?.item).toMatchObject({ proposal: 'p2', told: 1 });
  });

  it('shows an undo in place', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish(proposed('p1'));
    await bed.pass(5);
    await bed.records.change('p1', stage(bed, 'fixed', 'mended'), { state: 'fixed', plan: 'mend' });
    await bed.records.open('i1', 'p2', bed.now(), { undoes: 'p1' });

    await bed.publish({ event: 'fixed', proposal: 'p1', because: 'mended' }, proposed('p2'));
    await bed.pass(30);

    expect(inChannel(bed.slack)).toHaveLength(1);
    expect((await bed.store.get('post', 'i1'))?.item.proposal).toBe('p2');
  });

  it('is a new message when the fault is proposed anew, after the former one was brought to its end', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish(proposed('p1'));
    await bed.pass(5);
    await bed.records.change('p1', stage(bed, 'rejected', 'known'), { state: 'rejected' });
    await bed.records.open('i1', 'p2', bed.now());

    await bed.publish(proposed('p2'));
    await bed.pass(30);

    const [former, card, ...others] = inChannel(bed.slack);
    expect(others).toEqual([]);
    expect(jsonOf(former)).not.toContain('gleaner:approve');
    expect(jsonOf(card)).toContain('gleaner:approve');
    expect((await bed.store.get('post', 'i1'))?.item).toMatchObject({ proposal: 'p2', message: card?.ts });
  });

  it('is posted anew when somebody deleted it', async () => {
    const bed = await wireBed();
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish(proposed('p1'));
    await bed.pass(5);
    for (const message of bed.slack.messages()) message.deletedAt = bed.now();

    await bed.records.change('p1', stage(bed, 'rejected', 'known'), { state: 'rejected' });
    await bed.publish({ event: 'expired', proposal: 'p1' });
    await bed.pass(30);

    const [anew, ...others] = inChannel(bed.slack);
    expect(others).toEqual([]);
    expect((await bed.store.get('post', 'i1'))?.item).toMatchObject({ message: anew?.ts, told: 2 });
    expect(repliesTo(bed.slack, anew?.ts)).toHaveLength(1);
  });

  it.each(['invalid_blocks', 'msg_blocks_too_long'])(
    'is shown plainly where Slack refuses it with %s',
    async (code) => {
      const bed = await wireBed();
      bed.slack.faults.add({ kind: 'error', error: code }, { times: 1 });
      await bed.records.open('i1', 'p1', bed.now());

      await bed.publish(proposed('p1'));
      await bed.pass(30);

      const [card, ...others] = inChannel(bed.slack);
      expect(others).toEqual([]);
      expect(jsonOf(card)).toMatch(/gleaner show p1/);
      expect(bed.warnings).toEqual([expect.stringContaining(code)]);
      expect(bed.pending()).toBe(0);
    },
  );

  it('relies on no promise that died with its delivery', async () => {
    let isDying = false;
    const bed = await wireBed({
      die(where) {
        if (!isDying || where !== 'before the delivery ends') return;
        isDying = false;
        throw new Error('dead');
      },
    });
    await bed.records.open('i1', 'p1', bed.now());
    await bed.publish(proposed('p1'));
    await bed.pass(0.25);
    await bed.records.change('p1', stage(bed, 'approved', 'slack:U0ADA'), { state: 'approved', plan: 'mend' });
    isDying = true;
    await bed.publish({ event: 'applying', proposal: 'p1' });
    await bed.pass(0.25);
    const row = await bed.store.get('post', 'i1');
    if (!row?.item.dueBy) throw new Error('nothing was promised');
    await bed.store.put('post', { ...row.item, told: 2, dueAt: '2026-01-15T13:00:00.000Z' }, row.version);
    await bed.pass(30);

    await bed.records.change('p1', stage(bed, 'failed', 'broken'), { state: 'failed' });
    await bed.publish({ event: 'failed', proposal: 'p1', because: 'broken' });
    await bed.pass(30);

    expect(jsonsOf(repliesTo(bed.slack, inChannel(bed.slack)[0]?.ts))).toEqual([expect.stringMatching(/broken/)]);
  });

  it('goes nowhere, and the log says so once, while no channel is named', async () => {
    const bed = await wireBed({ channelOf: () => undefined });
    await bed.records.open('i1', 'p1', bed.now());
    await bed.records.open('i2', 'p2', bed.now());

    await bed.publish(proposed('p1'), proposed('p2'));
    await bed.pass(10);

    expect(bed.slack.calls()).toEqual([]);
    expect(bed.warnings).toEqual([expect.stringContaining('SLACK_CHANNEL')]);
    expect(bed.pending()).toBe(0);
  });
});
