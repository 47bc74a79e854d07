import { expect, it } from 'vitest';
import * as z from 'zod';
import { RIGHTS } from '../../../shared/adapters/dynamodb/table.ts';
import { dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { faultProxy } from '../bed/fault-proxy.ts';
import { AT, image, incident, noise } from './samples.ts';

const Key = z.object({ pk: z.object({ S: z.string() }) });
const Request = z.object({
  Key: Key.optional(),
  Item: Key.optional(),
  ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }).optional() }).optional(),
});

/** The partition key of the row or the range that a request names. */
function leadingKey(body: string): string {
  const { Key: key, Item, ExpressionAttributeValues: values } = Request.parse(JSON.parse(body));
  return (key ?? Item)?.pk.S ?? values?.[':pk']?.S ?? 'none';
}

const isAllowed = (action: string, key: string) =>
  RIGHTS.some(
    ({ actions, leading }) =>
      actions.some((one) => one === action) && leading.some((prefix) => key.startsWith(prefix.slice(0, -1))),
  );

it('The store uses every right that its table names, and no other', async () => {
  const bed = await dynamodbBed();
  const proxy = await faultProxy(bed.endpoint);
  const { store } = storeAt(proxy.endpoint, await freshTable(bed));
  await store.ready();
  await store.put('incident', incident('a'), 0);
  await store.put('incident', incident('a'), 1);
  await store.put('incident', incident('a', { state: 'closed' }), 2);
  await store.current('incident', { overSince: AT });
  await store.prune({ closed: AT, received: AT });
  await store.get('incident', 'a');
  await store.get('incident', 'b');
  for (const version of [0, 1]) await store.put('image', image('a', noise(1_000_000, 'a')), version);
  await store.list('image');
  await store.put('switch', { schema: 1, id: 'c1', stopped: true, who: 'local:ann', at: AT }, 0);
  await store.append({ at: AT, kind: 'touch', text: 'one' });
  await store.audit(1, 10);
  await proxy.end();

  const used = proxy.sent.map(({ operation, body }) => ({ action: `dynamodb:${operation}`, key: leadingKey(body) }));

  expect(used.filter(({ action, key }) => !isAllowed(action, key))).toEqual([]);
  const pairs = RIGHTS.flatMap(({ actions, leading }) =>
    actions.flatMap((action) => leading.map((key) => ({ action, key }))),
  );
  const isUsed = (right: { action: string; key: string }) =>
    used.some(({ action, key }) => action === right.action && key.startsWith(right.key.slice(0, -1)));
  const unused = pairs.filter((right) => !isUsed(right)).map(({ action, key }) => `${action} ${key}`);
  expect(unused).toEqual([]);
});

it('The rows of one cluster stand in partitions that end with its id', async () => {
  const bed = await dynamodbBed();
  const proxy = await faultProxy(bed.endpoint);
  const { store } = storeAt(proxy.endpoint, await freshTable(bed));
  await store.put('incident', incident('a', { cluster: 'one' }), 0);
  await store.put('lastGood', { schema: 1, id: 'one/mode/x', at: AT, value: 1 }, 0);
  await store.put('switch', { schema: 1, id: 'one', stopped: true, who: 'local:ann', at: AT }, 0);
  await proxy.end();

  const written = proxy.sent.filter(({ operation }) => operation === 'UpdateItem').map(({ body }) => leadingKey(body));

  expect(written).toEqual(['item/incident/one', 'item/lastGood/one', 'item/switch/one']);
});
