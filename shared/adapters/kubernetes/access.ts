import { createHash } from 'node:crypto';
import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../../ports/clock.ts';

/** What a request shows to be let in. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: SecureContextOptions & {
    readonly rejectUnauthorized?: boolean | undefined;
    readonly servername?: string | undefined;
  };
  /** The agent of a proxy that the kubeconfig names. */
  readonly agent: PlainAgent | undefined;
}

/** The way to one API server and the identity to show there. */
export interface Access {
  readonly context: string;
  readonly server: string;
  /** Reads token, certificate or plugin anew. Throws an Error that names what cannot be read. */
  renew(): Promise<Credentials>;
}

/** What one request is sent with. */
export interface Ticket {
  readonly headers: Readonly<Record<string, string>>;
  agentFor(url: URL, use: 'requests' | 'watches'): PlainAgent;
}

/** For how long credentials are used before their files are read again: kubelet renews a pod's token in time for this. */
const LIFE = 60_000;
/** How long an unused connection is kept; API servers keep them longer, so it is ours that ends first. */
const IDLE = 30_000;

/** Gives out tickets, and keeps connections alive for as long as the same certificate is shown. */
export function box(access: Access, clock: Pick<Clock, 'now'>) {
  let known: { readonly credentials: Promise<Credentials>; readonly at: number } | undefined;
  let agents: Agents | undefined;

  async function ticket(fresh = false): Promise<Ticket> {
    const now = clock.now().getTime();
    if (fresh || !known || now - known.at > LIFE) known = { credentials: access.renew(), at: now };
    const { credentials } = known;
    const { headers, tls, agent } = await credentials.catch((error) => {
      known = undefined;
      throw error;
    });
    const print = fingerprint(tls);
    if (agents?.print !== print) {
      agents?.retire();
      agents = agentsFor(tls, print);
    }
    const own = agents;
    return { headers, agentFor: (url, use) => agent ?? own.of(url, use) };
  }

  return {
    ticket,
    /** Ends connections that wait for their next request: after a silence they may lead nowhere. */
    dropIdle: () => agents?.dropIdle(),
    close: () => agents?.close(),
  };
}
export type Box = ReturnType<typeof box>;

interface Agents {
  readonly print: string;
  of(url: URL, use: 'requests' | 'watches'): PlainAgent;
  dropIdle(): void;
  /** Lets requests end, keeps nothing. */
  retire(): void;
  close(): void;
}

function agentsFor(tls: Credentials['tls'], print: string): Agents {
  const options = { keepAlive: true, keepAliveMsecs: 15_000, timeout: IDLE, scheduling: 'lifo' } as const;
  const plain = { requests: new PlainAgent({ ...options, maxSockets: 64 }), watches: new PlainAgent(options) };
  const secure = {
    requests: new TlsAgent({ ...options, ...tls, maxSockets: 64 }),
    watches: new TlsAgent({ ...options, ...tls }),
  };
  const all = [plain.requests, plain.watches, secure.requests, secure.watches];
  const dropIdle = () => {
    for (const socket of all.flatMap(({ freeSockets }) => Object.values(freeSockets).flat())) socket?.destroy();
  };
  return {
    print,
    of: (url, use) => (url.protocol === 'https:' ? secure : plain)[use],
    dropIdle,
    retire: dropIdle,
    close: () => all.forEach((agent) => void agent.destroy()),
  };
}

function fingerprint({ ca, cert, key, pfx }: Credentials['tls']): string {
  const hash = createHash('sha256');
  for (const part of [ca, cert, key, pfx]) hash.update(`${String(part)}\n`);
  return hash.digest('hex');
}
