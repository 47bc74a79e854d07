/**
 * The one table, as CreateTable and CloudFormation's `AWS::DynamoDB::Table` both take it: the stack and the tests are made
 * from here. It has no secondary index: reads of one are eventually consistent, and the flow decides on what it lists.
 */
export const TABLE = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
} as const;

/**
 * Housekeeping only. DynamoDB deletes "within a few days" of the time, and gives the row back until then
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html): nothing here asks whether it has passed.
 */
export const TIME_TO_LIVE = { AttributeName: 'ttl', Enabled: true } as const;

/**
 * What a role needs, by the first part of the partition keys (`dynamodb:LeadingKeys`, matched with `StringLike`).
 * Nothing that runs may delete an item or a line of the audit log, and nothing scans. A role of one cluster replaces the
 * `*` at the end of `item/*` and `part/*` by that cluster's id: `item/proposal/<id>`. The marks below `current/` are those
 * of all clusters: who may write them can hide an item from the sweep, and change none.
 */
export const RIGHTS = [
  { actions: ['dynamodb:GetItem'], leading: ['item/*', 'place/*', 'audit/*'] },
  { actions: ['dynamodb:Query'], leading: ['item/*', 'part/*', 'scopes/*', 'current/*', 'audit/*'] },
  { actions: ['dynamodb:UpdateItem'], leading: ['item/*'] },
  { actions: ['dynamodb:PutItem'], leading: ['part/*', 'place/*', 'scopes/*', 'current/*', 'audit/*'] },
  { actions: ['dynamodb:DeleteItem'], leading: ['part/*', 'current/*'] },
] as const;
