import { apply } from '../flow/apply.ts';
import { classify } from '../flow/classify.ts';
import { decide } from '../flow/decide.ts';
import { propose } from '../flow/propose.ts';
import { type HopName, ROUTES } from '../flow/routes.ts';
import { sweep } from '../flow/sweep.ts';
import { verify } from '../flow/verify.ts';
import { type AnyHop, routed } from './routed.ts';

export { type AnyHop, routed } from './routed.ts';

/** Every hop but `notify`, which a world makes of its chats. */
export const HOPS: Readonly<Record<Exclude<HopName, 'notify'>, AnyHop>> = {
  classify: routed(ROUTES.classify, classify),
  propose: routed(ROUTES.propose, propose),
  decide: routed(ROUTES.decide, decide),
  apply: routed(ROUTES.apply, apply),
  verify: routed(ROUTES.verify, verify),
  sweep: routed(ROUTES.sweep, sweep),
};
