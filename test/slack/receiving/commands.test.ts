import { describe, expect, it } from 'vitest';
import { ADA, CHANNEL, TEAM } from '../../doubles/slack/index.ts';
import { receivingBed, TRANSPORTS } from './bed.ts';

describe.each(TRANSPORTS)('A command over %s', (transport) => {
  it('that asks is published as a question, and acknowledged without a word', async () => {
    const bed = await receivingBed(transport);

    const delivery = await bed.slack.command('/gleaner', 'approve `1f3a`', ADA);

    expect(delivery).toMatchObject({ acknowledged: true, refused: undefined });
    expect(bed.questions()).toMatchObject([
      {
        ...{ who: `slack:${ADA}`, ask: { is: 'show', id: '1f3a', to: 'approve' } },
        from: { team: TEAM, channel: CHANNEL, reply: delivery.responseUrl },
      },
    ]);
    expect(bed.slack.ephemerals()).toEqual([]);
    expect(bed.clicks()).toEqual([]);
  });

  it('that decides for a cluster is published as a click', async () => {
    const bed = await receivingBed(transport);

    await bed.slack.command('/gleaner', 'silence Node/node1 2h new disk & <fan> --cluster lab', ADA);

    expect(bed.clicks()).toMatchObject([
      {
        ...{ choice: 'silence', what: 'Node/node1', lasts: '2h', reason: 'new disk & <fan>', cluster: 'lab' },
        ...{ who: `slack:${ADA}`, from: { team: TEAM, channel: CHANNEL } },
      },
    ]);
    expect(bed.published).toHaveLength(2);
  });

  it('that asks for help is answered at once, to its sender alone', async () => {
    const bed = await receivingBed(transport);

    const delivery = await bed.slack.command('/gleaner', '', ADA);

    expect(delivery).toMatchObject({ acknowledged: true, refused: undefined });
    expect(JSON.stringify(bed.slack.ephemerals(ADA).map(({ blocks }) => blocks))).toContain('/gleaner incidents');
    expect(bed.published).toEqual([]);
  });

  it('that is mistyped is answered with the nearest one', async () => {
    const bed = await receivingBed(transport);

    await bed.slack.command('/gleaner', 'stopp', ADA);

    expect(JSON.stringify(bed.slack.ephemerals(ADA).map(({ blocks }) => blocks))).toContain('did you mean stop?');
    expect(bed.published).toEqual([]);
  });

  it('of another name is answered in words', async () => {
    const bed = await receivingBed(transport);

    const delivery = await bed.slack.command('/gleaned', 'stop', ADA);

    expect(delivery.acknowledged).toBe(true);
    expect(bed.slack.ephemerals(ADA).map(({ text }) => text)).toEqual([expect.stringContaining('nothing was done')]);
    expect(bed.published).toEqual([]);
    expect(bed.refused).toEqual(['unknown']);
  });
});
