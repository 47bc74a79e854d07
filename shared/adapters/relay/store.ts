import * as z from 'zod';
import { TABLES } from '../../model.ts';
import { RelayPut, type RelayRequest, RelayRow, RelayTable, RelayWrite } from '../../ports/relay.ts';
import type { Row, Store, Table, Tables } from '../../ports/store.ts';

/** Sends one request of the cluster's and gives its answer back. Throws, which means "run me again", where none came. */
export type Call = (request: RelayRequest) => Promise<unknown>;

const SCHEMAS: { readonly [K in Table]: z.ZodType<Tables[K]> } = TABLES;
const Found = z.object({ row: RelayRow.optional() });
const Rows = z.object({ rows: z.array(RelayRow) });

/** The tables' schemas check and change nothing: what they take is of their type as it is, with what they do not know. */
const fits = <T>(schema: z.ZodType<T>, item: unknown): item is T => schema.safeParse(item).success;

/** The store as one cluster's edge has it: its own items, and nothing of the audit log but to write there. */
export function relayStore(call: Call): Store {
  function rowIn<K extends Table>(table: K, row: z.infer<typeof RelayRow>): Row<Tables[K]> {
    const { item, version } = row;
    if (fits(SCHEMAS[table], item)) return { item, version };
    throw new Error(
      `A ${table} that was relayed cannot be read: bring this cluster's Gleaner to the release of the stack`,
    );
  }
  const rowsOf = async <K extends Table>(table: K) => {
    const { rows } = Rows.parse(await call({ do: 'list', table: RelayTable.parse(table) }));
    return rows.map((row) => rowIn(table, row));
  };

  return {
    async get(table, id) {
      const { row } = Found.parse(await call({ do: 'get', table: RelayTable.parse(table), id }));
      return row && rowIn(table, row);
    },
    async put(table, item, version, unless = {}) {
      const write = RelayWrite.parse({ table, item });
      const said = RelayPut.parse(
        await call({ do: 'put', write, version, ...(unless.expired && { expired: unless.expired }) }),
      );
      return said.ok ? said : { ok: false, winner: said.winner && rowIn(table, said.winner) };
    },
    // Of one cluster it is little: no index is needed for what is not over.
    list: rowsOf,
    current: rowsOf,
    async append({ at, kind, text }) {
      await call({ do: 'append', at, kind: kind === 'touch' ? 'touch' : 'decision', text });
    },
    prune: () => Promise.reject(new Error('What is over is removed where the store is, not at the edge')),
    audit: () => Promise.reject(new Error('The audit log is read where the store is, not at the edge')),
  };
}
