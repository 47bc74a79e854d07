import { FUNCTIONS, QUEUED } from './functions.ts';
import {
  deadLettersOf,
  functionOf,
  type Part,
  queueOf,
  STAGE,
  STRANGE,
  sub,
  TABLE,
  UNDELIVERED,
  variable,
} from './names.ts';

type Metric = readonly (string | { readonly [key: string]: string })[];

/** In the dashboard's text a name is asked of CloudFormation where it stands. */
const queueName = (id: string) => variable(`${id}.QueueName`);
const functionName = (name: string) => variable(functionOf(name));
const names = Object.keys(FUNCTIONS);
const graves = [...QUEUED.map(deadLettersOf), UNDELIVERED, STRANGE];

const widget = (index: number, title: string, stat: string, metrics: readonly Metric[]) => ({
  ...{ type: 'metric', x: (index % 2) * 12, y: Math.floor(index / 2) * 6, width: 12, height: 6 },
  properties: { title, stat, metrics, region: variable('AWS::Region'), period: 60, view: 'timeSeries' },
});

const WIDGETS: readonly (readonly [title: string, stat: string, metrics: readonly Metric[]])[] = [
  [
    'How long the oldest message waits (s)',
    'Maximum',
    QUEUED.map((hop) => [
      'AWS/SQS',
      'ApproximateAgeOfOldestMessage',
      'QueueName',
      queueName(queueOf(hop)),
      { label: hop },
    ]),
  ],
  [
    'Set aside',
    'Maximum',
    graves.map((id) => ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', queueName(id), { label: id }]),
  ],
  ['Time taken (ms, p99)', 'p99', names.map((name) => ['AWS/Lambda', 'Duration', 'FunctionName', functionName(name)])],
  ['Errors', 'Sum', names.map((name) => ['AWS/Lambda', 'Errors', 'FunctionName', functionName(name)])],
  [
    'At work',
    'Maximum',
    names.map((name) => ['AWS/Lambda', 'ConcurrentExecutions', 'FunctionName', functionName(name)]),
  ],
  [
    'The store (units)',
    'Sum',
    ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ThrottledRequests'].map((metric) => [
      ...['AWS/DynamoDB', metric, 'TableName', variable(TABLE)],
    ]),
  ],
  [
    'Watchers that are not heard, and requests that were not taken',
    'Maximum',
    [
      ['Gleaner', 'MissedHeartbeats', 'Stage', STAGE],
      ['Gleaner', 'NotTaken', 'Stage', STAGE, { stat: 'Sum' }],
    ],
  ],
];

export const dashboard = (): Readonly<Record<string, Part>> => ({
  Dashboard: {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: {
      DashboardName: `${variable('self:service')}-${STAGE}`,
      DashboardBody: sub(
        JSON.stringify({
          widgets: WIDGETS.map(([title, stat, metrics], index) => widget(index, title, stat, metrics)),
        }),
      ),
    },
  },
});
