import { FUNCTIONS, QUEUED } from './functions.ts';
import {
  alarmOf,
  deadLettersOf,
  functionOf,
  logGroupOf,
  type Part,
  queueOf,
  ref,
  STAGE,
  STRANGE,
  TOPIC,
  UNDELIVERED,
} from './names.ts';

const MINUTE = 60;
const TROUBLES = `Troubles-${STAGE}`;

interface Watched {
  readonly because: string;
  readonly metric: string;
  readonly namespace: string;
  readonly dimensions: { readonly [name: string]: Part };
  readonly statistic?: 'Maximum' | 'Sum';
  /** It rings when the value is above this, for so many periods in a row. */
  readonly above: number;
  readonly seconds?: number;
  readonly periods?: number;
}

const alarm = ({ because, metric, namespace, dimensions, statistic = 'Sum', ...when }: Watched): Part => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    ...{ AlarmDescription: because, Namespace: namespace, MetricName: metric, Statistic: statistic },
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    ...{ ComparisonOperator: 'GreaterThanThreshold', Threshold: when.above, TreatMissingData: 'notBreaching' },
    ...{ Period: when.seconds ?? MINUTE, EvaluationPeriods: when.periods ?? 1 },
    ...{ AlarmActions: [ref(TOPIC)], OKActions: [ref(TOPIC)] },
  },
});

const queueMetric = (id: string) => ({
  namespace: 'AWS/SQS',
  dimensions: { QueueName: { 'Fn::GetAtt': [id, 'QueueName'] } },
  statistic: 'Maximum' as const,
});
const functionMetric = (name: string) => ({
  namespace: 'AWS/Lambda',
  dimensions: { FunctionName: ref(functionOf(name)) },
});

const depth = (id: string, because: string): Part =>
  alarm({ ...queueMetric(id), because, metric: 'ApproximateNumberOfMessagesVisible', above: 0 });

const names = Object.keys(FUNCTIONS);

const ofQueues = (): [string, Part][] => [
  ...QUEUED.map((hop): [string, Part] => [
    alarmOf(hop, 'Behind'),
    alarm({
      ...queueMetric(queueOf(hop)),
      because: `The hop ${hop} is behind: its oldest message has waited for more than ten minutes`,
      ...{ metric: 'ApproximateAgeOfOldestMessage', above: 10 * MINUTE, periods: 3 },
    }),
  ]),
  ...QUEUED.map((hop): [string, Part] => [
    alarmOf(hop, 'DeadLetters'),
    depth(
      deadLettersOf(hop),
      `Something that the hop ${hop} could not handle was set aside: read why, mend it, send it again`,
    ),
  ]),
  ['UndeliveredAlarm', depth(UNDELIVERED, 'EventBridge could not put an event on the queue of its hop')],
  ['StrangeAlarm', depth(STRANGE, 'An event on the bus claims to be ours, and this release does not know it')],
];

const ofFunctions = (): [string, Part][] =>
  names.flatMap((name): [string, Part][] => [
    [
      alarmOf(name, 'Errors'),
      alarm({ ...functionMetric(name), metric: 'Errors', above: 0, because: `The function ${name} failed as a whole` }),
    ],
    [
      alarmOf(name, 'Throttles'),
      alarm({
        ...functionMetric(name),
        because: `The function ${name} is throttled: the account's concurrency is used up`,
        ...{ metric: 'Throttles', above: 0, periods: 3 },
      }),
    ],
  ]);

/** Lines of a function's log that a person must read: a message set aside, a gleaner.yaml that is not in force. */
const troubles = (name: string): [string, Part] => [
  `${name.charAt(0).toUpperCase()}${name.slice(1)}Troubles`,
  {
    Type: 'AWS::Logs::MetricFilter',
    Properties: {
      LogGroupName: ref(logGroupOf(name)),
      FilterPattern: '{ $.level = "error" }',
      MetricTransformations: [{ MetricNamespace: 'Gleaner', MetricName: TROUBLES, MetricValue: '1', DefaultValue: 0 }],
    },
  },
];

const ofOurs = (): [string, Part][] => [
  [
    'TroublesAlarm',
    alarm({
      because: 'A function logged an error: somebody must look, such as at a gleaner.yaml that cannot be read',
      ...{ namespace: 'Gleaner', metric: TROUBLES, dimensions: {}, above: 0 },
    }),
  ],
  [
    'HeartbeatsAlarm',
    alarm({
      because: 'A watcher has not been heard for fifteen minutes: its cluster is not watched',
      ...{ namespace: 'Gleaner', metric: 'MissedHeartbeats', dimensions: { Stage: STAGE } },
      ...{ statistic: 'Maximum', above: 0, periods: 2 },
    }),
  ],
  [
    'RefusedAlarm',
    alarm({
      because: 'Many requests that Slack did not send reach its address',
      ...{ namespace: 'Gleaner', metric: 'NotTaken', dimensions: { Stage: STAGE } },
      ...{ above: 100, seconds: 5 * MINUTE },
    }),
  ],
  [
    'UnansweredAlarm',
    alarm({
      because: 'Slack was answered with an error: clicks may be lost',
      ...{ namespace: 'AWS/ApiGateway', metric: '5xx', dimensions: { ApiId: ref('HttpApi') }, above: 0 },
    }),
  ],
];

/** What rings, and where. */
export const alarms = (): Readonly<Record<string, Part>> => ({
  [TOPIC]: { Type: 'AWS::SNS::Topic', Properties: { DisplayName: 'Gleaner' } },
  ...Object.fromEntries([...ofQueues(), ...ofFunctions(), ...names.map(troubles), ...ofOurs()]),
});
