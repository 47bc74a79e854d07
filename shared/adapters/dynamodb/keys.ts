import { createHash } from 'node:crypto';
import type { Ending, Table, Tables } from '../../model.ts';

/** The primary key of a row, as the SDK takes it. */
export type Key = { pk: { S: string }; sk: { S: string } };

const key = (pk: string, sk: string): Key => ({ pk: { S: pk }, sk: { S: sk } });

/** A partition key has 2048 bytes at most, a sort key 1024, and neither may be empty. */
const LONGEST = 700;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A text as a part of a key: itself, or its hash where a key cannot hold it. DynamoDB keeps UTF-8, without lone surrogates. */
function keyed(text: string): string {
  const holds =
    text !== '' && !text.startsWith('#') && text.isWellFormed() && Buffer.byteLength(text, 'utf8') <= LONGEST;
  // JSON escapes lone surrogates, so that two texts that differ in one have two hashes.
  return holds ? text : `#${sha256(JSON.stringify(text))}`;
}

/** What the items of no cluster share. */
const SHARED = '-';

/**
 * By what the items of a table are placed: the cluster that stands in them, the cluster that their id is or begins with
 * (before a `/`), or nothing, so that they share one partition.
 */
const PLACED: { readonly [K in Table]: 'by cluster' | 'by id' | 'together' } = {
  incident: 'by cluster',
  proposal: 'by cluster',
  image: 'by cluster',
  silence: 'by cluster',
  post: 'by cluster',
  switch: 'by id',
  lastGood: 'by id',
  lane: 'together',
  receipt: 'together',
  policy: 'together',
  cluster: 'together',
};

export const hasCluster = (table: Table) => PLACED[table] === 'by cluster';
/** Whether all items of a table stand in one partition. */
export const isShared = (table: Table) => PLACED[table] === 'together';

/** Where an item stands, as far as table and id tell it; `undefined` where only the item does. */
export function scopeById(table: Table, id: string): string | undefined {
  if (hasCluster(table)) return undefined;
  return isShared(table) ? SHARED : id.split('/', 1)[0];
}

export const scopeOf = <K extends Table>(table: K, item: Tables[K]): string =>
  'cluster' in item ? item.cluster : (scopeById(table, item.id) ?? SHARED);

/** A partition with the items of one table and one cluster. */
export const partition = (table: Table, scope: string): string => `item/${table}/${keyed(scope)}`;
export const itemKey = (table: Table, scope: string, id: string): Key => key(partition(table, scope), keyed(id));

/** Where an item stands whose cluster its id does not tell. */
export const placeKey = (table: Table, id: string): Key => key(`place/${table}/${keyed(id)}`, '-');

/** Which clusters have had items of a table. */
export const scopesPartition = (table: Table): string => `scopes/${table}`;
export const scopeKey = (table: Table, scope: string): Key => key(scopesPartition(table), keyed(scope));

const padded = (number: number) => `${number}`.padStart(12, '0');

/** One piece of what did not fit into an item's own row. */
export interface PartOf {
  readonly table: Table;
  readonly scope: string;
  readonly id: string;
  readonly version: number;
  readonly attempt: string;
}
export const partsPartition = ({ table, scope }: Pick<PartOf, 'table' | 'scope'>): string =>
  `part/${table}/${keyed(scope)}`;
export const partKey = (of: PartOf, index: number): Key =>
  key(partsPartition(of), `${partsPrefix(of)}${padded(index)}`);
export const partsPrefix = ({ id, version, attempt }: PartOf): string => `${sha256(id)}/${padded(version)}/${attempt}/`;
/** All sort keys of an item's parts up to a version, as the two ends of a range. */
export const partsUpTo = (id: string, version: number): readonly [string, string] => [
  `${sha256(id)}/`,
  `${sha256(id)}/${padded(version)}/~`,
];

/** The audit log: one partition, its lines in the order of their sequence. */
export const auditPartition = (chain: string): string => `audit/${keyed(chain)}`;
export const auditKey = (chain: string, sequence: number): Key => key(auditPartition(chain), padded(sequence));

/**
 * What of a table is not over, and what was over lately in the order of its end: two partitions for all clusters, so that
 * both are read without asking each cluster.
 */
export const currentPartition = (table: Ending): string => `current/${table}/open`;
export const currentPrefix = (scope: string): string => `${keyed(scope)}/`;
export const currentKey = (table: Ending, scope: string, id: string): Key =>
  key(currentPartition(table), `${currentPrefix(scope)}${sha256(id)}`);
export const overPartition = (table: Ending): string => `current/${table}/over`;
export const overKey = (table: Ending, at: string, id: string): Key => key(overPartition(table), `${at}/${sha256(id)}`);
