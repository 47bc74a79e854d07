import { sqsInbox } from '../../adapters/sqs/inbox.ts';
import { type HopName, ROUTES } from '../../flow/routes.ts';
import type { Hop } from '../../flow/world.ts';
import { lambdaHop } from '../../runtime/lambda.ts';
import { type Base, openBase } from './base.ts';
import { type Env, setting } from './environment.ts';
import { busOf, consuming, type Part } from './world.ts';

type Takes<H extends HopName> = (typeof ROUTES)[H][number];

/** A hop of the flow as the handler of a Lambda function behind its queue. */
export function hopFunction<H extends HopName>(
  name: H,
  env: Env,
  hopOf: (base: Base) => Hop<Takes<H>>,
  parts: readonly Part[] = [],
) {
  return hopOn(openBase(env), name, hopOf, parts);
}

/** The same over a base that is there already. */
export function hopOn<H extends HopName>(
  base: Base,
  name: H,
  hopOf: (base: Base) => Hop<Takes<H>>,
  parts: readonly Part[],
) {
  const takes: readonly Takes<H>[] = ROUTES[name];
  return lambdaHop({
    hop: name,
    log: base.log,
    async open() {
      const { sqs, queueOf, delays, bus } = busOf(base);
      const inbox = sqsInbox({
        ...{ client: sqs, clock: base.clock, hop: name, takes, delays },
        ...{ queue: queueOf(name), deadLetters: setting(base.env, 'GLEANER_DEAD_LETTERS') },
      });
      // Before it nothing is decided by the clock.
      await base.store.ready();
      return { run: consuming(base, takes, hopOf(base), parts), bus, inbox };
    },
  });
}
