import { sweep } from '../../flow/sweep.ts';
import type { Duration } from '../../handler.ts';
import type { Registered } from '../../model.ts';
import { type LambdaContext, lambdaTick } from '../../runtime/lambda.ts';
import { openBase } from './base.ts';
import { type Env, setting } from './environment.ts';
import { hopOn } from './hop.ts';
import { counted } from './metric.ts';
import { registry } from './registered.ts';
import { busOf, consuming, type Part } from './world.ts';

/** The clock as the handler of a Lambda function: a schedule invokes it, and its queue, with what watchers tell. */
export function sweepFunction(env: Env, every: Duration, parts: readonly Part[]) {
  const base = openBase(env);
  const { log, clock, store } = base;
  const onQueue = hopOn(base, 'sweep', () => sweep, parts);
  const onTick = lambdaTick({
    ...{ every, log },
    async open() {
      const { bus } = busOf(base);
      const registered = registry(base);
      await store.ready();
      const run = consuming(base, ['ticked'], sweep, parts);
      return {
        bus,
        async run(event) {
          const outgoing = await run(event);
          log.info(
            missed([...(await registered()).values()], clock.now(), setting(env, 'GLEANER_STAGE')),
            'heartbeats',
          );
          return outgoing;
        },
      };
    },
  });
  return (input: unknown, context: LambdaContext) =>
    Object(input).Records === undefined ? onTick(input, context) : onQueue(input, context);
}

/** How many watchers are missed now: the alarm rings until they are heard again. */
function missed(registered: readonly Registered[], now: Date, stage: string) {
  const gone = registered.filter(({ missedSince }) => missedSince !== undefined);
  return { ...counted('MissedHeartbeats', gone.length, stage, now), missed: gone.map(({ name }) => name).slice(0, 20) };
}
