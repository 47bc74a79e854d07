import diagnostics from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Request } from '../cluster/bed/requester.ts';

/** A request to the API server as it was sent, and when (`performance.now()`). */
interface Call {
  readonly method: string;
  readonly path: string;
  body: string;
  readonly began: number;
  ended: number;
}

/** One durable act: how many bytes each of its statements brought. */
type Write = readonly number[];

/** What a Gleaner in this process asked and wrote. */
export interface Page {
  readonly calls: Call[];
  readonly writes: Write[];
}

/** What this process sends as Gleaner and writes into SQLite, from now on; the answer begins a new page and gives the old one. */
export function record(): () => Page {
  let page: Page = { calls: [], writes: [] };
  recordCalls((call) => page.calls.push(call));
  recordWrites((write) => page.writes.push(write));
  return () => {
    const full = page;
    page = { calls: [], writes: [] };
    return full;
  };
}

function recordCalls(took: (call: Call) => void): void {
  const open = new WeakMap<object, Call>();
  diagnostics.subscribe('http.client.request.created', (message) => {
    const request: ClientRequest = Object(message).request;
    if (request.getHeader('user-agent') !== 'gleaner' || request.path.includes('watch=true')) return;
    const { method, path } = request;
    const call = { method, path, body: '', began: performance.now(), ended: Number.POSITIVE_INFINITY };
    const end = request.end.bind(request);
    request.end = (...given: readonly unknown[]) => {
      if (typeof given[0] === 'string') call.body = given[0];
      return Reflect.apply(end, request, given);
    };
    open.set(request, call);
    took(call);
  });
  diagnostics.subscribe('http.client.response.finish', (message) => {
    const call = open.get(Object(message).request);
    if (call) call.ended = performance.now();
  });
}

/** Counts what waits for the disk: each COMMIT, and each statement that writes outside of a transaction. */
function recordWrites(took: (write: Write) => void): void {
  let transaction: number[] | undefined;
  const { exec } = DatabaseSync.prototype;
  const { run } = StatementSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql.startsWith('BEGIN')) transaction = [];
    else if (sql === 'ROLLBACK') transaction = undefined;
    else if (sql === 'COMMIT') {
      if (transaction && transaction.length > 0) took(transaction);
      transaction = undefined;
    }
    return exec.call(this, sql);
  };
  const counted = function (this: StatementSync, ...given: Parameters<typeof run>) {
    const bytes = given.reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length : 8), 0);
    if (transaction) transaction.push(bytes);
    else took([bytes]);
    return Reflect.apply(run, this, given);
  };
  Object.defineProperty(StatementSync.prototype, 'run', { value: counted });
}

/**
 * Issues the same calls and the same durable writes with nothing around them; gives the milliseconds that they took. A
 * write cannot be made twice: in place of a patch stands one of the same size, also of a dry run if it was one, on the
 * ConfigMap `default/bare`.
 */
export async function reissue(
  { calls, writes }: Page,
  ask: Request,
  admin: Request,
  database: DatabaseSync,
): Promise<number> {
  const insert = database.prepare('INSERT INTO bare (text) VALUES (?)');
  const began = performance.now();
  for (const together of concurrent(calls)) {
    await Promise.all(together.map((call) => (call.method === 'GET' ? ask('GET', call.path) : patchLike(call, admin))));
  }
  for (const statements of writes) {
    database.exec('BEGIN IMMEDIATE');
    for (const bytes of statements) insert.run('x'.repeat(bytes));
    database.exec('COMMIT');
  }
  return performance.now() - began;
}

async function patchLike({ path, body }: Call, admin: Request): Promise<void> {
  const query = path.includes('dryRun=All') ? '?dryRun=All' : '';
  const text = `${performance.now()} `.padEnd(body.length, 'x');
  const { code } = await admin('PATCH', `/api/v1/namespaces/default/configmaps/bare${query}`, { data: { text } });
  if (code !== 200) throw new Error(`The bare patch was answered with ${code}`);
}

/** Calls that were under way at the same time are issued at the same time. */
function concurrent(calls: readonly Call[]): Call[][] {
  const groups: Call[][] = [];
  let until = 0;
  for (const call of calls) {
    const last = groups.at(-1);
    if (last && call.began < until) last.push(call);
    else groups.push([call]);
    until = Math.max(until, call.ended);
  }
  return groups;
}

/** A database that waits for the disk as Gleaner's does. */
export function bareDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (text TEXT)');
  return database;
}
