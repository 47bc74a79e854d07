import { Agent, createServer, request as forward } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { portOf } from '../../kubernetes/loopback.ts';

/** A request that changed something, or tried to. */
interface Write {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** A way to an API server that notes every write that is no dry run. */
export interface Watched {
  readonly url: string;
  readonly writes: readonly Write[];
  close(): Promise<void>;
}

const isDryRun = (url: URL, body: string) => url.searchParams.has('dryRun') || /"dryRun":\s*\["All"\]/.test(body);
/** Asking for one's own rights is a POST that changes nothing. */
const READS = /^(GET|HEAD|OPTIONS)$/;

export async function watched(target: string): Promise<Watched> {
  const agent = new Agent({ keepAlive: true });
  const writes: Write[] = [];
  const server = createServer(async (request, response) => {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', target);
    const body = await buffer(request);
    const onward = forward(url, { method, headers, agent }, (answer) => {
      const isWrite = !READS.test(method) && !isDryRun(url, body.toString()) && !url.pathname.includes('selfsubject');
      if (isWrite) writes.push({ method, path: url.pathname, status: answer.statusCode ?? 0 });
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    onward.end(body);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return {
    ...{ url: `http://127.0.0.1:${portOf(server.address())}`, writes },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}
