import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpApp, modal, startHttpApp } from './http-app.ts';
import { ADA } from './index.ts';
import type { View } from './state.ts';

let bed: HttpApp;
let view: View;

/** Opens a modal from a trigger: the first one from a click on the card. */
async function open(trigger_id = ''): Promise<View> {
  await bed.client.views.open({ trigger_id, view: modal('first', true) });
  const opened = bed.slack.openView(ADA);
  if (opened === undefined) throw new Error('no modal is open');
  return opened;
}
const submitAnswered = (body: object) => {
  bed.answering = { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return bed.slack.submit(view, { text: 'because' });
};

beforeEach(async () => {
  bed = await startHttpApp();
  view = await open((await bed.slack.click(bed.card, 'approve', ADA)).triggerId);
});
afterEach(() => bed.stop());

describe('A modal', () => {
  it('that is submitted says what was filled in', async () => {
    const { payload } = await bed.slack.submit(view, { text: 'because' });

    expect(payload).toMatchObject({
      type: 'view_submission',
      view: {
        id: view.id,
        hash: view.hash,
        state: { values: { why: { text: { type: 'plain_text_input', value: 'because' } } } },
      },
    });
    expect(view.state).toBe('submitted');
  });

  it('cannot be submitted where Slack would not let a person', async () => {
    await expect(bed.slack.submit(view, {})).rejects.toThrow('text must be filled in');
    await expect(bed.slack.submit(view, { text: 'x'.repeat(11) })).rejects.toThrow('text takes 10 characters at most');
    await expect(bed.slack.submit(view, { text: 'x', when: 'now' })).rejects.toThrow('no input named when');
  });

  it('stays open where nobody acknowledges the submission', async () => {
    bed.answering = { status: 500 };
    await bed.slack.submit(view, { text: 'because' });

    expect(view.state).toBe('open');
  });

  it('becomes another one by an acknowledgement that says so', async () => {
    await submitAnswered({ response_action: 'update', view: modal('second') });

    expect(view).toMatchObject({ state: 'open', content: { blocks: [{ text: { text: 'second' } }] } });
  });

  it('is covered by another one, and closed with it by `clear`', async () => {
    await submitAnswered({ response_action: 'push', view: modal('on top', true) });
    const top = bed.slack.openView(ADA);
    expect(top).toMatchObject({ previousId: view.id, rootId: view.id });
    await submitAnswered({ response_action: 'clear' });

    expect(bed.slack.openView(ADA)).toBeUndefined();
  });

  it('refuses acknowledgements that Slack would not take', async () => {
    const refused = [
      await submitAnswered({ response_action: 'update', view: modal('x'.repeat(3_001)) }),
      await submitAnswered({ response_action: 'errors', errors: { nowhere: 'Say more' } }),
      await submitAnswered({ ok: true }),
    ].map((delivery) => delivery.refused);

    expect(refused).toEqual([
      expect.stringContaining('must be less than 3001 characters'),
      'errors of blocks that are not there: nowhere',
      'not a response_action: {"ok":true}',
    ]);
    expect(view.state).toBe('open');
  });

  it('that is dismissed tells the app, where the view asks for it', async () => {
    const told = await bed.slack.dismiss(view);

    expect(told?.payload).toMatchObject({ type: 'view_closed', is_cleared: false, view: { id: view.id } });
    expect(bed.slack.openView(ADA)).toBeUndefined();
  });
});

describe('A second modal', () => {
  it('goes on top by views.push, three deep at most', async () => {
    const push = async () => {
      const top = bed.slack.openView(ADA) ?? view;
      await bed.client.views.update({ view_id: top.id, view: withButton });
      const { triggerId: trigger_id = '' } = await bed.slack.click(top, 'more', ADA);
      return bed.client.views.push({ trigger_id, view: withButton });
    };
    const withButton = {
      ...modal('x'),
      blocks: [
        {
          type: 'actions' as const,
          elements: [
            { type: 'button' as const, action_id: 'more', text: { type: 'plain_text' as const, text: 'More' } },
          ],
        },
      ],
    };
    await push();
    await push();

    await expect(push()).rejects.toThrow('push_limit_reached');
  });
});

describe('In a workspace of an enterprise', () => {
  it('payloads and people name the enterprise', async () => {
    bed.slack.add.team({ id: 'T0GLEANER', enterprise: { id: 'E0ACME', name: 'Acme' } });
    const { payload } = await bed.slack.click(bed.card, 'approve', ADA);

    expect(payload).toMatchObject({
      enterprise: { id: 'E0ACME', name: 'Acme' },
      team: { id: 'T0GLEANER', enterprise_id: 'E0ACME' },
      is_enterprise_install: false,
    });
    const { user } = await bed.client.users.info({ user: ADA });
    expect(user?.enterprise_user).toMatchObject({ enterprise_id: 'E0ACME', teams: ['T0GLEANER'] });
  });
});
