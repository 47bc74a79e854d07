import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Warning } from '../../ports/source.ts';
import { type Access, box } from './access.ts';
import { cautionsOf } from './cautions.ts';
import { discovery } from './discovery.ts';
import { dryRun } from './dry-run.ts';
import { grace, NO_GRACE } from './grace.ts';
import type { Whence } from './identity.ts';
import { addressOf, introduce } from './introduce.ts';
import { notices } from './notices.ts';
import { patient } from './patience.ts';
import { pictureOf } from './picture.ts';
import { readObject } from './read-object.ts';
import { openScene, type Scene, vipOf } from './scene.ts';
import { transport } from './transport.ts';
import { watchAll } from './watch/watch.ts';
import type { Witness } from './watch/witness.ts';
import { write } from './write.ts';

/** Where the cluster is, who we are there, and whose time counts. */
export interface ConnectOptions extends Whence {
  /** How people call it; the context's name where it is not given. */
  readonly name?: string | undefined;
  /** Further addresses of the same API server, asked before the kubeconfig's: the VIP may be down when it is needed. */
  readonly servers?: readonly string[] | undefined;
  /** Default `observe`. Whether anything may be written is decided by the flow; this only tells it. */
  readonly does?: Cluster['does'] | undefined;
  /** The cluster's time. */
  readonly clock: Clock;
  /** Real time, by which connections are waited for: needed where `clock` runs faster than life. */
  readonly wall?: Clock | undefined;
  /** How much faster than life the API server's own clock runs. */
  readonly speed?: number | undefined;
  /** Told once of each thing that could not be read, in one line without objects in it. */
  readonly warn?: ((because: string) => void) | undefined;
  /** The way in and the identity to show, where no kubeconfig says them. */
  readonly access?: Access | undefined;
  /** Told how far every watch has seen. */
  readonly witness?: Witness | undefined;
}

/** A cluster that answered, and what only this adapter tells of it. */
export interface Connected extends Cluster {
  readonly context: string;
  /** What could not be read until now. */
  warnings(): readonly Warning[];
  /** Why an address may fail when it is needed most: it is the VIP, or leads through Rancher. */
  cautions(): Promise<readonly string[]>;
  /** One moment, for several pictures that share what they read. What cannot be read in it is a gap at once. */
  scene(): Promise<Scene>;
  /** Ends every connection. */
  close(): void;
}

/**
 * Connects to a cluster: finds out who it is (the uid of its namespace kube-system) and whether it is a Harvester or a
 * Rancher, by the APIs that it serves. Throws an Error of one line where it cannot: what was tried and why it failed.
 */
export async function connect(options: ConnectOptions): Promise<Connected> {
  const { clock, wall = clock, speed = 1, does = 'observe' } = options;
  // Loading client-node costs 250 ms and 20 MB: only who reads a kubeconfig pays for it.
  const access = options.access ?? (await import('./identity.ts')).readIdentity(options);
  const servers = [...new Set([...(options.servers ?? []), access.server])].map(addressOf);
  const way = transport({ servers, box: box(access, wall), wall });
  const find = discovery(way.send, wall);
  const notes = notices(options.warn);
  const name = options.name ?? access.context;
  const self = await introduce(way.send, find, `${name} (${servers.map(({ host }) => host).join(', ')})`).catch(
    (error) => {
      way.close();
      throw error;
    },
  );
  way.recognise(self.id);
  const reads = patient(way.send, wall);
  const isPretended = servers.every(({ protocol }) => protocol === 'http:');
  const doubt = grace(wall);
  const open = { send: reads, discovery: find, clock, wall, isPretended, name, warn: notes.warn };
  const scene = () => openScene({ ...open, grace: NO_GRACE });
  const streams = {
    transport: way,
    discovery: find,
    clock: wall,
    speed,
    mayStreamLists: self.minor >= 27,
    witness: options.witness,
  };

  return {
    ...{ id: self.id, name, flavour: self.flavour, does, context: access.context },
    ...{ warnings: notes.all, scene, close: way.close },
    look: async (rights) => pictureOf(await openScene({ ...open, grace: doubt }), rights),
    read: (ref) => readObject(way.send, find, ref),
    dryRun: (touch) => dryRun(way.send, find, touch),
    touch: (touch) => write(way.send, find, touch),
    watch: (wakes, tell, signal) =>
      watchAll({ ...streams, warn: (why) => notes.warn({ where: 'watch', because: why }) }, wakes, tell, signal),
    cautions: async () => cautionsOf(servers, await vipOf((await scene()).sight)),
  };
}
