import fc from 'fast-check';
import { type Json, JsonValue, type Plan, type Step } from '../../shared/handler.ts';
import { type Found, type Proposal, ProposalState, type StepRecord } from '../../shared/model.ts';

/** What an attacker, or a cluster by chance, calls things. */
const HOSTILE = [
  ...['<!channel>', '<!here>', '<!everyone>', '<!subteam^S0ADMINS|admins>', '<@U0VICTIM>', '<#C0GENERAL>', '@here'],
  ...[
    '<http://evil.example/x|https://harvesterhci.io>',
    'https://evil.example/x',
    'evil.example',
    'mailto:a@evil.example',
  ],
  ...[
    '*bold* _it_ ~no~ `code`',
    '```\nkubectl delete ns --all\n```',
    ':rotating_light:',
    '&lt;!channel&gt;',
    '&amp;',
    '>>> quoted',
  ],
  ...[
    '\u202Egnp.exe\u202C',
    '\u2066\u2067x\u2069',
    'شبكة',
    'pool\u200B1',
    '\uFEFFpool1',
    'a\u0000b\u0007c\u001B[31m',
    '\uD83D',
    '\uDE00\uD83D',
  ],
  ...[
    'slack:U0VICTIM',
    'slack:U0VICTIM approved it: yes',
    'slack-group:S0ADMINS',
    '<!date^1392734382^{date}|x>',
    '',
    ' ',
    '\n\n- /status: 1',
  ],
];
/** Text of any kind, hostile or long or both. */
export const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.array(fc.constantFrom(...HOSTILE, 'pool1', ' '), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 5_000, size: 'max' }),
  fc.constantFrom('&'.repeat(5_000), 'x'.repeat(5_000), '<!channel> '.repeat(450), '😀'.repeat(2_500)),
);
const some = text.map((value) => value || 'x');
/** A few, or the same few so often that they cannot all be shown. */
const many = <T>(of: fc.Arbitrary<T>, { least = 0, most = 45 } = {}) =>
  fc
    .tuple(fc.array(of, { minLength: least, maxLength: 3 }), fc.constantFrom(1, 1, 1, most / 3))
    .map(([few, times]) => Array.from({ length: times }, () => few).flat());

const ref = fc.record(
  { apiVersion: fc.constantFrom('v1', 'kubevirt.io/v1'), kind: some, name: some },
  { requiredKeys: ['apiVersion', 'kind', 'name'] },
);
const json = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 2 }).map((value) => JsonValue.parse(JSON.parse(JSON.stringify(value)))),
  fc.array(text, { maxLength: 20 }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('patch' as const),
    target: ref,
    because: some,
    patch: fc.record({ type: fc.constant('merge' as const), body: fc.dictionary(text, json, { maxKeys: 3 }) }),
  }),
  fc.record({ do: fc.constant('delete' as const), target: ref, because: some }),
  fc.record({ do: fc.constant('wait' as const), target: ref, because: some, until: some, deadline: fc.constant('5m') }),
  fc.record({
    do: fc.constant('ask' as const),
    target: ref,
    because: some,
    what: text,
    command: text,
    deadline: fc.constant('5m'),
  }),
);
const plan: fc.Arbitrary<Plan> = fc.record({
  ...{ id: fc.uuid(), title: text, risk: fc.constantFrom('low', 'medium', 'high'), stopgap: fc.boolean(), does: text },
  ...{
    blastRadius: text,
    irreversible: fc.option(text),
    preconditions: many(text),
    steps: many(step, { least: 1 }),
    onFailure: many(step),
  },
  undo: fc.record({ offered: fc.constant(false as const), because: some }),
});
const evidence = fc.record({ object: ref, field: text, value: json, because: some });
const found: fc.Arbitrary<Found> = fc.record({
  ...{
    cluster: fc.constant('c1'),
    mode: fc.constant('m'),
    subject: ref,
    finding: fc.constantFrom<Json>({ storm: true }, {}),
  },
  ...{
    cause: text,
    confidence: fc.constantFrom('certain', 'probable', 'suspected'),
    summary: text,
    because: text,
    users: text,
  },
  mayWait: fc.record({ untilMorning: fc.boolean(), because: text }),
  evidence: many(evidence, { most: 210 }),
  offer: fc.record({
    refusal: fc.option(fc.record({ because: some })),
    plans: fc.uniqueArray(plan, { maxLength: 4, selector: ({ id }) => id }),
    prevention: fc.option(text),
  }),
});

export const at = '2026-01-15T12:00:00.000Z';
const who = fc.constantFrom('slack:U0ANN', 'local:cleo', 'hook:ci');
const record: fc.Arbitrary<StepRecord> = fc.record({
  is: fc.constantFrom('started', 'waiting', 'done', 'already-so', 'failed', 'unknown'),
  since: fc.constant(at),
  because: text,
});
const stage = fc.record({
  at: fc.constant(at),
  is: fc.oneof(fc.constantFrom('approved', 'rejected', 'snoozed'), text),
  who,
  because: fc.oneof(
    text,
    text.map((rest) => `slack:U0ANN: ${rest}`),
  ),
});

/** A record in any state, of which every text is hostile. */
export const proposal: fc.Arbitrary<Proposal> = fc
  .tuple(
    found,
    fc.constantFrom(...ProposalState.options),
    many(record),
    many(stage, { least: 1 }),
    fc.boolean(),
    many(json),
  )
  .map(([seen, state, records, timeline, isTaken, values]) => {
    const chosen = seen.offer.plans[0];
    const differences = values.map((value, index) => ({
      path: `/${JSON.stringify(value)}`,
      ...(index % 2 ? { before: value } : {}),
      after: value,
    }));
    return {
      ...{ schema: 1, id: 'abc-1', incident: 'abc', cluster: 'c1', revision: 'r1', state, found: seen, timeline },
      dryRuns: Object.fromEntries(
        seen.offer.plans.map(({ id, steps }) => [id, steps.map(() => ({ is: 'would-change' as const, differences }))]),
      ),
      ...{ openedAt: at, expiresAt: at, remindAt: at, changedAt: at, because: timeline.at(-1)?.because ?? '' },
      approvals: chosen ? [{ click: 'k', who: 'slack:U0ANN', at, plan: chosen.id, policy: 'p' }] : [],
      ...(chosen && { plan: chosen.id }),
      run: {
        steps: records.slice(0, chosen?.steps.length ?? 0),
        recovery: records.slice(0, chosen?.onFailure.length ?? 0),
      },
      ...(isTaken && { taker: 'slack:U0ANN' }),
    };
  });
