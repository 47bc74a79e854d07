import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTION, actionId, encodePressed, type Pressed, parsePressed } from '../../shared/adapters/slack/pressed.ts';
import { REASON_VIEW, readReason, reasonView } from '../../shared/adapters/slack/reason.ts';
import { Choice } from '../../shared/model.ts';

const seed = Number(process.env.GLEANER_SEED ?? 20_260_115);
const APPROVE: Pressed = { do: 'approve', proposal: 'abc-1', revision: 'r1', plan: 'mend', reason: true };
const FROM = { team: 'T1', channel: 'C1', message: '1.2', reply: 'https://hooks.slack.com/actions/x' };
const submitted = (view: object, typed: unknown) => ({
  ...view,
  state: { values: { 'gleaner:reason': { 'gleaner:reason:text': { type: 'plain_text_input', value: typed } } } },
});

describe(`The value of a button (seed ${seed})`, { timeout: 60_000 }, () => {
  it('comes back as it was sent', () => {
    const id = fc.string({ minLength: 1, maxLength: 60 });
    const pressed = fc.record({
      do: fc.constantFrom(...Choice.options, 'details' as const),
      proposal: id,
      revision: id,
    });

    fc.assert(
      fc.property(pressed, (one) => {
        expect(parsePressed(encodePressed(one))).toEqual(one);
      }),
      { seed },
    );
  });

  it.each([
    ['no text', 17],
    ['no JSON', 'approve'],
    ['an unknown choice', JSON.stringify({ ...APPROVE, do: 'format' })],
    ['an unknown field', JSON.stringify({ ...APPROVE, cluster: 'other' })],
    ['no revision', JSON.stringify({ do: 'approve', proposal: 'abc-1' })],
    ['a list', '[]'],
    ['null', 'null'],
    ['more than Slack sends', JSON.stringify({ ...APPROVE, proposal: 'x'.repeat(3_000) })],
    ['a prototype', '{"__proto__":{"do":"approve"}}'],
  ])('is nothing where it holds %s', (_what, value) => {
    expect(parsePressed(value)).toBeUndefined();
  });

  it('never throws, whatever was sent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), (value) => {
        expect(() => parsePressed(value)).not.toThrow();
      }),
      { seed },
    );
  });

  it('has a name that the listeners know', () => {
    expect(actionId('approve', 3)).toBe('gleaner:approve:3');
    expect(actionId('details', 0)).toMatch(ACTION);
    expect('other:approve:0').not.toMatch(ACTION);
  });
});

describe('The modal that asks for a reason', () => {
  it('gives back what was pressed, where, and what was typed', () => {
    const view = reasonView(APPROVE, FROM);

    expect(view.callback_id).toBe(REASON_VIEW);
    expect(readReason(submitted(view, ' the guests are idle '))).toEqual({
      pressed: APPROVE,
      from: FROM,
      reason: 'the guests are idle',
    });
  });

  it('leaves out an address that does not fit, never what was pressed', () => {
    const view = reasonView(APPROVE, { ...FROM, reply: `https://hooks.slack.com/${'x'.repeat(3_000)}` });

    expect(view.private_metadata?.length).toBeLessThanOrEqual(3_000);
    expect(readReason(submitted(view, 'why'))).toEqual({
      pressed: APPROVE,
      from: { team: 'T1', channel: 'C1', message: '1.2' },
      reason: 'why',
    });
  });

  it.each([
    ['of another name', { ...reasonView(APPROVE, FROM), callback_id: 'other' }],
    ['whose memory is no JSON', { ...reasonView(APPROVE, FROM), private_metadata: '{' }],
    [
      'whose memory names another field',
      {
        ...reasonView(APPROVE, FROM),
        private_metadata: JSON.stringify({ pressed: { ...APPROVE, who: 'me' }, from: FROM }),
      },
    ],
  ])('is not read where it is one %s', (_what, view) => {
    expect(readReason(submitted(view, 'why'))).toBeUndefined();
  });

  it('reads an empty answer as an empty reason, which the policy refuses', () => {
    expect(readReason(submitted(reasonView(APPROVE, FROM), null))?.reason).toBe('');
    expect(readReason({ ...reasonView(APPROVE, FROM), state: { values: {} } })).toBeUndefined();
  });
});
