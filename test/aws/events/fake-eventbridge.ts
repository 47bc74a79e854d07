import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { sizeOf } from '../../../shared/adapters/eventbridge/entry.ts';
import type { Json } from '../../../shared/handler.ts';
import { isObject, JsonValue } from '../../../shared/objects.ts';
import type { FakeQueue } from './fake-queue.ts';
import { type Answer, refused } from './fake-sqs.ts';
import { matches } from './matcher.ts';

/** A rule with its one target, as our stack has them. */
export interface Rule {
  readonly pattern: Json;
  readonly queue: FakeQueue;
}

const Entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  Time: z.number().optional(),
  EventBusName: z.string().optional(),
});
type Entry = z.infer<typeof Entry>;

/** What EventBridge takes, an entry and a request. */
const LARGEST = 256 * 1024;

const problemOf = ({ Source, DetailType, Detail }: Entry): { code: string; message: string } | undefined => {
  if (!Source || !DetailType || !Detail) return { code: 'InvalidArgument', message: 'Parameter is not valid.' };
  if (DetailType.length > 128) return { code: 'InvalidArgument', message: 'DetailType is too long.' };
  try {
    return isObject(JSON.parse(Detail)) ? undefined : { code: 'MalformedDetail', message: 'Detail is malformed.' };
  } catch {
    return { code: 'MalformedDetail', message: 'Detail is malformed.' };
  }
};

/** EventBridge's PutEvents over rules in memory. `chance` lets a target be invoked twice, as EventBridge may. */
export function fakeEventBridge(rules: readonly Rule[], bus: string, now: () => number, chance?: () => number) {
  return (input: unknown, refuse: ReadonlyMap<number, string>): Answer => {
    const { Entries } = z.object({ Entries: z.array(Entry).min(1) }).parse(input);
    if (Entries.length > 10) return refused('ValidationException', 'Member must have length less than or equal to 10');
    const total = Entries.reduce(
      (sum, { Time, ...rest }) => sum + sizeOf({ ...rest, ...(Time && { Time: new Date(0) }) }),
      0,
    );
    if (total > LARGEST)
      return refused('ValidationException', 'Total size of the entries in the request is over the limit.');
    if (Entries.some(({ EventBusName }) => EventBusName !== bus))
      return refused('ResourceNotFoundException', 'No such bus.');
    const problems = Entries.map(problemOf);
    if (problems.every((problem) => problem !== undefined))
      return refused('ValidationException', problems[0]?.message ?? '');
    const answers = Entries.map((entry, index) => {
      const code = refuse.get(index) ?? problems[index]?.code;
      if (code !== undefined) return { ErrorCode: code, ErrorMessage: problems[index]?.message ?? 'Try again.' };
      return { EventId: put(entry) };
    });
    return {
      status: 200,
      json: { FailedEntryCount: answers.filter((one) => !('EventId' in one)).length, Entries: answers },
    };
  };

  function put({ Source = '', DetailType = '', Detail = '{}', Time }: Entry): string {
    const event = {
      ...{ version: '0', id: randomUUID(), 'detail-type': DetailType, source: Source, account: '000000000000' },
      time: new Date(Time === undefined ? now() : Time * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
      ...{ region: 'eu-central-1', resources: [], detail: JsonValue.parse(JSON.parse(Detail)) },
    };
    for (const { queue } of rules.filter((rule) => matches(rule.pattern, event))) {
      queue.send(JSON.stringify(event));
      if (chance && chance() < 0.1) queue.send(JSON.stringify(event));
    }
    return event.id;
  }
}
