import { SCHEMA, SOURCE } from '../../shared/adapters/sqs/wire.ts';
import { type HopName, ROUTES } from '../../shared/flow/routes.ts';
import { Fact } from '../../shared/model.ts';

type Leaf = string | number | { readonly exists: boolean } | { readonly 'anything-but': readonly (string | number)[] };

/** An event pattern of EventBridge, as far as ours go: each leaf is a list of what it may be. */
export interface Pattern {
  readonly [key: string]: Pattern | readonly Leaf[] | readonly Pattern[];
}

/** EventBridge marks with it what it replays from an archive: a replay must not propose or apply anything again. */
const notReplayed = { 'replay-name': [{ exists: false }] };

/** The rule of one hop: exactly the events that it takes, of the schema that it reads. */
const patternOf = (hop: HopName): Pattern => ({
  source: [SOURCE],
  'detail-type': ROUTES[hop],
  detail: { schema: [SCHEMA] },
  ...notReplayed,
});

/** The rules of the bus by hop. */
export const patterns = (): Readonly<Record<HopName, Pattern>> => ({
  classify: patternOf('classify'),
  propose: patternOf('propose'),
  decide: patternOf('decide'),
  apply: patternOf('apply'),
  verify: patternOf('verify'),
  sweep: patternOf('sweep'),
  notify: patternOf('notify'),
});

/**
 * What claims to be ours and no rule knows: of another release, or of somebody else. Without a rule of its own
 * EventBridge would drop it in silence.
 */
export const STRANGE: Pattern = {
  source: [SOURCE],
  ...notReplayed,
  $or: [
    { 'detail-type': [{ 'anything-but': Fact.options.map(({ shape }) => shape.event.value) }] },
    { detail: { schema: [{ 'anything-but': [SCHEMA] }] } },
    { detail: { schema: [{ exists: false }] } },
  ],
};
