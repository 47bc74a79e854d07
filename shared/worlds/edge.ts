import { request as plain } from 'node:http';
import { request as tls } from 'node:https';
import { modes as everyMode } from '../../handlers/index.ts';
import { storeClock } from '../adapters/dynamodb/store-clock.ts';
import { ingestAddress } from '../adapters/ingest/bus.ts';
import { bytesOf } from '../adapters/ingest/signature.ts';
import { relayBus } from '../adapters/relay/bus.ts';
import { type Answered, signedCall } from '../adapters/relay/call.ts';
import { relayStore } from '../adapters/relay/store.ts';
import { leaseNotes } from '../adapters/seal/lease-notes.ts';
import { publicKey, verifiesBy } from '../adapters/seal/public-key.ts';
import { sqsClient } from '../adapters/sqs/client.ts';
import { sqsDelays } from '../adapters/sqs/delays.ts';
import { sqsInbox } from '../adapters/sqs/inbox.ts';
import { sqsMailbox } from '../adapters/sqs/mailbox.ts';
import { ROUTES } from '../flow/routes.ts';
import type { Policy, World } from '../flow/world.ts';
import { type Mode, milliseconds } from '../handler.ts';
import type { Event } from '../model.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Lease } from '../ports/lease.ts';
import { RELAY, SESSION } from '../ports/relay.ts';
import { Session } from '../ports/session.ts';
import { lambdaHop } from '../runtime/lambda.ts';
import type { Log } from '../runtime/log.ts';
import { HIDDEN, LONG_POLL, type Poller, poller } from '../runtime/poller.ts';
import { HOPS } from './hops.ts';

/** A session is asked for anew this long before it ends. */
const EARLY = milliseconds('5m');
/** How long one request to the relay may take: its function's store may be throttled for a while. */
const ANSWERED = milliseconds('15s');
/** One run at a time, and few looks: it shares its node with what it mends. */
const MOST = 4;
const TAKES = [...ROUTES.classify, ...ROUTES.apply, ...ROUTES.verify];

export interface EdgeParts {
  /** The cluster that is reached from here: the only one. What it may do is this process' own setting. */
  readonly cluster: Cluster;
  readonly modes?: readonly Mode[];
  /** A Lease of its own in which the cluster remembers its runs. */
  readonly runs: Lease;
  /** `https://HOST`, where the relay is. */
  readonly relay: string;
  /** The cluster's `whsec_…` keys as they stand now. */
  readonly keys: () => Promise<readonly string[]>;
  /** The public halves of the keys that decide: pinned here, where whoever writes the store cannot change them. */
  readonly decisions: readonly string[];
  /** The machine's time. */
  readonly machine: Clock;
  readonly log: Log;
  /** Another address of SQS than that of its region. */
  readonly sqs?: { readonly endpoint: string };
}

/**
 * The hops that need a cluster, run where it is: pulling from that cluster's own queue, outbound only. Throws an Error of
 * one line where its settings are wrong.
 */
export function edge(parts: EdgeParts): Poller {
  const { machine, log, relay, decisions } = parts;
  const clock = storeClock(machine);
  const call = signedCall({
    ...{ url: ingestAddress(relay), cluster: parts.cluster.id, clock: machine, post, heard: clock.heard },
    keys: async () => (await parts.keys()).map(bytesOf),
  });
  const ask = (request: object) => call(RELAY, request);
  const verify = verifiesBy(decisions.map(publicKey));
  if (decisions.length === 0)
    throw new Error('An edge needs the public half of the key that decides: nothing could be applied');
  const world = worldOf(parts, { now: clock.now, ask, verify });
  const sessions = sessionsOf(() => call(SESSION, {}), machine);
  const bus = relayBus(ask);

  async function open() {
    const { queue, deadLetters, region } = await sessions();
    const credentials = async () => {
      const { accessKeyId, secretAccessKey, sessionToken, expiration } = await sessions();
      return { accessKeyId, secretAccessKey, sessionToken, expiration: new Date(expiration) };
    };
    const requestHandler = {
      connectionTimeout: 3_000,
      requestTimeout: LONG_POLL + 10_000,
      throwOnRequestTimeout: true,
    };
    const sqs = sqsClient({ region, credentials, requestHandler, ...parts.sqs });
    const delays = sqsDelays({ client: sqs, clock, queueOf: () => queue });
    const inbox = sqsInbox({ ...{ client: sqs, clock, hop: 'edge', takes: TAKES, queue, deadLetters, delays } });
    return { sqs, queue, inbox };
  }
  let opened: ReturnType<typeof open> | undefined;
  const once = () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const mailbox = async () => {
    const { sqs, queue } = await once();
    return sqsMailbox({ client: sqs, queue, most: MOST, hidden: HIDDEN });
  };

  return poller({
    ...{ clock, log },
    mailbox: {
      receive: async (...given) => (await mailbox()).receive(...given),
      keep: async (...given) => (await mailbox()).keep(...given),
      end: async (...given) => (await mailbox()).end(...given),
    },
    handle: lambdaHop({
      ...{ hop: 'edge', log, atOnce: MOST },
      open: async () => ({ inbox: (await once()).inbox, bus, run: (event) => hopOf(event)(world, event) }),
    }),
  });
}

/** Each event is taken by one of the three hops. */
const hopOf = ({ event }: Event) => {
  const takes = (route: readonly string[]) => route.includes(event);
  if (takes(ROUTES.classify)) return HOPS.classify;
  return takes(ROUTES.apply) ? HOPS.apply : HOPS.verify;
};

/** How long an undo that is opened here may wait for a decision. Whose that is, only who decides knows. */
const NOBODY: Policy = {
  ...{ approvers: [], quorum: 1, requesterMayApprove: false, reasonRequired: true },
  ...{ expiry: '24h', remind: '4h' },
};

interface Trusted extends Pick<Clock, 'now'> {
  readonly ask: Parameters<typeof relayStore>[0];
  readonly verify: ReturnType<typeof verifiesBy>;
}

function worldOf({ cluster, modes = everyMode, runs }: EdgeParts, { now, ask, verify }: Trusted): World {
  const never = () => {
    throw new Error('Who may decide is not known at the edge: the signature of the decision speaks for it');
  };
  const here = new Map([[cluster.id, cluster]]);
  return {
    ...{ clock: { now }, store: relayStore(ask), modes, known: here, clusters: here, isEdge: true },
    rules: { policy: () => NOBODY, person: never, names: never, text: never },
    directory: { isMember: never, belongs: never, fresh: never },
    seal: {
      sign: () => Promise.reject(new Error('Nothing is decided at the edge')),
      verify,
      notes: leaseNotes({ clock: { now }, leaseOf: () => runs }),
    },
  };
}

/** One session, shared by who asks for it, and asked for anew before it ends. */
function sessionsOf(ask: () => Promise<unknown>, machine: Pick<Clock, 'now'>): () => Promise<Session> {
  let kept: { readonly session: Promise<Session>; readonly until: number } | undefined;
  return async () => {
    if (kept && machine.now().getTime() < kept.until - EARLY) return kept.session;
    const session = ask().then((answer) => Session.parse(answer));
    kept = { session, until: Number.POSITIVE_INFINITY };
    try {
      kept = { session, until: Date.parse((await session).expiration) };
      return await session;
    } catch (error) {
      kept = undefined;
      throw error;
    }
  };
}

/** Posts once; follows no redirect, so that what is signed for one place goes nowhere else. */
function post(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? tls : plain;
    const signal = AbortSignal.timeout(ANSWERED);
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const sent = send(url, { method: 'POST', headers: { ...headers, ...length }, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          ...{ code: response.statusCode ?? 0, date: response.headers.date },
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
