import type { ServerResponse } from 'node:http';
import { type Got, json, type Loopback, status } from './loopback.ts';

/** One watch request that the server holds open. */
interface OpenWatch {
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
}

/** A collection of pods on a loopback server, whose every list and watch the test can spoil. */
export interface Collection {
  /** Watches that are open, in their order. */
  readonly watches: OpenWatch[];
  /** How often it was listed, and every watch that was ever asked for. */
  readonly lists: URLSearchParams[];
  readonly asked: URLSearchParams[];
  /** Answers a list or a watch in another way; false: the ordinary way. */
  spoilList: (response: ServerResponse, query: URLSearchParams) => boolean;
  spoilWatch: (response: ServerResponse, query: URLSearchParams) => boolean;
  /** Changes a pod and tells every open watch; `quietly`: nobody is told. */
  set(name: string, phase: string, quietly?: 'quietly'): void;
  remove(name: string, quietly?: 'quietly'): void;
  /** Writes a line into every open watch. */
  say(line: unknown): void;
}

interface Pod {
  readonly kind: 'Pod';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: { readonly phase: string };
}

/** Serves `/api/v1/pods`. */
export function serveCollection(server: Loopback): Collection {
  let version = 100;
  const pods = new Map<string, Pod>();
  const write = (response: ServerResponse, event: unknown) => void response.write(`${JSON.stringify(event)}\n`);
  const collection: Collection = {
    ...{ watches: [], lists: [], asked: [] },
    spoilList: () => false,
    spoilWatch: () => false,
    set(name, phase, quietly) {
      version += 1;
      const before = pods.get(name);
      const metadata = { name, namespace: 'ns', uid: before?.metadata.uid ?? `uid-${name}-${version}` };
      const pod: Pod = {
        ...{ kind: 'Pod', apiVersion: 'v1', status: { phase } },
        metadata: { ...metadata, resourceVersion: String(version), managedFields: [{ manager: 'kubelet' }] },
      };
      pods.set(name, pod);
      if (!quietly) collection.say({ type: before ? 'MODIFIED' : 'ADDED', object: pod });
    },
    remove(name, quietly) {
      version += 1;
      const pod = pods.get(name);
      pods.delete(name);
      const metadata = { ...pod?.metadata, resourceVersion: String(version) };
      if (!quietly) collection.say({ type: 'DELETED', object: { ...pod, metadata } });
    },
    say(line) {
      for (const { response } of collection.watches) write(response, line);
    },
  };

  function list(response: ServerResponse, query: URLSearchParams): true {
    collection.lists.push(query);
    if (collection.spoilList(response, query)) return true;
    const metadata = { resourceVersion: String(version) };
    return json(response, 200, { kind: 'PodList', apiVersion: 'v1', metadata, items: [...pods.values()] });
  }

  function watch(response: ServerResponse, query: URLSearchParams): true {
    collection.asked.push(query);
    if (collection.spoilWatch(response, query)) return true;
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    if (query.has('sendInitialEvents')) {
      for (const object of pods.values()) write(response, { type: 'ADDED', object });
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      const metadata = { resourceVersion: String(version), annotations };
      write(response, { type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } });
    } else {
      const since = Number(query.get('resourceVersion'));
      const missed = [...pods.values()].filter(({ metadata }) => Number(metadata.resourceVersion) > since);
      for (const object of missed) write(response, { type: 'MODIFIED', object });
    }
    const open = { query, response };
    collection.watches.push(open);
    response.once('close', () => collection.watches.splice(collection.watches.indexOf(open), 1));
    return true;
  }

  server.handle = ({ path, query }: Got, response) =>
    path === '/api/v1/pods' && (query.has('watch') ? watch(response, query) : list(response, query));
  return collection;
}

/** What a real API server says of a version that it has forgotten. */
export const EXPIRED = { type: 'ERROR', object: status(410, 'Expired', 'too old resource version: 1 (2)') };
