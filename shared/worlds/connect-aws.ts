import * as z from 'zod';
import { connectDynamodb } from '../adapters/dynamodb/connect.ts';
import { removeItem } from '../adapters/dynamodb/remove.ts';
import { dynamodbStore } from '../adapters/dynamodb/store.ts';
import { ssmClient } from '../adapters/ssm/client.ts';
import { type ParameterKeeper, parameterKeeper } from '../adapters/ssm/keep.ts';
import type { StackGiven } from '../cli/connect.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

/** A person's line to AWS may be longer than a function's. */
const ANSWERED = 10_000;

/** Which AWS is meant, beside what the SDK finds itself: only tests say more than the region. */
export interface Wires {
  readonly dynamodb?: Omit<Parameters<typeof connectDynamodb>[0], 'clock'>;
  readonly ssm?: Parameters<typeof ssmClient>[0];
}

/** A Gleaner on AWS, as somebody who sets it up has it before them. */
export interface Stack {
  /** How to say again which one is meant, on a command line. */
  readonly options: string;
  readonly region: string | undefined;
  readonly ingest: string | undefined;
  readonly bus: string | undefined;
  /** The names of the parameters of one cluster. */
  readonly names: (cluster: string) => { readonly kubeconfig: string; readonly keys: string };
  readonly parameters: ParameterKeeper;
  readonly store: Store;
  /** The store's time. */
  readonly clock: Clock;
  /** Removes a cluster's row, if it is still of that version. */
  forget(id: string, version: number): Promise<boolean>;
}

/** What the stack writes into its parameter `/gleaner/<stage>/stack`. */
const Told = z.object({
  schema: z.literal(1),
  table: z.string(),
  bus: z.string().optional(),
  ingest: z.url().optional(),
});

/** Opens the stack that is meant. Throws an Error of one line where it cannot be found or asked. */
export async function openStack(
  given: StackGiven,
  env: Readonly<Record<string, string | undefined>>,
  { clock: machine, wires = {} }: { readonly clock: Clock; readonly wires?: Wires },
): Promise<Stack> {
  const region = given.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  const where = region === undefined ? {} : { region };
  const requestHandler = { connectionTimeout: 5_000, requestTimeout: ANSWERED, throwOnRequestTimeout: true };
  const parameters = parameterKeeper(ssmClient({ requestHandler, ...where, ...wires.ssm }));
  const { prefix, table, ingest, bus, options } = await placeOf(given, env, parameters);
  const { client, clock } = connectDynamodb({ ...where, ...wires.dynamodb, clock: machine, answered: ANSWERED });
  const store = dynamodbStore({ client, clock, table });
  await store.ready();
  return {
    ...{ parameters, store, clock, region, ingest: given.ingest ?? ingest, bus: given.bus ?? bus },
    options: given.region === undefined ? options : `${options} --region ${given.region}`,
    names: (cluster) => ({ kubeconfig: `${prefix}/clusters/${cluster}`, keys: `${prefix}/watcher-keys/${cluster}` }),
    forget: (id, version) => removeItem({ client, table }, 'cluster', id, version),
  };
}

interface Place {
  readonly prefix: string;
  readonly table: string;
  readonly options: string;
  readonly ingest?: string | undefined;
  readonly bus?: string | undefined;
}

async function placeOf(
  { table, parameters: prefix, stack: named }: StackGiven,
  env: Readonly<Record<string, string | undefined>>,
  parameters: ParameterKeeper,
): Promise<Place> {
  if (table !== undefined || prefix !== undefined) {
    if (table === undefined || !prefix?.startsWith('/'))
      throw new Error('--table and --parameters go together: the outputs Table and Parameters of the stack say them');
    return { prefix: prefix.replace(/\/$/, ''), table, options: `--table ${table} --parameters ${prefix}` };
  }
  const stack = named ?? env.GLEANER_STACK;
  if (!stack) throw new Error('Say which Gleaner is meant: --stack gleaner-STAGE (or set GLEANER_STACK)');
  const stage = /^gleaner-([a-z0-9-]+)$/i.exec(stack)?.[1];
  if (!stage)
    throw new Error(`"${stack}" is no stack of Gleaner: those are called gleaner-STAGE, such as gleaner-prod`);
  const name = `/gleaner/${stage}/stack`;
  const text = await parameters.get(name);
  if (text === undefined)
    throw new Error(`There is no parameter ${name}: deploy the stack ${stack}, or say another --region or account`);
  const told = Told.safeParse(jsonOf(text));
  if (!told.success)
    throw new Error(`The parameter ${name} is of another release of Gleaner: use the one that was deployed`);
  return { prefix: `/gleaner/${stage}`, options: `--stack ${stack}`, ...told.data };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
