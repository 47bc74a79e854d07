import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { QUEUED } from '../../../infra/aws/functions.ts';
import { patterns, STRANGE } from '../../../infra/aws/patterns.ts';
import { TABLE, TIME_TO_LIVE } from '../../../shared/adapters/dynamodb/table.ts';
import { ATTEMPTS } from '../../../shared/runtime/lambda.ts';
import { idIn, ofType, type Packaged, type Properties } from './packaged.ts';

const Redrive = z.object({ deadLetterTargetArn: z.json(), maxReceiveCount: z.number() });
const Targets = z.tuple([
  z.object({
    Arn: z.json(),
    DeadLetterConfig: z.object({ Arn: z.json() }),
    RetryPolicy: z.object({ MaximumRetryAttempts: z.number() }),
  }),
]);

/** The rule that fills a queue. */
const ruleTo = (made: Packaged, queue: string) =>
  ofType(made, 'AWS::Events::Rule').filter(([, { Targets: to }]) => idIn(Targets.parse(to)[0].Arn) === queue);

const named = (hop: string) => hop.charAt(0).toUpperCase() + hop.slice(1);

export function queues(made: () => Packaged): void {
  const all = () => new Map(ofType(made(), 'AWS::SQS::Queue'));
  const deadLettersOf = ({ RedrivePolicy }: Properties) =>
    RedrivePolicy === undefined ? undefined : idIn(Redrive.parse(RedrivePolicy).deadLetterTargetArn);
  const mappings = () => ofType(made(), 'AWS::Lambda::EventSourceMapping').map(([, of]) => of);

  describe('The bus', () => {
    it.each(QUEUED)('has one rule for %s, with exactly the pattern of its route, and it fills its queue', (hop) => {
      const rules = ruleTo(made(), `${named(hop)}Queue`);

      expect(rules).toHaveLength(1);
      expect(rules[0]?.[1].EventPattern).toEqual(JSON.parse(JSON.stringify(patterns()[hop])));
      expect(idIn(rules[0]?.[1].EventBusName)).toBe('EventBus');
    });

    it('brings what no hop knows where an alarm sees it', () => {
      expect(ruleTo(made(), 'StrangeQueue')[0]?.[1].EventPattern).toEqual(JSON.parse(JSON.stringify(STRANGE)));
    });

    it('has dead letters and tries again behind every rule', () => {
      const targets = ofType(made(), 'AWS::Events::Rule').map(([, of]) => Targets.parse(of.Targets)[0]);

      expect(targets.map(({ DeadLetterConfig }) => idIn(DeadLetterConfig.Arn))).toEqual(
        targets.map(() => 'UndeliveredQueue'),
      );
      expect(targets.filter(({ RetryPolicy }) => RetryPolicy.MaximumRetryAttempts < 1)).toEqual([]);
    });

    it('keeps what was said', () => {
      const [archive] = ofType(made(), 'AWS::Events::Archive');

      expect(archive?.[1]).toMatchObject({ RetentionDays: 30, EventPattern: { source: ['gleaner'] } });
    });

    it('may put messages on a queue only by the rules that lead there', () => {
      for (const [, { Queues, PolicyDocument }] of ofType(made(), 'AWS::SQS::QueuePolicy')) {
        const queue = idIn(z.tuple([z.json()]).parse(Queues)[0]);
        const [{ Condition, Principal, Action }] = z
          .object({
            Statement: z.tuple([
              z.object({
                Action: z.literal('sqs:SendMessage'),
                Principal: z.object({ Service: z.literal('events.amazonaws.com') }),
                Condition: z.object({ ArnEquals: z.object({ 'aws:SourceArn': z.array(z.json()) }) }),
              }),
            ]),
          })
          .parse(PolicyDocument).Statement;
        const admitted = Condition.ArnEquals['aws:SourceArn'].map(idIn).sort();
        const leading = ofType(made(), 'AWS::Events::Rule')
          .filter(([, { Targets: to }]) => {
            const [{ Arn, DeadLetterConfig }] = Targets.parse(to);
            return [idIn(Arn), idIn(DeadLetterConfig.Arn)].includes(queue);
          })
          .map(([id]) => id);

        expect({ queue, Action, Principal, admitted }).toMatchObject({ queue, admitted: leading.sort() });
      }
    });
  });

  describe('Every queue', () => {
    it('that is consumed has dead letters, and each of those is kept for longer', () => {
      const consumed = mappings().map(({ EventSourceArn }) => idIn(EventSourceArn) ?? '');

      expect(consumed.sort()).toEqual(QUEUED.map((hop) => `${named(hop)}Queue`).sort());
      for (const id of consumed) {
        const queue = all().get(id) ?? {};
        const dead = all().get(deadLettersOf(queue) ?? '') ?? {};
        expect(Number(dead.MessageRetentionPeriod)).toBeGreaterThan(Number(queue.MessageRetentionPeriod));
      }
    });

    it('that nobody consumes has an alarm on its first message', () => {
      const consumed = new Set(mappings().map(({ EventSourceArn }) => idIn(EventSourceArn)));
      const rung = alarmed(made(), 'ApproximateNumberOfMessagesVisible');

      expect([...rung].sort()).toEqual([...all().keys()].filter((id) => !consumed.has(id)).sort());
    });

    it('that is consumed has an alarm on how long its oldest message waits', () => {
      const consumed = mappings().map(({ EventSourceArn }) => idIn(EventSourceArn) ?? '');

      expect([...alarmed(made(), 'ApproximateAgeOfOldestMessage')].sort()).toEqual(consumed.sort());
    });

    it('is encrypted', () => {
      expect([...all().values()].filter(({ SqsManagedSseEnabled }) => SqsManagedSseEnabled !== true)).toEqual([]);
    });

    it('hides a delivery six times as long as its function may take', () => {
      for (const { EventSourceArn, FunctionName } of mappings()) {
        const queue = all().get(idIn(EventSourceArn) ?? '');
        const timeout = made().resources[idIn(FunctionName) ?? '']?.Properties.Timeout;

        expect(queue?.VisibilityTimeout).toBe(Number(timeout) * 6);
      }
    });

    it('gives up later than the runtime sets aside', () => {
      for (const { RedrivePolicy } of all().values()) {
        if (RedrivePolicy === undefined) continue;
        expect(Redrive.parse(RedrivePolicy).maxReceiveCount).toBeGreaterThan(ATTEMPTS);
      }
    });
  });

  describe('The store', () => {
    it('is the table of the tests, with its time to live, backups, and a wish to stay', () => {
      const { DeletionPolicy, Properties: of } = made().resources.Table ?? {};

      expect(of).toMatchObject({
        ...TABLE,
        TimeToLiveSpecification: TIME_TO_LIVE,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      });
      expect(DeletionPolicy).toBe('Retain');
    });
  });
}

/** The queues that an alarm with a place to ring watches by a metric. */
function alarmed(made: Packaged, metric: string): ReadonlySet<string> {
  const alarms = ofType(made, 'AWS::CloudWatch::Alarm').filter(([, { MetricName }]) => MetricName === metric);
  return new Set(
    alarms.map(([, { Dimensions, AlarmActions }]) => {
      expect(z.array(z.json()).parse(AlarmActions).map(idIn)).toEqual(['AlarmTopic']);
      return idIn(z.tuple([z.object({ Value: z.json() })]).parse(Dimensions)[0].Value) ?? 'none';
    }),
  );
}
