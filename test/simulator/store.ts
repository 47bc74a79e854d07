import { createHash } from 'node:crypto';
import { overAt } from '../../shared/model.ts';
import type { AuditLine, Ending, Row, Store, Table, Tables } from '../../shared/ports/store.ts';

/** A store in memory with the contract of the durable one: for simulations, which open thousands. */
export function memoryStore(): Store {
  const tables = new Map<string, { item: unknown; version: number }>();
  const lines: AuditLine[] = [];
  const key = (table: Table, id: string) => `${table}/${id}`;
  // What `put` took under a table's name is what `get` gives back: the cast stands for that.
  const rowOf = <K extends Table>(row: { item: unknown; version: number } | undefined) =>
    structuredClone(row) as Row<Tables[K]> | undefined;

  async function list<K extends Table>(table: K, where: { cluster?: string } = {}) {
    const rows = [...tables].filter(([name]) => name.startsWith(`${table}/`)).map(([, row]) => row);
    return rows
      .filter(({ item }) => where.cluster === undefined || Object(item).cluster === where.cluster)
      .flatMap((row) => rowOf<K>(row) ?? []);
  }

  return {
    async get<K extends Table>(table: K, id: string) {
      return rowOf<K>(tables.get(key(table, id)));
    },
    async put<K extends Table>(table: K, item: Tables[K], version: number) {
      const current = tables.get(key(table, item.id));
      if ((current?.version ?? 0) !== version) return { ok: false as const, winner: rowOf<K>(current) };
      tables.set(key(table, item.id), { item: structuredClone(item), version: version + 1 });
      return { ok: true as const, version: version + 1 };
    },
    list,
    async current<K extends Ending>(table: K, { overSince, ...where }: { cluster?: string; overSince?: string } = {}) {
      return (await list(table, where)).filter(({ item }) => {
        const over = overAt(table, item);
        return over === undefined || (overSince !== undefined && over >= overSince);
      });
    },
    /** Nobody lives so long here. */
    async prune() {},
    async append({ at, kind, text }) {
      const previous = lines.at(-1)?.hash ?? '';
      const hash = createHash('sha256').update(previous).update(text).digest('hex');
      lines.push({ sequence: lines.length + 1, at, kind, text, previous, hash });
    },
    async audit(from, limit) {
      return lines.filter(({ sequence }) => sequence >= from).slice(0, limit);
    },
  };
}
