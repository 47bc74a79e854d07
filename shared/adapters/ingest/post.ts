import { type IncomingHttpHeaders, request as plain } from 'node:http';
import { request as tls } from 'node:https';

export interface Posted {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body. */
  readonly text: string;
}

/** As much of an answer as is worth reading: its reason. */
const MOST = 4_096;

/** Posts once; follows no redirect, so that what is signed for one place goes nowhere else. Rejects where no answer comes. */
export function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const send = url.protocol === 'https:' ? tls : plain;
    const sent = send(url, { method: 'POST', headers: { ...headers, ...length }, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        if (size < MOST) chunks.push(chunk);
        size += chunk.length;
        if (size > MOST * 16) response.destroy();
      });
      const end = () =>
        resolve({
          ...{ code: response.statusCode ?? 0, headers: response.headers },
          text: Buffer.concat(chunks).toString('utf8', 0, MOST),
        });
      response.on('end', end);
      // The code has been read: a body that breaks off takes nothing from it.
      response.on('close', end);
      response.on('error', end);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
