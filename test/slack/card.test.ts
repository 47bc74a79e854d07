import type { Button, KnownBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { askMessage } from '../../shared/adapters/slack/ask.ts';
import { cardMessage } from '../../shared/adapters/slack/card-message.ts';
import { detailsView } from '../../shared/adapters/slack/details.ts';
import { parsePressed } from '../../shared/adapters/slack/pressed.ts';
import { isUndecided } from '../../shared/model.ts';
import { checkMessage, checkView } from '../doubles/slack/blocks/check.ts';
import { entitiesOf } from '../doubles/slack/entities.ts';
import { pictureOf } from './found.ts';
import { ANN, drawn, everyState } from './states.ts';

const states = await everyState();
const cardOf = (name: string) => {
  const drawing = states[name];
  if (!drawing) throw new Error(`there is no state ${name}`);
  return drawing.card;
};
const buttonsIn = (blocks: readonly KnownBlock[]): Button[] =>
  blocks.flatMap((block) => {
    if (block.type === 'actions') return block.elements.filter((element) => element.type === 'button');
    return block.type === 'section' && block.accessory?.type === 'button' ? [block.accessory] : [];
  });
const labels = (name: string) => buttonsIn(cardMessage(cardOf(name)).blocks).map(({ text }) => text.text);
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));
const textOf = (value: unknown) =>
  [...JSON.stringify(value).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join(' ');

describe('The card in Slack', () => {
  it.each(Object.keys(states))('%s is a message and details that Slack takes', (name) => {
    const message = cardMessage(cardOf(name));

    expect(checkMessage({ text: message.text, blocks: asJson(message.blocks) })).toBeUndefined();
    expect(checkView(asJson(detailsView(cardOf(name))))).toBeUndefined();
  });

  it.each(Object.keys(states))('%s has buttons that decide only while it waits for a decision', (name) => {
    const card = cardOf(name);
    const choices = buttonsIn(cardMessage(card).blocks).map(({ value }) => parsePressed(value)?.do);

    const deciding = choices.filter((choice) => ['approve', 'reject', 'snooze', 'take'].includes(choice ?? ''));
    expect(deciding.length > 0).toBe(isUndecided(card.proposal.state));
    expect(choices).toContain('details');
  });

  it('offers what the state allows, in words', () => {
    expect(labels('open')).toEqual(['Approve', 'Reject…', 'Snooze 1 h', 'I have it', 'Details']);
    expect(labels('open-reason-required')).toEqual(['Approve…', 'Reject…', 'Snooze 1 h', 'I have it', 'Details']);
    expect(labels('open-fix-and-stopgap')).toEqual([
      'Approve',
      'Approve stopgap…',
      'Reject…',
      'Snooze 1 h',
      'I have it',
      'Details',
    ]);
    expect(labels('snoozed')).toEqual(['Approve', 'Reject…', 'Details']);
    expect(labels('no-plan')).toEqual(['Reject…', 'Snooze 1 h', 'I have it', 'Details']);
    expect(labels('observe-only')).not.toContain('Approve');
    expect(labels('ask-waits')).toEqual(['Done', 'Details']);
    expect(labels('fixed-with-undo')).toEqual(['Undo', 'Details']);
    expect(labels('fixed-without-undo')).toEqual(['Details']);
    expect(labels('failed')).toEqual(['Run it again', 'Details']);
    expect(labels('expired')).toEqual(['Diagnose again', 'Details']);
    expect(labels('superseded')).toEqual(['Details']);
  });

  it('shows six lines of 600 characters first while it waits for a decision', () => {
    const [, , situation, decision] = cardMessage(cardOf('open')).blocks;

    const lines = [situation, decision].flatMap((block) => (block?.type === 'rich_text' ? block.elements : []));
    expect(lines).toHaveLength(6);
    expect(textOf(lines).length).toBeLessThanOrEqual(640);
  });

  it('confirms an approval with what it does and what is lost for good, in green for a low risk and red for a high one', async () => {
    const [low] = buttonsIn(cardMessage(cardOf('open')).blocks);
    const vms = await pictureOf('blocked-harvester-pod/no-status');
    const noReason = drawn(vms).card;
    const plans = noReason.plans.map((plan) => ({ ...plan, deciders: { ...plan.deciders, reasonRequired: false } }));
    const [high] = buttonsIn(cardMessage({ ...noReason, plans }).blocks);

    expect(low).toMatchObject({ style: 'primary', confirm: { style: 'primary' } });
    expect(high).toMatchObject({ style: 'danger', confirm: { style: 'danger', confirm: { text: 'Approve' } } });
    expect(high?.confirm?.text.text).toMatch(/^Stops default\/vm1.*For good: What default\/vm1 hold in memory is lost/);
  });

  it('asks for the reason in a modal where the policy wants one: then nothing is confirmed before', () => {
    const [approve] = buttonsIn(cardMessage(cardOf('open-reason-required')).blocks);

    expect(parsePressed(approve?.value)).toMatchObject({ do: 'approve', plan: 'stop-and-start', reason: true });
    expect(approve?.confirm).toBeUndefined();
  });

  it('carries the record and the revision that was shown in every button', () => {
    const { proposal } = cardOf('open-fix-and-stopgap');

    for (const { value } of buttonsIn(cardMessage(cardOf('open-fix-and-stopgap')).blocks)) {
      expect(parsePressed(value)).toMatchObject({ proposal: proposal.id, revision: proposal.revision });
    }
  });

  it('gives every button a name of its own that stays the same when the card is drawn anew', () => {
    for (const name of Object.keys(states)) {
      const ids = buttonsIn(cardMessage(cardOf(name)).blocks).map(({ action_id: id }) => id);

      expect(new Set(ids).size).toBe(ids.length);
      expect(buttonsIn(cardMessage(cardOf(name)).blocks).map(({ action_id: id }) => id)).toEqual(ids);
    }
  });

  it('names who approved as Slack names people, and nobody whom only a text names', async () => {
    const picture = await pictureOf('ippool-status-wiped/s1-zeros-from-claims');
    const because = `${ANN}: ask slack:U0VICTIM, <@U0VICTIM> and slack-group:S0ADMINS`;
    const timeline = [{ at: '2026-01-15T12:09:00.000Z', is: 'rejected', who: ANN, because }];

    const { card } = drawn(picture, { state: 'rejected', because, timeline });
    const { text, blocks } = cardMessage(card);

    expect(entitiesOf({ text, blocks: asJson(blocks) }).map(({ to }) => to)).toEqual(['U0ANN']);
  });

  it('says of a storm how many of what', () => {
    expect(textOf(cardMessage(cardOf('storm')).blocks)).toContain('2 × Node');
  });

  it('says what to do by hand, with the command whole, while a person is asked', () => {
    const shown = textOf(cardMessage(cardOf('ask-waits')).blocks);

    expect(shown).toContain('To do by hand');
    expect(shown).toContain('systemctl status rke2-server');
  });

  it('leaves a command out that does not fit, rather than to show another one', async () => {
    const picture = await pictureOf('node-not-ready/unhealthy-disk');
    const [plan] = picture.found.offer.plans;
    const [step] = plan?.steps ?? [];
    if (!plan || step?.do !== 'ask') throw new Error('the case asks nobody');
    const steps = [{ ...step, command: `rm -rf /var/lib/old ${'x'.repeat(5_000)}` }];
    const found = { ...picture.found, offer: { ...picture.found.offer, plans: [{ ...plan, steps }] } };
    const run = {
      steps: [{ is: 'waiting' as const, since: '2026-01-15T12:00:00.000Z', because: 'asked' }],
      recovery: [],
    };

    const { card } = drawn({ ...picture, found }, { state: 'applying', plan: plan.id, run });

    expect(textOf(cardMessage(card).blocks)).not.toContain('rm -rf');
    expect(textOf(cardMessage(card).blocks)).toContain(`gleaner show ${card.proposal.id} has it`);
  });
});

describe('The details', () => {
  it('hold the cause with its release, the evidence, the steps with the dry run and kubectl, and the prevention', () => {
    const shown = textOf(detailsView(cardOf('open')));

    for (const part of [
      'ui-extension-wiped-status (certain)',
      'fixed in:',
      'status.allocatedAddress',
      '+ /status/total: 11',
      'kubectl patch ippool',
      'Only while',
      'Raise Rancher',
    ]) {
      expect(shown).toContain(part);
    }
  });

  it('are cut by us, with a pointer to the rest', async () => {
    const picture = await pictureOf('stuck-pre-drained/placement-absent');
    const evidence = Array.from({ length: 200 }, () => picture.found.evidence).flat();

    const view = detailsView(drawn({ ...picture, found: { ...picture.found, evidence } }).card);

    expect(view.blocks.length).toBeLessThanOrEqual(100);
    expect(textOf(view)).toMatch(/\d+ more parts are left out here: +gleaner show/);
    expect(checkView(asJson(view))).toBeUndefined();
  });
});

describe('A typed decision', () => {
  it('shows what it does and the revision, with the one button that decides', () => {
    const { blocks } = askMessage(cardOf('open'), 'approve');

    expect(buttonsIn(blocks).map(({ text }) => text.text)).toEqual(['Approve', 'Details']);
    expect(textOf(blocks)).toContain('revision 77aa10c4be0912f3');
  });

  it.each([
    ['fixed-with-undo', 'approve', 'It cannot be approved now'],
    ['open', 'undo', 'It cannot be undone now'],
    ['blocked-dry-run', 'approve', 'the cluster would refuse it'],
    ['no-plan', 'approve', 'a backup of VM prod/db is under way'],
  ] as const)('says of %s why there is nothing to %s', (name, choice, because) => {
    const { blocks } = askMessage(cardOf(name), choice);

    expect(buttonsIn(blocks)).toEqual([]);
    expect(textOf(blocks)).toContain(because);
  });
});
