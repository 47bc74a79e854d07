import type { EventName, Fact } from '../model.ts';

/** Which hop takes which events: the rules of the bus, the same in process and on EventBridge. */
export const ROUTES = {
  classify: ['observed', 'undo-asked'],
  propose: ['found', 'cleared'],
  decide: ['clicked'],
  apply: ['decided', 'applying'],
  verify: ['applied', 'verifying'],
  sweep: ['ticked', 'beat'],
  notify: [
    'proposed',
    'superseded',
    'withdrawn',
    'decided',
    'refused',
    'answered',
    'waited',
    'asked',
    'unsent',
    'untold',
    'applying',
    'applied',
    'stale',
    'fixed',
    'failed',
    'unknown',
    'reverted',
    'expired',
    'reminded',
    'stopped',
    'resumed',
    'silenced',
    'unsilenced',
    'policy-changed',
    'unheard',
    'heard',
    'blinded',
    'sighted',
  ],
} as const satisfies Readonly<Record<string, readonly EventName[]>>;

/**
 * What two facts have in common of which one is enough while it waits: each says to look, and the look sees what both are
 * of. Who asked for one wants an answer to it.
 */
export const sameLook = (fact: Fact): string | undefined =>
  fact.event === 'observed' && !fact.asked ? `${fact.cluster}/${fact.mode}` : undefined;

export type HopName = keyof typeof ROUTES;
