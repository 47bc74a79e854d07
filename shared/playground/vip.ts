import { type Listening, listen } from './http.ts';

/** The cluster's virtual IP: a tiny server that answers a probe, or falls silent as an address that nobody holds. */
export interface Vip extends Listening {
  answers(yes: boolean): void;
}

/**
 * Answers `/v1/harvester/cluster/local` and `/version`; while silent, connections end at once. A real address that nobody
 * holds lets a client wait out its seconds, which would be minutes of a cluster that runs faster than life.
 */
export async function serveVip(): Promise<Vip> {
  let answering = true;
  const listening = await listen(({ url }, response) => {
    if (!answering) {
      response.destroy();
      return;
    }
    const known = url === '/v1/harvester/cluster/local' || url === '/version';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { id: 'local', type: 'cluster' } : { code: 'NotFound' }));
  });
  return {
    ...listening,
    answers(yes) {
      answering = yes;
    },
  };
}
