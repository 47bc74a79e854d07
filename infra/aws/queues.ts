import { FUNCTIONS, QUEUED } from './functions.ts';
import { arnOf, BUS, deadLettersOf, type Part, queueOf, ref, ruleOf, STRANGE, UNDELIVERED } from './names.ts';
import { patterns, STRANGE as STRANGE_PATTERN } from './patterns.ts';

/** Seconds. A message that moves to the dead letters keeps its age: those must be kept for longer. */
const FOUR_DAYS = 345_600;
const FOURTEEN_DAYS = 1_209_600;
/** AWS's advice: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const VISIBILITY_PER_TIMEOUT = 6;
/** The runtime sets aside after fifty; this is for what kills the function before it can. */
const MOST_RECEIVES = 60;
/** EventBridge tries a target for a day; a queue of ours that is gone for longer is gone. */
const RULE_RETRIES = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

const queue = (more: { readonly [key: string]: Part }): Part => ({
  Type: 'AWS::SQS::Queue',
  Properties: { SqsManagedSseEnabled: true, ...more },
});
const graveyard = queue({ MessageRetentionPeriod: FOURTEEN_DAYS });

/** Lets rules of EventBridge put messages on a queue, and nobody else. */
const admitting = (id: string, rules: readonly string[]): Part => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [ref(id)],
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          ...{ Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage' },
          Resource: arnOf(id),
          Condition: { ArnEquals: { 'aws:SourceArn': rules.map(arnOf) } },
        },
      ],
    },
  },
});

const rule = (description: string, pattern: object, target: string, deadLetters: string): Part => ({
  Type: 'AWS::Events::Rule',
  Properties: {
    ...{ Description: description, EventBusName: ref(BUS), State: 'ENABLED' },
    EventPattern: JSON.parse(JSON.stringify(pattern)),
    Targets: [
      {
        ...{ Id: 'queue', Arn: arnOf(target), RetryPolicy: RULE_RETRIES },
        DeadLetterConfig: { Arn: arnOf(deadLetters) },
      },
    ],
  },
});

/** Per hop: a rule, the queue that it fills, and the queue of what could not be handled. */
function ofHop(hop: (typeof QUEUED)[number]): [string, Part][] {
  return [
    [
      queueOf(hop),
      queue({
        MessageRetentionPeriod: FOUR_DAYS,
        VisibilityTimeout: FUNCTIONS[hop].timeout * VISIBILITY_PER_TIMEOUT,
        RedrivePolicy: { deadLetterTargetArn: arnOf(deadLettersOf(hop)), maxReceiveCount: MOST_RECEIVES },
      }),
    ],
    [deadLettersOf(hop), graveyard],
    [`${queueOf(hop)}Policy`, admitting(queueOf(hop), [ruleOf(hop)])],
    [ruleOf(hop), rule(`What the hop ${hop} takes`, patterns()[hop], queueOf(hop), UNDELIVERED)],
  ];
}

const rules = [...QUEUED.map(ruleOf), 'TickRule', 'StrangeRule'];

/** Every rule of the bus and every queue behind it. */
export const queues = (): Readonly<Record<string, Part>> => ({
  ...Object.fromEntries(QUEUED.flatMap(ofHop)),
  // What EventBridge cannot bring where its rule says.
  [UNDELIVERED]: graveyard,
  [`${UNDELIVERED}Policy`]: admitting(UNDELIVERED, rules),
  [STRANGE]: graveyard,
  [`${STRANGE}Policy`]: admitting(STRANGE, ['StrangeRule']),
  StrangeRule: rule('What claims to be ours and no hop knows', STRANGE_PATTERN, STRANGE, UNDELIVERED),
});
