import type { Access } from '../adapters/kubernetes/access.ts';
import { connect } from '../adapters/kubernetes/connect.ts';
import { type Installer, installer } from '../adapters/kubernetes/install.ts';
import type { ConnectGiven, Left, Tell } from '../cli/connect.ts';
import type { Registered } from '../model.ts';
import type { Clock } from '../ports/clock.ts';
import { access, type Line, lineTo, retire } from './connect-access.ts';
import type { Stack } from './connect-aws.ts';
import { furnish, prune } from './connect-cluster.ts';
import { mustBeIdle, rowOf } from './connect-registry.ts';
import { tellStack } from './connect-stack.ts';
import { type Send, valuesFor } from './connect-values.ts';

/** What a command of this kind has at hand. */
export interface Hands {
  readonly clock: Clock;
  readonly tell: Tell;
}

/** A cluster that an administrator's kubeconfig leads to. */
export interface Reached extends Pick<Registered, 'id' | 'flavour'> {
  readonly admin: Access;
  readonly cluster: Installer;
  /** As whom the API server knows the administrator. */
  readonly who: string;
}

/** One run of `gleaner connect`: what was asked, what was found, and by what it is done. */
export interface Run extends Hands, Reached {
  readonly given: ConnectGiven;
  readonly does: Registered['does'];
  /** The way that the functions will take. */
  readonly line: Line;
  /** Everything is asked for, and nothing is changed. */
  readonly isTrial: boolean;
}

/** Reaches a cluster as its administrator. Throws an Error of one line where it cannot. */
export async function reachAsAdmin(
  { kubeconfig, context }: Pick<ConnectGiven, 'kubeconfig' | 'context'>,
  { clock, tell }: Hands,
): Promise<Reached> {
  const { readIdentity } = await import('../adapters/kubernetes/identity.ts');
  const admin = readIdentity({ kubeconfig, context });
  const { id, flavour, close } = await connect({ access: admin, clock });
  close();
  const cluster = installer({ access: admin, clock });
  const who = await cluster.who();
  tell({ is: 'note', what: `cluster ${id}, a ${flavour}, at ${admin.server}, as ${who}` });
  return { id, flavour, admin, cluster, who };
}

/**
 * Sets a cluster up. The order matters: a row of the registry stands only where its kubeconfig works, and what is taken
 * away goes when nothing points to it any more. Each step may have been done before; a run that stopped is run again.
 */
export async function connectCluster(given: ConnectGiven, stack: Stack | undefined, hands: Hands): Promise<Left> {
  if (!NAME.test(given.name))
    throw new Error(
      `"${given.name}" is no name for a cluster: use up to 63 lower-case letters, digits, dots and dashes`,
    );
  // Before anything is changed: what is missing must not be found half-way.
  const send = stack && sendOf(given, stack);
  const reached = await reachAsAdmin(given, hands);
  try {
    const row = await (stack && rowOf(stack.store, reached.id, given.name));
    const does = given.does ?? row?.item.does ?? 'observe';
    if (stack && row?.item.does === 'apply' && does === 'observe' && !given.force)
      await mustBeIdle(stack.store, row.item);
    const kept = await stack?.parameters.get(stack.names(reached.id).kubeconfig);
    const line = await lineTo(reached.admin, given.server, kept);
    const run: Run = { ...hands, ...reached, given, does, line, isTrial: given.dryRun };
    await furnish(run.cluster, run, run);
    const credential = await access(run);
    if (stack && send) await tellStack(run, stack, send, { kept, kubeconfig: credential.kubeconfig });
    await prune(run.cluster, run, run);
    await retire(run, credential);
    if (stack && send) return valuesFor({ name: given.name, flavour: run.flavour }, send, stack.options);
    return { out: credential.kubeconfig ?? '', next: [] };
  } finally {
    reached.cluster.close();
  }
}

/** It stands in the names of files and releases. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

function sendOf({ via }: ConnectGiven, { ingest, bus, region }: Stack): Send {
  if (via === 'ingest') {
    if (ingest === undefined) throw new Error('The stack does not tell where its ingest is: say --ingest https://…');
    return { via, url: ingest };
  }
  if (bus === undefined) throw new Error('The stack does not tell its event bus: say --bus arn:…');
  return { via, bus, region: region ?? bus.split(':')[3] ?? '' };
}
