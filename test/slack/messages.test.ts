import { describe, expect, it } from 'vitest';
import { digestMessage, helpMessage, listMessage, statusMessage } from '../../shared/adapters/slack/lists.ts';
import { answerMessage, noticeMessage } from '../../shared/adapters/slack/notice.ts';
import { threadMessage } from '../../shared/adapters/slack/thread.ts';
import type { ClusterStatus } from '../../shared/ports/desk.ts';
import { checkMessage } from '../doubles/slack/blocks/check.ts';
import { entitiesOf } from '../doubles/slack/entities.ts';
import { ANN, everyState } from './states.ts';

const states = await everyState();
const cardOf = (name: string) => {
  const drawing = states[name];
  if (!drawing) throw new Error(`there is no state ${name}`);
  return drawing.card;
};
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));
/** What a person reads, in one line. */
const read = (blocks: unknown) =>
  [...JSON.stringify(blocks).matchAll(/"(?:text|user_id)":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, text]) => text)
    .join('')
    .replace(/ +/g, ' ');
const LAB: ClusterStatus = {
  id: 'c1',
  name: 'lab',
  flavour: 'Harvester v1.4.1',
  does: 'apply',
  blind: undefined,
  stopped: undefined,
};
const at = '2026-01-15T12:06:00.000Z';

describe('The thread', () => {
  it('tells several stages in one message, the oldest first, with who did it as a name', () => {
    const stages = [
      { at, is: 'approved', who: ANN, because: `${ANN} approved "Mend it": now` },
      { at: '2026-01-15T12:07:00.000Z', is: 'step 1: done', because: 'node1 was changed' },
      { at: '2026-01-15T12:08:00.000Z', is: 'taken', who: ANN, because: 'for 30 min' },
    ];

    const { text, blocks } = threadMessage(cardOf('open'), stages);

    expect(read(blocks)).toBe(
      '12:06 Approved U0ANN approved \\"Mend it\\": now12:07 Step 1: done node1 was changed12:08 In hand for 30 min, by U0ANN',
    );
    expect(text).toBe('lab: In hand: for 30 min');
  });

  it('tells the last fifteen of very many stages, and where the others are', () => {
    const stages = Array.from({ length: 200 }, (_, index) => ({
      at,
      is: `step ${index + 1}: done`,
      because: 'x'.repeat(900),
    }));

    const { text, blocks } = threadMessage(cardOf('open'), stages);

    expect(read(blocks)).toMatch(/^185 earlier stages: gleaner show 3f9a1c07b2de-51c0aa12:06 Step 186: done/);
    expect(checkMessage({ text, blocks: asJson(blocks) })).toBeUndefined();
  });
});

describe('Lists', () => {
  const cards = ['open', 'applying-waits', 'fixed-with-undo'].map(cardOf);

  it('count what waits, what runs and what is over', () => {
    expect(read(listMessage(cards).blocks)).toMatch(/^1 waits for a decision, 1 under way, 1 over/);
    expect(read(listMessage([]).blocks)).toBe('No known fault is seen on any cluster.');
  });

  it('show fifteen of two hundred, and say how many are left', () => {
    const all = Array.from({ length: 200 }, () => cardOf('open'));

    for (const { text, blocks } of [listMessage(all), digestMessage(all)]) {
      expect(read(blocks)).toContain('and 185 more');
      expect(checkMessage({ text, blocks: asJson(blocks) })).toBeUndefined();
    }
  });

  it('say of each cluster whether it may be changed, is seen, was stopped and by whom, and what waits there', () => {
    const stopped = {
      ...LAB,
      id: 'c2',
      name: 'edge',
      does: 'observe' as const,
      blind: 'nodes cannot be watched',
      stopped: ANN,
    };

    expect(read(statusMessage([LAB, stopped], cards).blocks)).toBe(
      '2 clusters; 1 waits for a decision, 1 under way, 1 over' +
        ' lab Harvester v1.4.1; applies what is approved; 1 waits for a decision, 1 under way, 1 over' +
        ' edge Harvester v1.4.1; only observes; nothing seen wrong; stopped by U0ANN; blind: nodes cannot be watched',
    );
    expect(read(statusMessage([], []).blocks)).toContain('name one in gleaner.yaml');
  });

  it('name every command in the help', () => {
    for (const word of [
      'status',
      'incidents',
      'show',
      'diagnose',
      'approve',
      'reject',
      'undo',
      'silence',
      'unsilence',
      'stop',
      'resume',
    ]) {
      expect(read(helpMessage().blocks)).toContain(`/gleaner ${word}`);
    }
  });
});

describe('An answer', () => {
  it('links to the card to read instead, and to nothing but https', () => {
    const link = (see: string) =>
      entitiesOf({ blocks: asJson(answerMessage({ ok: false, because: 'no', see }).blocks) });

    expect(link('https://example.slack.com/archives/C1/p1').map(({ to }) => to)).toEqual([
      'https://example.slack.com/archives/C1/p1',
    ]);
    expect(link('javascript:alert(1)')).toEqual([]);
  });

  it('says first whether it took effect', () => {
    expect(answerMessage({ ok: true, because: 'you approved it' }).text).toBe('Done: you approved it');
    expect(read(noticeMessage({ title: 'lab: blind', text: 'nodes cannot be watched', tone: 'bad' }).blocks)).toBe(
      ' lab: blindnodes cannot be watched',
    );
  });
});
