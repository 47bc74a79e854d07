import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { GENESIS, hashOf, type Link } from '../../audit.ts';
import type { AuditLine, Store } from '../../ports/store.ts';
import { type Access, query, whole } from './access.ts';
import { attributesOf, bodyOf, LARGEST } from './body.ts';
import { auditKey, auditPartition } from './keys.ts';
import { type Attributes, jsonIn, unreadable } from './row.ts';

const Line: z.ZodType<AuditLine> = z.object({
  sequence: z.number().int(),
  at: z.string(),
  kind: z.string(),
  text: z.string(),
  previous: z.string(),
  hash: z.string(),
});

/** A line that is too large for a row even where it is compressed is cut to so many characters, with a mark, before it is hashed. */
const LONGEST = LARGEST / 8;
const LONGEST_PAUSE = 100;
/** A line that has not found its place by then is tried again later. Each round, somebody's finds its. */
const PATIENCE = 20_000;

/**
 * The hash-chained log without a transaction: the next line is put where nothing stands, so that of those who would
 * follow the same line one does. The others are told its hash, and go on from there: no gap, no fork.
 *
 * Costs: one write where nobody interferes, for the end of the log is remembered; one more, and later a read each, for
 * each time that somebody else was faster. N that append at the same moment need N²/2 writes at worst, and make way for
 * each other by waits of a tenth of a second at most; the lines of one process wait for each other instead. The log has
 * one partition, and each line the way there and back to DynamoDB before the next: some hundred lines a second, which
 * `chain` divides. That its end was cut off, the log alone does not tell: no right of ours deletes from it, and a line
 * that was noted elsewhere does.
 */
export function auditLog(access: Access, chain: string): Pick<Store, 'append' | 'audit'> {
  const { client, name, ask, attempt } = access;
  const { machine } = access.clock;
  const pause = (ms: number) => new Promise<void>((done) => void machine.after(ms, done));
  let head: Link | undefined;
  let turn: Promise<void> = Promise.resolve();

  async function end(): Promise<Link> {
    const range = {
      ...whole(auditPartition(chain)),
      ProjectionExpression: 'sk, #hash',
      ExpressionAttributeNames: { '#hash': 'hash' },
    };
    const [last] = await query(access, 'the end of the audit log', range, { limit: 1, isBackward: true });
    return last ? linkOf(last) : { sequence: 0, hash: GENESIS };
  }

  /** Puts a line where nothing stands; answers what stands there where something does. */
  async function put(line: AuditLine, mark: string): Promise<Attributes | undefined> {
    const key = auditKey(chain, line.sequence);
    const { json, packed } = attributesOf(bodyOf(JSON.stringify(line)));
    const Item = { ...key, ...(json && { json }), ...(packed && { packed }), hash: { S: line.hash }, by: { S: mark } };
    try {
      await ask(`PutItem of line ${line.sequence} of the audit log`, () =>
        client.send(
          new PutItemCommand({
            ...{ TableName: name, Item, ConditionExpression: 'attribute_not_exists(pk)' },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const stands = error.Item ?? (await read(line.sequence));
      // Our own, whose answer was lost.
      return stands.by?.S === mark ? undefined : stands;
    }
  }

  async function read(sequence: number): Promise<Attributes> {
    const { Item } = await ask(`GetItem of line ${sequence} of the audit log`, () =>
      client.send(new GetItemCommand({ TableName: name, Key: auditKey(chain, sequence), ConsistentRead: true })),
    );
    if (!Item) throw unreadable(`line ${sequence} of the audit log`, 'it was removed while it was read');
    return Item;
  }

  async function append({ at, kind, text }: Parameters<Store['append']>[0]): Promise<void> {
    const [mark, begun] = [attempt(), machine.now().getTime()];
    // The hash must be that of the text as it is read back.
    const said = { at, kind, text: cut(text.toWellFormed()) };
    for (let overtaken = 0; machine.now().getTime() - begun < PATIENCE; overtaken++) {
      // Who is overtaken once follows whom overtook it; more often, the end may be far, and many are on their way there.
      if (overtaken > 1) await pause(access.random() * Math.min(LONGEST_PAUSE, 4 * 2 ** overtaken));
      if (!head || overtaken > 1) head = await end();
      const line = { ...said, sequence: head.sequence + 1, previous: head.hash };
      const hash = hashOf(line);
      const stands = await put({ ...line, hash }, mark);
      head = stands ? linkOf(stands) : { sequence: line.sequence, hash };
      if (!stands) return;
    }
    throw new Error('Others kept appending to the audit log: the line is tried again later');
  }

  return {
    append(line) {
      const mine = turn.then(() => append(line));
      turn = mine.catch(() => undefined);
      return mine;
    },
    async audit(from, limit) {
      if (limit < 1) return [];
      const range = {
        KeyConditionExpression: 'pk = :pk AND sk >= :from',
        ExpressionAttributeValues: {
          ':pk': { S: auditPartition(chain) },
          ':from': auditKey(chain, Math.max(from, 0)).sk,
        },
      };
      return (await query(access, 'the audit log', range, { limit })).map(lineOf);
    },
  };
}

const linkOf = (row: Attributes): Link => ({ sequence: Number(row.sk?.S), hash: row.hash?.S ?? GENESIS });

function lineOf(row: Attributes): AuditLine {
  const title = `line ${Number(row.sk?.S)} of the audit log`;
  const json = jsonIn(row, title);
  try {
    return Line.parse(JSON.parse(json ?? ''));
  } catch {
    throw unreadable(title, 'it is no line');
  }
}

function cut(text: string): string {
  // A character has six bytes in JSON at most, and what stands beside the text some hundred.
  if (text.length <= LONGEST || bodyOf(JSON.stringify({ text, beside: 'x'.repeat(1_000) })).is !== 'parts') return text;
  return `${text.slice(0, LONGEST).toWellFormed()}… (cut: it had ${text.length} characters)`;
}
