import { randomBytes } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Row, Store, Table, Tables } from '../../ports/store.ts';
import type { Access } from './access.ts';
import { auditLog } from './audit-log.ts';
import { itemsOf } from './items.ts';
import { auditKey, hasCluster, isShared, scopeById, scopeOf } from './keys.ts';
import { patience } from './patience.ts';
import { placesOf } from './places.ts';

export interface DynamodbStoreOptions extends Pick<Access, 'client' | 'clock'> {
  /** The table's name. */
  readonly table: string;
  /** The audit log's name, where several are kept in one table: each is a chain of its own. */
  readonly chain?: string;
  /** Spreads the waits. Gives numbers from 0 to below 1. */
  readonly random?: () => number;
}

/** A store in DynamoDB: what every store does, and what only this one offers. */
export interface DynamodbStore extends Store {
  /** Asks the store for its time, where no answer has told it yet: `clock` is the store's from then on. */
  ready(): Promise<void>;
}

/** How many clusters are read at the same time where all of them are. */
const TOGETHER = 10;

/**
 * A store in one DynamoDB table, by single-item compare-and-set alone. Every read is consistent; nothing scans. A write
 * whose answer was lost is known by the mark that it left. A throw means "run me again": the service is away or
 * throttles, a row was written by a newer Gleaner, or somebody must mend rights or rows; the sentence says which.
 */
export function dynamodbStore(options: DynamodbStoreOptions): DynamodbStore {
  const { client, table: name, clock, chain = 'main', random = Math.random } = options;
  const ask = patience({ clock: clock.machine, table: name, random });
  const access: Access = { client, name, ask, clock, random, attempt: () => randomBytes(9).toString('base64url') };
  const [items, places, log] = [itemsOf(access), placesOf(access), auditLog(access, chain)];

  async function get<K extends Table>(table: K, id: string): Promise<Row<Tables[K]> | undefined> {
    const scope = await places.find(table, id);
    return scope === undefined ? undefined : items.get(table, scope, id);
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
      const written = await items.put(table, scope, item, version, unless);
      return written.is === 'mine' ? { ok: true, version: version + 1 } : { ok: false, winner: written.winner };
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
