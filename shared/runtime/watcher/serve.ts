import { createServer, type Server, type ServerResponse } from 'node:http';

export interface WatcherPages {
  /** Why it is not well; undefined: it is. */
  unwell(): string | undefined;
  metrics(): string;
}

/**
 * `/livez`: the process answers. `/healthz`: it leads or stands by, and sees and sends what it should. A watcher that is
 * unwell is not restarted for it: a new one would not reach more, and would forget what waits. Resolves once the port is
 * taken. Node's own server: what is made for pages weighs 20 MB.
 */
export async function servePages(pages: WatcherPages, { host, port }: { host: string; port: number }): Promise<Server> {
  const server = createServer({ maxHeaderSize: 8_192, requestTimeout: 10_000 }, ({ url, method }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return answer(response, 405, 'Only to be read.\n');
    switch (url?.split('?')[0]) {
      case '/livez':
        return answer(response, 200, 'ok\n');
      case '/healthz': {
        const why = pages.unwell();
        return why === undefined ? answer(response, 200, 'ok\n') : answer(response, 503, `${why}\n`);
      }
      case '/metrics':
        return answer(response, 200, pages.metrics(), 'text/plain; version=0.0.4; charset=utf-8');
      default:
        return answer(response, 404, 'There is nothing here.\n');
    }
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  return server;
}

function answer(response: ServerResponse, code: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(text);
}
