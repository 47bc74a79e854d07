import { RIGHTS } from '../../shared/adapters/dynamodb/table.ts';
import { FUNCTIONS, type FunctionGrant, type FunctionName, QUEUED } from './functions.ts';
import {
  arnOf,
  BUS,
  deadLettersOf,
  logGroupOf,
  type Part,
  queueOf,
  roleOf,
  STAGE,
  sub,
  TABLE,
  variable,
} from './names.ts';

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly Part[];
  readonly Condition?: Part;
  readonly [key: string]: Part | undefined;
}

const allow = (Action: readonly string[], Resource: readonly Part[], Condition?: Part): Statement => ({
  ...{ Effect: 'Allow', Action, Resource },
  ...(Condition !== undefined && { Condition }),
});

/** The streams of its own log group. They are named by Lambda: the end of the name must stay open. */
const logs = (name: string) => allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [arnOf(logGroupOf(name))]);

const READS = new Set(['dynamodb:GetItem', 'dynamodb:Query']);

/** Reads of everything; writes of the tables that the hop changes, and of the audit log. */
function store({ writes }: FunctionGrant): Statement[] {
  return RIGHTS.map(({ actions, leading }) => {
    const isRead = actions.every((action) => READS.has(action));
    const keys = leading.flatMap((key) => (isRead || key.startsWith('audit/') ? [key] : writes.map(ofTable(key))));
    return allow(actions, [arnOf(TABLE)], { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } });
  });
}

/** `item/*` of one table: `item/proposal/*`. Which clusters have rows of a table is one partition: `scopes/proposal`. */
const ofTable = (key: string) => (table: string) =>
  key === 'scopes/*' ? `scopes/${table}` : key.replace('*', `${table}/*`);

function queuesOf(name: FunctionName, { delays }: FunctionGrant): Statement[] {
  const isQueued = QUEUED.some((hop) => hop === name);
  const own = isQueued
    ? [
        // The first three are those of Lambda's poller, which acts as the function.
        allow(
          ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
          [arnOf(queueOf(name))],
        ),
      ]
    : [];
  const sends = [...delays.map(queueOf), ...(isQueued ? [deadLettersOf(name)] : [])];
  return [...own, ...(sends.length > 0 ? [allow(['sqs:SendMessage'], sends.map(arnOf))] : [])];
}

const SSM = `arn:${variable('AWS::Partition')}:ssm:${['AWS::Region', 'AWS::AccountId'].map(variable).join(':')}`;

const parametersOf = ({ parameters }: FunctionGrant) =>
  allow(
    ['ssm:GetParameter'],
    parameters.map((name) => sub(`${SSM}:parameter/gleaner/${STAGE}/${name}`)),
  );

const role = (name: FunctionName, grant: FunctionGrant): Part => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
    Policies: [
      {
        PolicyName: name,
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: JSON.parse(
            JSON.stringify([
              logs(name),
              ...store(grant),
              allow(['events:PutEvents'], [arnOf(BUS)]),
              ...queuesOf(name, grant),
              parametersOf(grant),
            ]),
          ),
        },
      },
    ],
  },
});

/** One role for each function, with what that function uses. */
export const roles = (): Readonly<Record<string, Part>> =>
  Object.fromEntries(Object.entries(FUNCTIONS).map(([name, grant]) => [roleOf(name), roleNamed(name, grant)]));

function roleNamed(name: string, grant: FunctionGrant): Part {
  const known = Object.keys(FUNCTIONS).find((one): one is FunctionName => one === name);
  if (known === undefined) throw new Error(`There is no function ${name}`);
  return role(known, grant);
}
