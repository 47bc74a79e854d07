import { type App, type Receiver, SocketModeReceiver } from '@slack/bolt';
import type { Clock } from '../../ports/clock.ts';
import { inTime } from './patience.ts';
import { silent } from './silent.ts';

/** How Socket Mode stands: how many connections Slack can send on, and why there are not more. */
export interface SocketHealth {
  readonly connected: number;
  /** Why a connection is missing; undefined: none is. */
  readonly because: string | undefined;
}

export interface SlackSocketParts {
  /** An app token (`xapp-`). */
  readonly appToken: string;
  /** The machine's time: Slack's connections know no other. */
  readonly clock: Clock;
  /** Called whenever it changes. */
  readonly health: (health: SocketHealth) => void;
  /** Where the API is, other than at Slack. */
  readonly url?: string | undefined;
  /**
   * Slack ends each connection every few hours and asks to open another: with two of them one is always there. Slack
   * sends each interaction on any one of them, and sometimes on both. The second comes a minute after the first: sooner
   * Slack gives no address.
   */
  readonly connections?: number;
  readonly random?: () => number;
}

/** A connection that says no hello by then is given up. */
const PATIENCE = 15_000;
const API_TIMEOUT = 5_000;
/** Slack answers the end of a connection with its own. */
const CLOSING = 2_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
/** A connection that held for so long was well: the next failure is a new one. */
const WELL_AFTER = 60_000;

/**
 * Socket Mode as a receiver of Bolt's: outbound connections only. `start` returns at once, and it reconnects until it is
 * stopped. Each attempt is a new SocketModeReceiver without its own reconnecting, which gives up on an outage with a
 * rejection that nobody handles (@slack/socket-mode 3.0.1, `delayReconnectAttempt`), and after retries that lie hours apart.
 */
export function slackSocket(parts: SlackSocketParts): Receiver {
  const { clock, health, connections = 2 } = parts;
  const ending = new AbortController();
  const reasons = new Map<number, string | undefined>();
  const lines: Promise<void>[] = [];
  let app: App | undefined;

  function tell(line: number, because: string | undefined): void {
    if (reasons.has(line) && reasons.get(line) === because) return;
    reasons.set(line, because);
    if (ending.signal.aborted) return;
    const missing = [...reasons.values()].find((one) => one !== undefined);
    const connected = [...reasons.values()].filter((one) => one === undefined).length;
    health({ connected, because: missing ?? (reasons.size < connections ? 'connecting' : undefined) });
  }

  async function keepUp(line: number, bolt: App): Promise<void> {
    let failures = 0;
    while (!ending.signal.aborted) {
      const from = clock.now().getTime();
      const ended = await connection(parts, bolt, ending.signal, () => tell(line, undefined));
      if (ending.signal.aborted) return;
      failures = clock.now().getTime() - from > WELL_AFTER ? 0 : failures + 1;
      // Slack's own refresh comes after hours: the next connection is there before anybody notices.
      if (failures > 0) tell(line, ended.because);
      await pause(clock, ended.retryAfter ?? waitAfter(failures, parts.random ?? Math.random), ending.signal);
    }
  }

  return {
    init(given) {
      app = given;
    },
    async start() {
      const bolt = app;
      if (!bolt) throw new Error('Socket Mode has no app to hand interactions to: give the receiver to one first');
      for (let line = 0; line < connections; line++) lines.push(keepUp(line, bolt));
    },
    async stop() {
      ending.abort();
      await inTime(clock, CLOSING, Promise.all(lines));
    },
  };
}

const waitAfter = (failures: number, random: () => number) =>
  failures === 0 ? 0 : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1)) * (0.5 + random() / 2);

function pause({ after }: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const done = Promise.withResolvers<void>();
  const cancel = after(ms, done.resolve);
  const stop = () => {
    cancel();
    done.resolve();
  };
  signal.addEventListener('abort', stop, { once: true });
  return done.promise.finally(() => signal.removeEventListener('abort', stop));
}

/** `retryAfter`: for how many milliseconds Slack asks to wait. */
interface Ended {
  readonly because: string;
  readonly retryAfter?: number;
}

/** One connection, from its opening to its end: answers why it ended. Never throws. */
async function connection(
  { appToken, clock, url }: SlackSocketParts,
  app: App,
  signal: AbortSignal,
  connected: () => void,
): Promise<Ended> {
  const receiver = new SocketModeReceiver({
    ...{ appToken, autoReconnectEnabled: false, logger: silent },
    processEventErrorHandler: async () => false,
    installerOptions: {
      clientOptions: {
        ...(url !== undefined && { slackApiUrl: url }),
        ...{ timeout: API_TIMEOUT, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, logger: silent },
      },
    },
  });
  receiver.init(app);
  const { client } = receiver;
  const over = Promise.withResolvers<Ended>();
  client.once('disconnected', () => over.resolve({ because: 'Slack ended the connection' }));
  let isGivenUp = false;
  const close = () => {
    isGivenUp = true;
    void receiver.stop().catch(() => {});
  };
  signal.addEventListener('abort', close, { once: true });
  const opening = receiver.start().then(() => {
    // It was still asking for an address when it was given up: the client connects all the same.
    if (isGivenUp) close();
    return undefined;
  }, whyOf);
  try {
    const opened = await inTime(clock, PATIENCE, Promise.race([opening, over.promise]));
    if (opened.is !== 'there') {
      close();
      return { because: `Slack opened no connection within ${PATIENCE / 1000} s` };
    }
    if (opened.value !== undefined) return opened.value;
    connected();
    return await over.promise;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

/** The client rejects with nothing where the connection broke before it stood. */
function whyOf(error: unknown): Ended {
  if (!(error instanceof Error)) return { because: 'the connection to Slack broke' };
  const because = `Slack opens no connection: ${error.message}`;
  // Slack lets an app ask for one address a minute (docs.slack.dev/reference/methods/apps.connections.open).
  const isAskedToWait = 'retryAfter' in error && typeof error.retryAfter === 'number';
  return isAskedToWait ? { because, retryAfter: Math.max(1, Number(error.retryAfter)) * 1_000 } : { because };
}
