import { beforeAll, describe, expect, it } from 'vitest';
import { REASON_VIEW } from '../../../shared/adapters/slack/reason.ts';
import type { Card } from '../../../shared/card.ts';
import { isObject, type JsonObject } from '../../../shared/objects.ts';
import { ADA, BOB, CHANNEL, TEAM } from '../../doubles/slack/index.ts';
import { everyState } from '../states.ts';
import { receivingBed, TRANSPORTS } from './bed.ts';
import { soon } from './soon.ts';

const APPROVE = 'gleaner:approve:0';
const DETAILS = 'gleaner:details:0';
let open: Card;
let withReason: Card;

beforeAll(async () => {
  const states = await everyState();
  const [first, second] = [states.open?.card, states['open-reason-required']?.card];
  if (!first || !second) throw new Error('the states lack the two that are pressed here');
  open = first;
  withReason = second;
});

/** The same payload with something else in its one action. */
const acting = (set: JsonObject) => (payload: JsonObject) => {
  const [action] = Array.isArray(payload.actions) ? payload.actions : [];
  return { ...payload, actions: [{ ...(isObject(action) ? action : {}), ...set }] };
};

describe.each(TRANSPORTS)('A press of a button over %s', (transport) => {
  it('is published with who, where and what was shown, then acknowledged; it has its receipt', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, APPROVE, ADA);

    expect(delivery).toMatchObject({ acknowledged: true, refused: undefined });
    const [click, ...more] = bed.clicks();
    expect(more).toEqual([]);
    expect(click).toMatchObject({
      ...{ who: `slack:${ADA}`, choice: 'approve', proposal: open.proposal.id, revision: open.proposal.revision },
      ...{ plan: open.plans[0]?.id, from: { team: TEAM, channel: CHANNEL, message: message.ts } },
    });
    expect(click?.from?.reply).toBe(delivery.responseUrl);
    expect(bed.published[1]).toEqual({ fact: { event: 'waited', click }, after: 10_000 });
    expect(await bed.store.get('receipt', click?.id ?? '')).toMatchObject({ item: { id: click?.id } });
    expect(bed.refused).toEqual([]);
  });

  it('has no effect when it is delivered again', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, APPROVE, ADA, transport === 'socket' ? { connections: [0] } : {});
    const again = delivery.request
      ? await bed.slack.replay(delivery.request)
      : await bed.slack.click(message, APPROVE, ADA, { connections: [1, 1], alter: () => delivery.payload });

    expect(again.acknowledged).toBe(true);
    expect(bed.clicks()).toHaveLength(1);
  });

  it('is one click, whoever delivers it twenty times at once', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    let first: JsonObject | undefined;
    const same = (payload: JsonObject) => (first ??= payload);

    const deliveries = await Promise.all(
      Array.from({ length: 20 }, () => bed.slack.click(message, APPROVE, ADA, { alter: same })),
    );

    expect(deliveries.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
    expect(new Set(bed.clicks().map(({ id }) => id)).size).toBe(1);
  });

  it('is another click for each press and each person', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);

    await bed.slack.click(message, APPROVE, ADA);
    await bed.slack.click(message, APPROVE, ADA);
    await bed.slack.click(message, APPROVE, BOB);

    expect(new Set(bed.clicks().map(({ id }) => id)).size).toBe(3);
  });

  it('asks for a reason first where one is needed, and is published with it', async () => {
    const bed = await receivingBed(transport, { cards: [withReason] });
    const message = await bed.show(withReason);

    const pressed = await bed.slack.click(message, APPROVE, ADA);
    const view = bed.slack.openView(ADA);
    if (!view) throw new Error('no form was opened');

    expect(pressed.acknowledged).toBe(true);
    expect(view.content.callback_id).toBe(REASON_VIEW);
    expect(bed.published).toEqual([]);
    const blank = await bed.slack.submit(view, { 'gleaner:reason:text': '   ' });
    expect(blank).toMatchObject({ acknowledged: true, refused: undefined });
    expect(Object.values(view.errors ?? {})).toEqual([expect.stringContaining('Write why')]);
    expect(bed.published).toEqual([]);

    const sent = await bed.slack.submit(view, { 'gleaner:reason:text': ' the guests are idle & <ready> ' });

    expect(sent).toMatchObject({ acknowledged: true, refused: undefined });
    expect(view.state).toBe('submitted');
    expect(bed.clicks()).toMatchObject([
      {
        ...{ choice: 'approve', who: `slack:${ADA}`, reason: 'the guests are idle & <ready>' },
        from: { team: TEAM, channel: CHANNEL, message: message.ts, reply: pressed.responseUrl },
      },
    ]);
  });

  it('sends a form that is sent twice as one click', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    await bed.slack.click(message, 'gleaner:reject:0', ADA);
    const view = bed.slack.openView(ADA);
    if (!view) throw new Error('no form was opened');

    await bed.slack.submit(view, { 'gleaner:reason:text': 'not now' });
    await bed.slack.submit(view, { 'gleaner:reason:text': 'not now' });

    expect(bed.clicks()).toHaveLength(1);
  });

  it('shows the details at once', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, DETAILS, ADA);

    expect(delivery.acknowledged).toBe(true);
    expect(JSON.stringify(bed.slack.openView(ADA)?.content)).toContain(`revision ${open.proposal.revision}`);
    expect(bed.slack.calls('views.update')).toEqual([]);
    expect(bed.published).toEqual([]);
  });

  it('shows no details to a guest, and counts and writes down that one asked', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    bed.slack.add.user({ id: 'U0GUEST', is_restricted: true });
    const message = await bed.show(open);

    await bed.slack.click(message, DETAILS, 'U0GUEST');

    const shown = JSON.stringify(bed.slack.openView('U0GUEST')?.content);
    expect(shown).toContain('Only members of this workspace may read it');
    expect(shown).not.toContain(open.proposal.revision);
    expect(bed.refused).toEqual(['foreign']);
    expect(await bed.audited()).toEqual([expect.stringContaining('slack:U0GUEST')]);
  });

  it('says so when the proposal of the details is gone', async () => {
    const bed = await receivingBed(transport);
    const message = await bed.show(open);

    await bed.slack.click(message, DETAILS, ADA);

    expect(JSON.stringify(bed.slack.openView(ADA)?.content)).toContain('not there any more');
    expect(bed.refused).toEqual(['gone']);
  });

  it('leaves it to the flow to say that a proposal is gone, also where a reason would be asked for', async () => {
    const bed = await receivingBed(transport);
    const message = await bed.show(withReason);

    await bed.slack.click(message, APPROVE, ADA);

    expect(bed.slack.views()).toEqual([]);
    expect(bed.clicks()).toMatchObject([{ choice: 'approve', proposal: withReason.proposal.id }]);
  });

  it('is published with the workspace of the clicker, opens no form for a stranger, and is counted', async () => {
    const bed = await receivingBed(transport, { cards: [withReason] });
    bed.slack.add.team({ id: 'T0OTHER' });
    const stranger = bed.slack.add.user({ id: ADA, team: 'T0OTHER', is_stranger: true });
    bed.slack.channel(CHANNEL).sharedWith.add('T0OTHER');
    const message = await bed.show(withReason);

    await bed.slack.click(message, APPROVE, stranger);

    expect(bed.clicks()).toMatchObject([{ who: `slack:${ADA}`, from: { team: 'T0OTHER' } }]);
    expect(bed.slack.views()).toEqual([]);
    expect(bed.refused).toEqual(['foreign']);
    expect(await bed.audited()).toEqual([expect.stringContaining('T0OTHER')]);
  });

  it('is no press of the message where only one person saw it', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    const ephemeral = (payload: JsonObject): JsonObject => ({
      ...payload,
      container: { ...(isObject(payload.container) ? payload.container : {}), is_ephemeral: true },
    });

    await bed.slack.click(message, APPROVE, ADA, { alter: ephemeral });

    expect(bed.clicks()[0]?.from).not.toHaveProperty('message');
  });

  it.each([
    ['an unknown action', { action_id: 'other:approve:0' }, 'unknown'],
    ['an action of a later version', { action_id: 'gleaner:explain:0' }, 'tampered'],
    ['a value that is none', { value: 'approve it' }, 'tampered'],
    ['a value of another button', { value: '{"do":"undo","proposal":"p","revision":"r"}' }, 'tampered'],
    ['a value with more in it', { value: '{"do":"approve","proposal":"p","revision":"r","force":true}' }, 'tampered'],
    [
      'a choice that has no button',
      { action_id: 'gleaner:stop:0', value: '{"do":"stop","proposal":"p","revision":"r"}' },
      'tampered',
    ],
  ])('with %s does nothing; its sender is told, and it is counted and written down', async (_what, set, kind) => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, APPROVE, ADA, { alter: acting(set) });

    expect(delivery.acknowledged).toBe(true);
    expect(bed.published).toEqual([]);
    expect(bed.refused).toEqual([kind]);
    expect(bed.slack.ephemerals(ADA).map(({ text }) => text)).toEqual([expect.stringContaining('newest card')]);
    expect(await bed.audited()).toEqual([expect.stringContaining(`slack:${ADA}`)]);
  });

  it.each([
    ['no trigger', { trigger_id: null }],
    ['no actions', { actions: [] }],
    ['two actions', { actions: [{ action_id: APPROVE }, { action_id: APPROVE }] }],
    ['a person whose name is no id', { user: { id: 'U1 slack-group:S1' } }],
    ['no place', { channel: null, container: {} }],
  ])('with %s is acknowledged and has no effect', async (_what, set) => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);

    const delivery = await bed.slack.click(message, APPROVE, ADA, { alter: (payload) => ({ ...payload, ...set }) });

    expect(delivery.acknowledged).toBe(true);
    expect(bed.published).toEqual([]);
    expect(bed.refused).toHaveLength(1);
  });

  it('of a form that is none of ours says so in the form', async () => {
    const bed = await receivingBed(transport, { cards: [open] });
    const message = await bed.show(open);
    await bed.slack.click(message, 'gleaner:reject:0', ADA);
    const view = bed.slack.openView(ADA);
    if (!view) throw new Error('no form was opened');
    const forge = (payload: JsonObject): JsonObject => ({
      ...payload,
      view: { ...(isObject(payload.view) ? payload.view : {}), private_metadata: '{"pressed":{"do":"stop"}}' },
    });

    const delivery = await bed.slack.submit(view, { 'gleaner:reason:text': 'now' }, { alter: forge });

    expect(delivery).toMatchObject({ acknowledged: true, refused: undefined });
    expect(JSON.stringify(view.content)).toContain('nothing was done');
    expect(bed.published).toEqual([]);
    expect(bed.refused).toEqual(['tampered']);
  });

  it('tells the clicker when no form can be opened', async () => {
    const bed = await receivingBed(transport, { cards: [withReason] });
    const message = await bed.show(withReason);
    bed.slack.faults.add({ kind: 'error', error: 'internal_error' }, { method: 'views.open' });

    const delivery = await bed.slack.click(message, APPROVE, ADA);

    expect(delivery.acknowledged).toBe(true);
    expect(bed.slack.ephemerals(ADA).map(({ text }) => text)).toEqual([expect.stringContaining('could not be opened')]);
  });

  it('acknowledges an event that nobody asked for, and counts it', async () => {
    const bed = await receivingBed(transport);

    const delivery = await bed.slack.event({ type: 'app_home_opened', user: ADA, channel: 'D0ADA' });

    expect(delivery.acknowledged).toBe(true);
    await soon(() => bed.published.length === 0);
  });
});
