import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { ProbeResult } from '../../handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Picture } from '../../ports/cluster.ts';
import { because, type Send } from './answer.ts';

const PATIENCE = 5_000;
/** What Harvester's own front page asks for; the second is there on every API server behind the VIP. */
const PATHS = ['/v1/harvester/cluster/local', '/version'] as const;

/**
 * Active probes. The VIP's address is `data.ip` of ConfigMap harvester-system/vip. It is asked without credentials and
 * without checking its certificate: all that counts is whether somebody holds the address and answers.
 */
export function prober({
  send,
  wall,
  vip,
  isPretended,
}: {
  send: Send;
  wall: Clock;
  vip: () => Promise<string | undefined>;
  /** The API server itself is plain HTTP on this machine: so may the VIP be, with a port of its own. */
  isPretended: boolean;
}): Picture['probe'] {
  return async (what) => {
    if (what === 'readyz') {
      const answer = await send({ method: 'GET', path: '/readyz', within: PATIENCE });
      const ok = answer.is === 'answered' && answer.code === 200;
      return { ok, because: ok ? 'the API server says that it is ready' : `/readyz: ${because(answer)}` };
    }
    const base = addressOf(await vip(), isPretended);
    return base === undefined ? undefined : knock(base, wall);
  };
}

function addressOf(ip: string | undefined, isPretended: boolean): string | undefined {
  if (ip === undefined) return undefined;
  if (isIP(ip) !== 0) return `https://${isIP(ip) === 6 ? `[${ip}]` : ip}`;
  return isPretended && /^127\.0\.0\.1:\d+$/.test(ip) ? `http://${ip}` : undefined;
}

async function knock(base: string, wall: Clock): Promise<ProbeResult> {
  let said = '';
  for (const path of PATHS) {
    const code = await ask(base + path, wall);
    if (typeof code === 'string') return { ok: false, because: `${base}: ${code}` };
    if (code === 200 || code === 401 || code === 403) return { ok: true, because: `${base}${path} answers ${code}` };
    said = `${base}${path} answers ${code}`;
  }
  return { ok: false, because: said };
}

/** The status code, or why there is none. */
function ask(url: string, wall: Clock): Promise<number | string> {
  return new Promise((resolve) => {
    const isTls = url.startsWith('https:');
    const options = { agent: false, ...(isTls && { rejectUnauthorized: false }) } as const;
    const sent = (isTls ? tlsRequest : plainRequest)(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      done();
    });
    const cancel = wall.after(PATIENCE, () => sent.destroy(new Error(`no answer within ${PATIENCE / 1000} s`)));
    const done = () => {
      cancel();
      sent.destroy();
    };
    sent.on('error', (error: Error & { code?: string }) => {
      cancel();
      resolve(error.message || (error.code ?? 'no answer'));
    });
    sent.end();
  });
}
