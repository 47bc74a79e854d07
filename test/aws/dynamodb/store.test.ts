import { storeConformance } from '../../conformance/store.ts';
import { dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';

storeConformance('DynamoDB', async () => {
  const bed = await dynamodbBed();
  return storeAt(bed.endpoint, await freshTable(bed)).store;
});
