import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type Ending, overAt, type Tables } from '../../model.ts';
import type { Row } from '../../ports/store.ts';
import { type Access, query, unlessRefused } from './access.ts';
import type { Items } from './items.ts';
import { currentKey, currentPartition, currentPrefix, overKey, overPartition } from './keys.ts';
import { type Attributes, numberOf } from './row.ts';

/**
 * Which items are not over, by rows of their own beside the items, without a transaction: an item that is not over has a
 * mark. The mark is set before the write that begins it, with the version of that write, and taken off after the write
 * that ends it, by that write's version: a mark that was set for a later one stays. A crash between the two leaves a mark
 * too many, never one too few; what a mark names is looked at before it is believed, and a mark of what is over taken off.
 */
export interface Current {
  /** Before the write of a version in which the item is not over. */
  begin(of: Marked): Promise<void>;
  /** After the write of a version in which it is over, since `at`. */
  end(of: Marked, at: string): Promise<void>;
  list<K extends Ending>(table: K, where: { cluster?: string; overSince?: string }): Promise<Row<Tables[K]>[]>;
  /** Keeps what is over for so many seconds more, where something names it that is not over. */
  renew(keep: number): Promise<void>;
}

export interface Marked {
  readonly table: Ending;
  readonly scope: string;
  readonly id: string;
  readonly version: number;
}

/** Longer than anybody asks back (`Store.current`), in seconds. */
const LISTED_FOR = 8 * 86_400;
/** How many items are read at the same time. */
const TOGETHER = 25;

export function currentOf(access: Access, items: Pick<Items, 'get' | 'renew'>): Current {
  const { client, name, ask, clock } = access;

  const seconds = () => Math.ceil(clock.now().getTime() / 1000);
  const ofVersion = (version: number) => ({
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': { N: `${version}` } },
  });

  async function begin({ table, scope, id, version }: Marked): Promise<void> {
    const mark = { scope: { S: scope }, id: { S: id }, version: { N: `${version}` }, at: { N: `${seconds()}` } };
    const request = new PutItemCommand({
      ...{ TableName: name, Item: { ...currentKey(table, scope, id), ...mark }, ...ofVersion(version) },
      ConditionExpression: 'attribute_not_exists(pk) OR #version < :version',
    });
    await unlessRefused(() => ask(`PutItem of the mark of ${table} ${id}`, () => client.send(request)));
  }

  /** Takes a mark off, unless it was set for a later version. */
  async function forget({ table, scope, id, version }: Marked): Promise<void> {
    const request = new DeleteItemCommand({
      ...{ TableName: name, Key: currentKey(table, scope, id), ...ofVersion(version) },
      ConditionExpression: 'attribute_not_exists(pk) OR #version <= :version',
    });
    await unlessRefused(() => ask(`DeleteItem of the mark of ${table} ${id}`, () => client.send(request)));
  }

  async function end(of: Marked, at: string): Promise<void> {
    const { table, scope, id } = of;
    const ttl = { N: `${seconds() + LISTED_FOR}` };
    const Item = { ...overKey(table, at, id), scope: { S: scope }, id: { S: id }, ttl };
    // The other way round a crash between the two would keep it from who asks what was over lately.
    await ask(`PutItem of the end of ${table} ${id}`, () => client.send(new PutItemCommand({ TableName: name, Item })));
    await forget(of);
  }

  const marks = (table: Ending, cluster: string | undefined) =>
    query(access, `what of ${table} is not over`, {
      KeyConditionExpression: `pk = :pk${cluster === undefined ? '' : ' AND begins_with(sk, :of)'}`,
      ExpressionAttributeValues: {
        ':pk': { S: currentPartition(table) },
        ...(cluster !== undefined && { ':of': { S: currentPrefix(cluster) } }),
      },
    });

  async function ended(table: Ending, cluster: string | undefined, since: string | undefined): Promise<Attributes[]> {
    if (since === undefined) return [];
    const rows = await query(access, `what of ${table} was over lately`, {
      KeyConditionExpression: 'pk = :pk AND sk >= :since',
      ExpressionAttributeValues: { ':pk': { S: overPartition(table) }, ':since': { S: since } },
    });
    return rows.filter(({ scope }) => cluster === undefined || scope?.S === cluster);
  }

  /** The item of a mark. The mark is taken off where the item is over by now, or was never written. */
  async function read<K extends Ending>(table: K, mark: Attributes): Promise<Row<Tables[K]>[]> {
    const [scope, id, version] = [mark.scope?.S ?? '', mark.id?.S ?? '', numberOf(mark, 'version')];
    const row = await items.get(table, scope, id);
    const over = row && overAt(table, row.item);
    // Who may only read is refused that, and need not care.
    if (row && over !== undefined && row.version >= version)
      await end({ table, scope, id, version: row.version }, over).catch(() => undefined);
    if (!row && numberOf(mark, 'at') + LISTED_FOR < seconds())
      await forget({ table, scope, id, version }).catch(() => undefined);
    return row ? [row] : [];
  }

  async function list<K extends Ending>(table: K, { cluster, overSince }: { cluster?: string; overSince?: string }) {
    // One after the other: what ends between the two is in the second.
    const [open, over] = [await marks(table, cluster), await ended(table, cluster, overSince)];
    const named = [...new Map([...over, ...open].map((mark) => [mark.id?.S, mark])).values()];
    const rows: Row<Tables[K]>[] = [];
    await inTurns(named, async (mark) => void rows.push(...(await read(table, mark))));
    const isListed = ({ item }: Row<Tables[K]>) => {
      const at = overAt(table, item);
      return at === undefined || (overSince !== undefined && at >= overSince);
    };
    return rows.filter(isListed).sort((a, b) => (a.item.id < b.item.id ? -1 : 1));
  }

  async function renew(keep: number): Promise<void> {
    const [incidents, proposals] = [await list('incident', {}), await list('proposal', {})];
    const named = [
      ...incidents.map(({ item: { cluster, proposal } }) => ({ cluster, id: proposal })),
      ...proposals.map(({ item: { cluster, undoes } }) => ({ cluster, id: undoes })),
    ];
    const soon = seconds() + keep / 2;
    await inTurns(named, async ({ cluster, id }) => {
      if (id !== undefined) await items.renew('proposal', cluster, id, Math.ceil(soon), seconds() + keep);
    });
  }

  return { begin, end, list, renew };
}

/** Acts on each, on so many at the same time. */
async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += TOGETHER)
    await Promise.all(all.slice(from, from + TOGETHER).map((one) => act(one)));
}
