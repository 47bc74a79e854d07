import { isDeepStrictEqual } from 'node:util';
import { Hono } from 'hono';
import type { Event, Outgoing } from '../../model.ts';
import type { Bus } from '../../ports/bus.ts';
import { RELAY, RelayRequest, SESSION } from '../../ports/relay.ts';
import type { Session } from '../../ports/session.ts';
import type { Store } from '../../ports/store.ts';
import type { Log } from '../log.ts';
import { authenticated, Refusal, type Sender, type SenderParts } from './authenticated.ts';
import { type Guarded, isOwn, whyNotTell, whyNotWrite } from './guard.ts';

/** The answer to who should come again because of us, in seconds. */
const SOON = 5;

/** What the relay keeps from one request to the next. */
export interface RelayParts extends SenderParts, Pick<Guarded, 'incidentId'> {
  readonly store: Pick<Store, 'get' | 'put' | 'list' | 'current' | 'append'>;
  readonly bus: { endOf(cause: { readonly hop: string; readonly event: Event }): Bus };
  /** A session of AWS for the queue of one cluster. Throws where there is none now. */
  readonly session: (cluster: string) => Promise<Session>;
}

export interface RelayOptions {
  /** Opens the parts at the first request, and anew where it threw. */
  readonly open: () => Promise<RelayParts>;
  readonly log: Log;
}

/** The way in for hops that run at a cluster: each request is signed with that cluster's key, and is about that cluster alone. */
export function relay({ open, log }: RelayOptions): Hono {
  const app = new Hono();
  let opened: Promise<RelayParts> | undefined;
  const parts = () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  app.post(SESSION, async (c) => {
    const known = await parts();
    const { cluster, json } = await authenticated(c, known);
    if (!isDeepStrictEqual(json, {})) throw new Refusal('unreadable', 'Ask for a session with {}');
    return c.json(await known.session(cluster), 200, { 'cache-control': 'no-store' });
  });
  app.post(RELAY, async (c) => {
    const known = await parts();
    return c.json(await act(known, await authenticated(c, known)));
  });
  app.all(RELAY, (c) => c.text('Edges post here.\n', 405, { allow: 'POST' }));
  app.all(SESSION, (c) => c.text('Edges post here.\n', 405, { allow: 'POST' }));
  app.notFound((c) => c.text('There is nothing here.\n', 404));
  app.onError((error) => {
    if (error instanceof Refusal) {
      log.warn({ kind: error.kind, because: error.message }, 'a request of an edge was refused');
      return error.answer();
    }
    log.error({ because: String(error) }, 'a request of an edge could not be carried out');
    return new Refusal('unavailable', 'Gleaner cannot do it now: ask again', { 'retry-after': String(SOON) }).answer();
  });
  return app;
}

async function act(parts: RelayParts, { cluster, json }: Sender): Promise<object> {
  const parsed = RelayRequest.safeParse(json);
  if (!parsed.success) throw new Refusal('unreadable', 'The request is none that this release knows');
  const request = parsed.data;
  switch (request.do) {
    case 'get': {
      const row = await parts.store.get(request.table, request.id);
      // Of another cluster's items not even that they are there is told.
      return row && isOwn(cluster, request.table, row.item) ? { row } : {};
    }
    case 'put':
      return put(parts, cluster, request);
    case 'list': {
      const rows = await parts.store.list(request.table, { cluster });
      return { rows: rows.filter(({ item }) => isOwn(cluster, request.table, item)) };
    }
    case 'append': {
      const { at, kind, text } = request;
      await parts.store.append({ at, kind, text: JSON.stringify({ edge: cluster, said: text }) });
      return {};
    }
    case 'publish':
      return publish(parts, cluster, request);
  }
}

async function put(parts: RelayParts, cluster: string, request: Extract<RelayRequest, { do: 'put' }>): Promise<object> {
  const { write, version, expired } = request;
  const current = await parts.store.get(write.table, write.item.id);
  const refusal = await whyNotWrite({ ...parts, cluster }, write, current);
  if (refusal !== undefined) throw new Refusal('forbidden', refusal);
  // What was judged is what is replaced: another version is another write's.
  if ((current?.version ?? 0) !== version) return { ok: false, winner: current };
  const put = await parts.store.put(write.table, write.item, version, expired ? { expired } : undefined);
  return put.ok ? put : { ok: false, ...(put.winner && { winner: put.winner }) };
}

async function publish(
  parts: RelayParts,
  cluster: string,
  { cause: { hop, id, at }, outgoing }: Extract<RelayRequest, { do: 'publish' }>,
): Promise<object> {
  for (const { fact } of outgoing) {
    const refusal = await whyNotTell({ ...parts, cluster }, fact);
    if (refusal !== undefined) throw new Refusal('forbidden', `${fact.event}: ${refusal}`);
  }
  // Its ids follow from the cause alone, and the hop's name keeps them apart from those of other clusters.
  const event: Event = { event: 'ticked', since: at, id, at };
  const told: Outgoing[] = outgoing.map(({ fact, after }) => ({ fact, ...(after !== undefined && { after }) }));
  await parts.bus.endOf({ hop: `edge/${cluster}/${hop}`, event }).publish(told);
  return {};
}
