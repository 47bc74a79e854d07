import { X509Certificate } from 'node:crypto';
import { type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type * as z from 'zod';
import { Problem } from '../ports/api.ts';
import type { Connection } from './connection.ts';

/** Longer than Gleaner's own patience with a decision. */
const TIMEOUT = 15_000;
const LARGEST = 16 * 1024 * 1024;

/** What a question to a running Gleaner came to. `lost`: no answer came, and what was asked may have been done. */
export type Asked<T> =
  | { readonly is: 'ok'; readonly status: number; readonly value: T }
  | { readonly is: 'problem'; readonly problem: Problem }
  | { readonly is: 'unreachable'; readonly because: string }
  | { readonly is: 'lost'; readonly because: string };

/** One request to the API: `path` below `/v1`. Never throws, and no answer of it names the token. */
export type Call = <T>(
  connection: Pick<Connection, 'url' | 'certificate' | 'pid'> & { readonly token?: string },
  ask: { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly path: string; readonly body?: object },
  answer: z.ZodType<T>,
) => Promise<Asked<T>>;

export const call: Call = async (connection, { method = 'GET', path, body }, answer) => {
  const sent = await exchange(connection, method, path, body);
  if ('because' in sent) return sent;
  const json = jsonOf(sent.text);
  if (sent.status >= 200 && sent.status < 300) {
    const read = answer.safeParse(json);
    return read.success
      ? { is: 'ok', status: sent.status, value: read.data }
      : { is: 'lost', because: `what answers at ${connection.url} is no Gleaner, or another version of it` };
  }
  const problem = Problem.safeParse(json);
  if (problem.success) return { is: 'problem', problem: problem.data };
  return { is: 'lost', because: `${connection.url} answered with HTTP ${sent.status}, and not as a Gleaner does` };
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Sent = { readonly status: number; readonly text: string } | Extract<Asked<never>, { because: string }>;

function exchange(
  { url, token, certificate, pid }: Parameters<Call>[0],
  method: string,
  path: string,
  body: object | undefined,
): Promise<Sent> {
  const done = Promise.withResolvers<Sent>();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const target = new URL(`/v1${path}`, url);
  const options = { method, headers, timeout: TIMEOUT, ...(certificate !== undefined && pinnedTo(certificate)) };
  const sending = (target.protocol === 'https:' ? secure : plain)(target, options, (response) => {
    collect(response).then(
      (answered) => done.resolve({ status: response.statusCode ?? 0, text: answered }),
      () => done.resolve({ is: 'lost', because: `the answer of ${url} broke off` }),
    );
  });
  sending.on('timeout', () => sending.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })));
  sending.on('error', (error) => done.resolve(failed(url, pid, Object(error).code)));
  sending.end(text);
  return done.promise;
}

async function collect(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > LARGEST) throw new RangeError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Nothing was sent when no connection came about. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

function failed(url: string, pid: number | undefined, code: unknown): Extract<Asked<never>, { because: string }> {
  const said = typeof code === 'string' ? code : 'the connection broke';
  if (said === 'ECONNREFUSED' && pid !== undefined)
    return { is: 'unreachable', because: `the Gleaner that ran as process ${pid} does not run any more: start it` };
  if (/CERT|SIGNED|UNABLE_TO/.test(said)) {
    const because = `${url} shows a certificate that is not trusted (${said}): name its authority in NODE_EXTRA_CA_CERTS`;
    return { is: 'unreachable', because };
  }
  if (NEVER_SENT.test(said)) return { is: 'unreachable', because: `${url} cannot be reached: ${said}` };
  return { is: 'lost', because: `${url} did not answer (${said})` };
}

/** Trusts this one certificate, whatever name it is made out to: it was read from the file that the process left. */
function pinnedTo(certificate: string) {
  const pin = new X509Certificate(certificate).fingerprint256;
  return {
    ...{ ca: certificate, allowPartialTrustChain: true },
    checkServerIdentity: (_host: string, { fingerprint256 }: { fingerprint256: string }) =>
      fingerprint256 === pin
        ? undefined
        : Object.assign(new Error('another certificate than the one that Gleaner left'), { code: 'CERT_OF_ANOTHER' }),
  };
}
