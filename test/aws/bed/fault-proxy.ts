import { Agent, createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from '../../../shared/adapters/clock/system.ts';
import { portOf } from './dynamodb-local.ts';

/** A request as the SDK sent it. */
interface Sent {
  /** `UpdateItem`, `Query`, … */
  readonly operation: string;
  readonly body: string;
}

/** What becomes of a request: refused in the service's words, or lost with the connection, before or after it took effect. */
export type Fault =
  | { readonly is: 'refused'; readonly status: number; readonly type: string }
  | { readonly is: 'reset'; readonly when: 'before' | 'after' }
  /** No answer ever: the client gives up by itself. */
  | { readonly is: 'silence'; readonly when: 'before' | 'after' };

export const THROTTLED = { is: 'refused', status: 400, type: 'ProvisionedThroughputExceededException' } as const;
export const BROKEN = { is: 'refused', status: 500, type: 'InternalServerError' } as const;

/** DynamoDB on a bad day: it stands in front of a good one. */
export interface FaultProxy {
  readonly endpoint: string;
  /** Everything that was asked, in order. */
  readonly sent: Sent[];
  /** What becomes of each request from now on; undefined: it goes through. What is waited for happens before it does. */
  fault(by: (sent: Sent) => Fault | undefined | Promise<Fault | undefined>): void;
  /** How many milliseconds the service's clock is ahead of this machine's. */
  skew(ms: number): void;
  end(): Promise<void>;
}

/** A signature is taken for five minutes before and after its time. */
const SIGNED = 5 * 60_000;

export async function faultProxy(target: string): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const sent: Sent[] = [];
  let faultOf: Parameters<FaultProxy['fault']>[0] = () => undefined;
  let ahead = 0;
  const date = () => new Date(systemClock.now().getTime() + ahead).toUTCString();

  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    sent.push({ operation, body });
    const fault = isSignedLate(request) ? EXPIRED : await faultOf({ operation, body });
    await treat(request, body, response, fault);
  });

  const isSignedLate = ({ headers }: IncomingMessage) =>
    Math.abs(Date.parse(plain(String(headers['x-amz-date']))) - Date.parse(date())) > SIGNED;

  async function treat(request: IncomingMessage, body: string, response: ServerResponse, fault: Fault | undefined) {
    if (fault?.is === 'refused') {
      const said = JSON.stringify({
        __type: `com.amazonaws.dynamodb.v20120810#${fault.type}`,
        message: 'as it was told',
      });
      return response.writeHead(fault.status, { 'content-type': 'application/x-amz-json-1.0', date: date() }).end(said);
    }
    if (fault?.when === 'before') return fault.is === 'reset' ? request.socket.resetAndDestroy() : undefined;
    const answer = await passedOn(request, body);
    if (fault) return fault.is === 'reset' ? request.socket.resetAndDestroy() : undefined;
    return response.writeHead(answer.status, { ...answer.headers, date: date() }).end(answer.body);
  }

  const passedOn = ({ method, headers }: IncomingMessage, body: string) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: string }>((done, fail) => {
      const onward = forward(target, { method, headers, agent }, async (answer) => {
        done({ status: answer.statusCode ?? 0, headers: answer.headers, body: await textOf(answer) });
      });
      onward.once('error', fail);
      onward.end(body);
    });

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    sent,
    fault: (by) => {
      faultOf = by;
    },
    skew: (ms) => {
      ahead = ms;
    },
    async end() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const EXPIRED: Fault = { is: 'refused', status: 400, type: 'InvalidSignatureException' };

/** `20260115T120000Z` as `2026-01-15T12:00:00Z`. */
const plain = (basic: string) => basic.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
