import * as z from 'zod';
import { Fact, TABLES } from '../model.ts';

/** Where an edge asks for what it does not reach itself, and for credentials to its queue. */
export const RELAY = '/v1/relay';
export const SESSION = '/v1/session';

const id = z.string().min(1).max(2_000);
const version = z.number().int().min(0);

/** The tables that hops at a cluster's edge use. Each table's items are of one cluster there: its own. */
export const RelayTable = z.enum(['proposal', 'incident', 'image', 'lastGood', 'switch', 'silence', 'receipt']);
export type RelayTable = z.infer<typeof RelayTable>;
/** What fits a schema, with the fields that this release does not know: they must be there when it is put again. */
const whole = <T>(schema: z.ZodType<T>) => z.custom<T>((value) => schema.safeParse(value).success);

/** Those that they write. */
export const RelayWrite = z.discriminatedUnion('table', [
  z.object({ table: z.literal('proposal'), item: whole(TABLES.proposal) }),
  z.object({ table: z.literal('incident'), item: whole(TABLES.incident) }),
  z.object({ table: z.literal('image'), item: whole(TABLES.image) }),
  z.object({ table: z.literal('lastGood'), item: whole(TABLES.lastGood) }),
  z.object({ table: z.literal('receipt'), item: whole(TABLES.receipt) }),
]);
export type RelayWrite = z.infer<typeof RelayWrite>;

/** What an edge asks of the store and the bus, which it does not reach itself. One request, one act. */
export const RelayRequest = z.discriminatedUnion('do', [
  z.object({ do: z.literal('get'), table: RelayTable, id }),
  z.object({ do: z.literal('put'), write: RelayWrite, version, expired: z.boolean().optional() }),
  z.object({ do: z.literal('list'), table: RelayTable }),
  z.object({
    do: z.literal('append'),
    at: z.iso.datetime(),
    kind: z.enum(['touch', 'decision']),
    text: z.string().max(300_000),
  }),
  z.object({
    do: z.literal('publish'),
    /** The delivery whose end it is: what is published has the same ids when the delivery is taken again. */
    cause: z.object({ hop: z.string().max(100), id, at: z.iso.datetime() }),
    outgoing: z.array(z.object({ fact: Fact, after: z.number().min(0).optional() })).max(500),
  }),
]);
export type RelayRequest = z.infer<typeof RelayRequest>;

/** A row as it travels: its item is read by the schema of its table. */
export const RelayRow = z.object({ item: z.unknown(), version });
/** What `put` answers. */
export const RelayPut = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), version }),
  z.object({ ok: z.literal(false), winner: RelayRow.optional() }),
]);
