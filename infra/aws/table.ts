import { TABLE as DEFINITION, TIME_TO_LIVE } from '../../shared/adapters/dynamodb/table.ts';
import { type Part, TABLE } from './names.ts';

/** The store: the same table as the tests', kept when the stack goes, with a backup of every second of 35 days. */
export const table = (): Readonly<Record<string, Part>> => ({
  [TABLE]: {
    ...{ Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' },
    Properties: {
      ...DEFINITION,
      TimeToLiveSpecification: { ...TIME_TO_LIVE },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      DeletionProtectionEnabled: true,
    },
  },
});
