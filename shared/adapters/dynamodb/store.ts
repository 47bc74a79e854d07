import { randomBytes } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type Duration, milliseconds } from '../../duration.ts';
import { isEnding, overAt } from '../../model.ts';
import type { Row, Store, Table, Tables } from '../../ports/store.ts';
import type { Access } from './access.ts';
import { auditLog } from './audit-log.ts';
import { currentOf, type Marked } from './current.ts';
import { itemsOf } from './items.ts';
import { auditKey, hasCluster, isShared, scopeById, scopeOf } from './keys.ts';
import { patience } from './patience.ts';
import { placesOf } from './places.ts';

export interface DynamodbStoreOptions extends Pick<Access, 'client' | 'clock'> {
  /** The table's name. */
  readonly table: string;
  /** The audit log's name, where several are kept in one table: each is a chain of its own. */
  readonly chain?: string;
  /** For how long what is over is kept, 90 days where it is not said: DynamoDB removes it then by itself. */
  readonly keep?: Duration;
  /** Spreads the waits. Gives numbers from 0 to below 1. */
  readonly random?: () => number;
}

/** A store in DynamoDB: what every store does, and what only this one offers. */
export interface DynamodbStore extends Store {
  /** Asks the store for its time, where no answer has told it yet: `clock` is the store's from then on. */
  ready(): Promise<void>;
}

/** What a process remembers at most, some megabytes. */
const REMEMBERED = 20_000;
/** How many clusters are read at the same time where all of them are. */
const TOGETHER = 10;

/**
 * A store in one DynamoDB table, by single-item compare-and-set alone. Every read is consistent; nothing scans. A write
 * whose answer was lost is known by the mark that it left. A throw means "run me again": the service is away or
 * throttles, a row was written by a newer Gleaner, or somebody must mend rights or rows; the sentence says which.
 */
export function dynamodbStore(options: DynamodbStoreOptions): DynamodbStore {
  const { client, table: name, clock, chain = 'main', keep = '90d', random = Math.random } = options;
  const ask = patience({ clock: clock.machine, table: name, random });
  const access: Access = {
    ...{ client, name, ask, clock, random, keep: milliseconds(keep) / 1000 },
    attempt: () => randomBytes(9).toString('base64url'),
  };
  const [items, places, log] = [itemsOf(access), placesOf(access), auditLog(access, chain)];
  const current = currentOf(access, items);
  /** The version in which an item was seen not to be over: then it has its mark. */
  const begun = new Map<string, number>();

  function seen<K extends Table>(table: K, row: Row<Tables[K]>): Row<Tables[K]> {
    if (begun.size >= REMEMBERED) begun.clear();
    const name = `${table}/${row.item.id}`;
    if (isEnding(table) && overAt(table, row.item) === undefined) begun.set(name, row.version);
    else begun.delete(name);
    return row;
  }

  async function get<K extends Table>(table: K, id: string): Promise<Row<Tables[K]> | undefined> {
    const scope = await places.find(table, id);
    const row = scope === undefined ? undefined : await items.get(table, scope, id);
    return row && seen(table, row);
  }

  async function ready(): Promise<void> {
    if (clock.isSet()) return;
    const Key = auditKey(chain, 0);
    await ask('GetItem of the time', () => client.send(new GetItemCommand({ TableName: name, Key })));
  }

  async function scopesOf(table: Table, cluster: string | undefined): Promise<readonly string[]> {
    if (cluster !== undefined) return hasCluster(table) ? [cluster] : [];
    return isShared(table) ? [scopeById(table, '') ?? ''] : places.scopes(table);
  }

  /** What was seen not to be over has its mark. */
  const begin = async (of: Marked, over: string | undefined) => {
    const isMarked = of.version > 1 && begun.get(`${of.table}/${of.id}`) === of.version - 1;
    if (over === undefined && !isMarked) await current.begin(of);
  };
  /** The item is written: what is left of its mark is found by who reads it. */
  const end = async (of: Marked, over: string | undefined) => {
    if (over !== undefined) await current.end(of, over).catch(() => undefined);
  };

  return {
    ready,
    get,
    async put(table, item, version, unless = {}) {
      if (unless.expired) await ready();
      const scope = scopeOf(table, item);
      if (version === 0) {
        const stands = await places.claim(table, item.id, scope);
        if (stands !== scope) return { ok: false, winner: await takenBy(table, item.id, stands) };
      }
      if (isEnding(table)) await begin({ table, scope, id: item.id, version: version + 1 }, overAt(table, item));
      const written = await items.put(table, scope, item, version, unless);
      if (written.is !== 'mine') return { ok: false, winner: written.winner && seen(table, written.winner) };
      seen(table, { item, version: version + 1 });
      if (isEnding(table)) await end({ table, scope, id: item.id, version: version + 1 }, overAt(table, item));
      return { ok: true, version: version + 1 };
    },
    async list(table, { cluster } = {}) {
      const scopes = await scopesOf(table, cluster);
      const rows: Awaited<ReturnType<typeof items.list<typeof table>>> = [];
      for (let from = 0; from < scopes.length; from += TOGETHER) {
        const some = scopes.slice(from, from + TOGETHER).map((scope) => items.list(table, scope));
        rows.push(...(await Promise.all(some)).flat());
      }
      return rows.sort((a, b) => (a.item.id < b.item.id ? -1 : 1));
    },
    async current(table, where = {}) {
      return (await current.list(table, where)).map((row) => seen(table, row));
    },
    /** DynamoDB removes by itself what has ended (`TIME_TO_LIVE`): here what is still named is kept from that. */
    async prune({ closed }) {
      const now = clock.now().getTime();
      await current.renew(Math.ceil((now - Date.parse(closed)) / 1000));
    },
    ...log,
  };

  async function takenBy<K extends Table>(table: K, id: string, scope: string): Promise<Row<Tables[K]>> {
    const row = await items.get(table, scope, id);
    if (row) return row;
    throw new Error(
      `The ${table} ${id} is noted for cluster ${scope}, where it is not: remove its row in partition place/${table} of ${name}`,
    );
  }
}
