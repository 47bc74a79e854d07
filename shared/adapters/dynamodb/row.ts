import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLES } from '../../model.ts';
import type { Row, Table, Tables } from '../../ports/store.ts';
import { unpacked } from './body.ts';

/** A row's attributes, as the SDK gives them. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** The version of the rows' own shape. What has a higher one was written by a newer Gleaner. */
export const FORMAT = 1;
/** The version of the items' shape, which stands in each of them. */
const SCHEMA = 1;

/** How many of its last writers a row remembers. */
const SLOTS = 8;
/**
 * The attribute with the attempt that wrote a version. Its name is told by the version alone, so that a writer leaves its
 * mark without reading, and finds it again though others have written since.
 */
export const slotOf = (version: number): string => `a${version % SLOTS}`;
export const attemptOf = (row: Attributes, version: number): string | undefined => row[slotOf(version)]?.S;

export const numberOf = (row: Attributes, name: string): number => Number(row[name]?.N ?? Number.NaN);

/** Whether a row's time to live is over: DynamoDB may have deleted what belongs to it. */
export const isOver = (row: Attributes, now: Date): boolean => numberOf(row, 'ttl') * 1000 <= now.getTime();

/** The JSON in a row; `undefined` where it stands in parts. Throws where the row's own shape is not known. */
export function jsonIn(row: Attributes, name: string): string | undefined {
  const format = numberOf(row, 'format');
  if (format > FORMAT) throw newer(name, 'format', format, FORMAT);
  if (row.json?.S !== undefined) return row.json.S;
  try {
    if (row.packed?.B) return unpacked(row.packed.B);
  } catch (error) {
    throw unreadable(name, String(error));
  }
  if (row.parts?.N === undefined) throw unreadable(name, 'it holds no item');
  return undefined;
}

const SCHEMAS: { readonly [K in Table]: z.ZodType<Tables[K]> } = TABLES;
const Versioned = z.object({ schema: z.number() });

/**
 * Reads an item by its table's schema. What does not fit was changed by other hands: it throws, and nothing is guessed.
 * Fields that this Gleaner does not know stay in the item, so that they are there when it is put again.
 */
export function itemIn<K extends Table>(table: K, row: Attributes, json: string, name: string): Row<Tables[K]> {
  let item: unknown;
  try {
    item = JSON.parse(json);
  } catch {
    // V8's message quotes the text.
    throw unreadable(name, 'it is no JSON');
  }
  const schema = Versioned.safeParse(item).data?.schema ?? SCHEMA;
  if (schema > SCHEMA) throw newer(name, 'schema', schema, SCHEMA);
  const version = numberOf(row, 'version');
  if (!Number.isSafeInteger(version)) throw unreadable(name, 'it has no version');
  if (fits(SCHEMAS[table], item)) return { item, version };
  const [issue] = SCHEMAS[table].safeParse(item).error?.issues ?? [];
  throw unreadable(name, `${issue?.path.join('.') || 'the whole of it'}: ${issue?.message}`);
}

/** The tables' schemas check and change nothing: what they take is of their type as it is, with what they do not know. */
const fits = <T>(schema: z.ZodType<T>, item: unknown): item is T => schema.safeParse(item).success;

export const unreadable = (name: string, because: string) =>
  new Error(
    `The stored ${name} cannot be read (${because}): put back the row from before it was changed (point-in-time recovery keeps it for 35 days)`,
  );

const newer = (name: string, what: string, is: number, known: number) =>
  new Error(
    `The stored ${name} was written by a newer Gleaner (its ${what} is ${is}, this one reads ${known}): the newer one must handle it, so finish the upgrade`,
  );
