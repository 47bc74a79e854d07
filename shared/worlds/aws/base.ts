import { systemClock } from '../../adapters/clock/system.ts';
import { connectDynamodb } from '../../adapters/dynamodb/connect.ts';
import { type DynamodbStore, dynamodbStore } from '../../adapters/dynamodb/store.ts';
import { ssmClient } from '../../adapters/ssm/client.ts';
import { type Parameters, ssmParameters } from '../../adapters/ssm/parameters.ts';
import type { Event, Registered } from '../../model.ts';
import type { Clock } from '../../ports/clock.ts';
import { lambdaLog } from '../../runtime/lambda-log.ts';
import type { Log } from '../../runtime/log.ts';
import { type Env, setting } from './environment.ts';

/** What every function has: made at its cold start, kept while it is warm. */
export interface Base {
  readonly env: Env;
  readonly log: Log;
  /** The machine's time, by which is waited. */
  readonly machine: Clock;
  /** The store's time, by which is decided. */
  readonly clock: Clock;
  readonly store: DynamodbStore;
  readonly parameters: Parameters;
}

/** What one delivery is about. */
export interface Delivery {
  readonly event: Event;
  /** Every cluster that is registered, by its id. */
  readonly registered: ReadonlyMap<string, Registered>;
}

/** Opens the store and the parameters. Where they are and who asks, the SDK finds in its own variables. */
export function openBase(env: Env): Base {
  const machine = systemClock;
  const { client, clock } = connectDynamodb({ clock: machine });
  return {
    ...{ env, machine, clock, log: lambdaLog(machine.now, (line) => void process.stdout.write(`${line}\n`)) },
    store: dynamodbStore({ client, clock, table: setting(env, 'GLEANER_TABLE') }),
    parameters: ssmParameters({ client: ssmClient(), clock: machine }),
  };
}
