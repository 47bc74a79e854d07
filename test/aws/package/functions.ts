import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { FUNCTIONS } from '../../../infra/aws/functions.ts';
import { sizesOf } from '../../../infra/build/bundle-size.ts';
import { idIn, ofType, type Packaged } from './packaged.ts';

/**
 * What a function may weigh, in KiB: at its start, and with what only some deliveries load. `interact` has Slack's three
 * seconds and the aim of 500, `ingest` the aim of 300; those that load the Kubernetes client, the aim of 1,000 in all.
 */
const BUDGETS: Readonly<Record<keyof typeof FUNCTIONS, { atStart: number; inAll: number }>> = {
  interact: { atStart: 500, inAll: 890 },
  ingest: { atStart: 350, inAll: 365 },
  classify: { atStart: 770, inAll: 855 },
  verify: { atStart: 760, inAll: 845 },
  apply: { atStart: 845, inAll: 935 },
  decide: { atStart: 795, inAll: 810 },
  notify: { atStart: 815, inAll: 830 },
  propose: { atStart: 710, inAll: 725 },
  sweep: { atStart: 720, inAll: 735 },
};

const names = Object.keys(FUNCTIONS);

export function functions(made: () => Packaged): void {
  const all = () => ofType(made(), 'AWS::Lambda::Function').map(([id, of]) => ({ id, of }));

  describe('Every function', () => {
    it('is in the stack', () => {
      expect(all().map(({ of }) => of.FunctionName)).toEqual(names.map((name) => `gleaner-dev-${name}`));
    });

    it('says its time, memory, runtime and processor', () => {
      for (const { of } of all())
        expect(of).toMatchObject({
          ...{ Runtime: 'nodejs24.x', Architectures: ['arm64'] },
          ...{ Timeout: expect.any(Number), MemorySize: expect.any(Number) },
        });
    });

    it.each(Object.entries(FUNCTIONS))('%s may take as long as its queue supposes', (name, { timeout }) => {
      expect(all().find(({ of }) => of.FunctionName === `gleaner-dev-${name}`)?.of.Timeout).toBe(timeout);
    });

    it('has a log that ends, and is read for errors', () => {
      const logs = new Map(
        ofType(made(), 'AWS::Logs::LogGroup').map(([id, of]) => [String(of.LogGroupName), { id, of }]),
      );
      const filtered = ofType(made(), 'AWS::Logs::MetricFilter').map(([, of]) => idIn(of.LogGroupName));
      for (const { of } of all()) {
        const log = logs.get(`/aws/lambda/${of.FunctionName}`);
        expect(log?.of.RetentionInDays).toBe(30);
        expect(filtered).toContain(log?.id);
      }
    });

    it('has an alarm on its errors and one on its throttles', () => {
      const Watched = z.tuple([z.object({ Name: z.literal('FunctionName'), Value: z.json() })]);
      for (const metric of ['Errors', 'Throttles']) {
        const rung = ofType(made(), 'AWS::CloudWatch::Alarm')
          .filter(([, { MetricName }]) => MetricName === metric)
          .map(([, { Dimensions }]) => idIn(Watched.parse(Dimensions)[0].Value));
        expect(rung.sort()).toEqual(
          all()
            .map(({ id }) => id)
            .sort(),
        );
      }
    });

    it('that is behind a queue ends single messages of a batch, and leaves room for others', () => {
      const mappings = ofType(made(), 'AWS::Lambda::EventSourceMapping').map(([, of]) => of);

      expect(
        mappings.filter(({ FunctionResponseTypes: types }) => JSON.stringify(types) !== '["ReportBatchItemFailures"]'),
      ).toEqual([]);
      expect(mappings.filter(({ ScalingConfig }) => ScalingConfig === undefined)).toEqual([]);
      expect(mappings.find(({ FunctionName }) => idIn(FunctionName) === 'ApplyLambdaFunction')?.BatchSize).toBe(1);
    });

    it('takes nothing from the concurrency of the account', () => {
      expect(all().filter(({ of }) => of.ReservedConcurrentExecutions !== undefined)).toEqual([]);
    });

    it.each(Object.entries(BUDGETS))('%s weighs no more than its budget', (name, { atStart, inAll }) => {
      const metafile = made().metafiles.get(name);
      const sizes = metafile ? sizesOf(metafile) : { atStart: Number.NaN, inAll: Number.NaN };

      expect(sizes.atStart / 1024).toBeLessThanOrEqual(atStart);
      expect(sizes.inAll / 1024).toBeLessThanOrEqual(inAll);
      // As the eye of a needle that nothing goes through would be no budget.
      expect(sizes.atStart / 1024).toBeGreaterThan(atStart * 0.9);
    });

    it.each(names)('%s brings no word of a name that it should not know', (name) => {
      expect(made().bundle(name)).not.toMatch(/\/work\/|node_modules\/\.cache|sourceMappingURL/);
    });
  });

  describe('The sweep', () => {
    it('runs every minute, and what Lambda gives up of it is kept', () => {
      const rule = made().resources.TickRule?.Properties;
      const [[, async]] = z
        .tuple([z.tuple([z.string(), z.record(z.string(), z.json())])])
        .parse(ofType(made(), 'AWS::Lambda::EventInvokeConfig'));

      expect(rule?.ScheduleExpression).toBe('rate(1 minute)');
      expect(async).toMatchObject({ MaximumRetryAttempts: 2 });
      expect(JSON.stringify(async.DestinationConfig)).toContain('SweepDeadLetters');
    });
  });

  describe('The addresses for Slack and for watchers', () => {
    it('take so many requests and no more', () => {
      expect(made().resources.HttpApiStage?.Properties).toMatchObject({
        DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
        RouteSettings: { 'POST /slack/interactions': { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 } },
      });
    });

    it('are told, with all else that setting up asks for', () => {
      expect(made().outputs).toEqual(
        expect.arrayContaining([
          'Interactions',
          'Observations',
          'Table',
          'EventBus',
          'Parameters',
          'AlarmTopic',
          'Dashboard',
        ]),
      );
    });
  });
}
