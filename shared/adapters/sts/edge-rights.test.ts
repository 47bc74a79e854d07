import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EdgeQueues, edgePolicy, edgeRole, queueNamed } from './edge-rights.ts';

const SEED = 20_260_115;
const QUEUES: EdgeQueues = {
  prefix: 'arn:aws:sqs:eu-central-1:123456789012:gleaner-prod-edge-',
  deadLetters: 'arn:aws:sqs:eu-central-1:123456789012:gleaner-prod-edgedeadletters',
};
interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

/** IAM's own matching: `*` stands for anything, `?` for one character, and actions know no case. */
const matches = (pattern: string, text: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^$(){}|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(text);
const allows = (statements: readonly Statement[], action: string, resource: string) =>
  statements.some(
    ({ Effect, Action, Resource }) =>
      Effect === 'Allow' &&
      Action.some((one) => matches(one.toLowerCase(), action.toLowerCase())) &&
      Resource.some((one) => matches(one, resource)),
  );

const OWN = '6f1c2a34-0b9d-4c55-9d8e-2f3a4b5c6d7e';
/** What a session has: what its policy and the role both allow. */
const may = (action: string, resource: string, cluster = OWN) =>
  allows(edgePolicy(QUEUES, cluster).Statement, action, resource) && allows(edgeRole(QUEUES), action, resource);

/** What else there is in the account, which only others may use. */
const DECIDING = [
  ['kms:Sign', 'arn:aws:kms:eu-central-1:123456789012:key/decisions'],
  ['dynamodb:PutItem', 'arn:aws:dynamodb:eu-central-1:123456789012:table/gleaner-prod'],
  ['dynamodb:UpdateItem', 'arn:aws:dynamodb:eu-central-1:123456789012:table/gleaner-prod'],
  ['dynamodb:GetItem', 'arn:aws:dynamodb:eu-central-1:123456789012:table/gleaner-prod'],
  ['events:PutEvents', 'arn:aws:events:eu-central-1:123456789012:event-bus/gleaner-prod'],
  ['ssm:GetParameter', 'arn:aws:ssm:eu-central-1:123456789012:parameter/gleaner/prod/slack-bot-token'],
  ['sts:AssumeRole', 'arn:aws:iam::123456789012:role/gleaner-prod-edge'],
  ['lambda:InvokeFunction', 'arn:aws:lambda:eu-central-1:123456789012:function:gleaner-prod-decide'],
  ['sqs:SendMessage', 'arn:aws:sqs:eu-central-1:123456789012:gleaner-prod-DecideQueue'],
  ['sqs:SendMessage', 'arn:aws:sqs:eu-central-1:123456789012:gleaner-prod-ApplyQueue'],
] as const;
const ACTIONS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:SendMessage'];

describe('The session of an edge', () => {
  it('may do with its own queue what the edge does, and set aside what it cannot handle', () => {
    for (const action of ACTIONS) expect(may(action, `${QUEUES.prefix}${OWN}`), action).toBe(true);
    expect(may('sqs:SendMessage', QUEUES.deadLetters)).toBe(true);
    expect(may('sqs:ReceiveMessage', QUEUES.deadLetters), 'others’ messages are there').toBe(false);
    for (const action of ['sqs:PurgeQueue', 'sqs:SetQueueAttributes', 'sqs:AddPermission', 'sqs:DeleteQueue'])
      expect(may(action, `${QUEUES.prefix}${OWN}`), action).toBe(false);
  });

  it.each(DECIDING)('may not %s on %s', (action, resource) => {
    expect(may(action, resource)).toBe(false);
  });

  it('may do nothing with the queue of any other cluster, also where one id begins with the other', () => {
    const id = fc.stringMatching(/^[0-9a-z][0-9a-z-]{0,20}$/);
    fc.assert(
      fc.property(id, id, (own, other) => {
        fc.pre(own !== other);
        for (const named of [other, `${own}-${other}`.slice(0, 46)]) {
          for (const action of ACTIONS)
            expect(named !== own && may(action, `${QUEUES.prefix}${named}`, own), `${action} ${named}`).toBe(false);
        }
      }),
      { seed: SEED },
    );
  });

  it.each([
    '',
    '*',
    'a*',
    '?',
    'a/b',
    'A',
    '-a',
    'a:b',
    'a"b',
    'a'.repeat(47),
    'ä',
    'a\nb',
    '$'.concat('{aws:userid}'),
  ])('is not cut for %j, which is no id of a cluster', (cluster) => {
    expect(() => edgePolicy(QUEUES, cluster)).toThrow('no id of a cluster');
    expect(() => queueNamed(QUEUES.prefix, cluster)).toThrow('no id of a cluster');
  });

  it('has a policy that STS takes, and one name of a queue that SQS takes', () => {
    const text = JSON.stringify(edgePolicy(QUEUES, 'a'.repeat(46)));
    // https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html: 2048 characters.
    expect(text.length).toBeLessThan(2_048);
    expect(queueNamed('gleaner-prod-edge-', OWN).length).toBeLessThanOrEqual(80);
  });
});
