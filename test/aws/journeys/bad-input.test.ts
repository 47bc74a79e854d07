import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { QUEUED } from '../../../infra/aws/functions.ts';
import { ADA, CHANNEL } from '../../doubles/slack/index.ts';
import { dynamodbBed, LOCAL } from '../bed/dynamodb.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { guarded } from './iam.ts';

const CONFIG = `
policy: { low: { approvers: ["slack:${ADA}"] } }
slack: { channel: ${CHANNEL} }
`;
const OF_NOBODY = { event: 'observed', cluster: 'nobody', mode: 'some-mode', because: 'a test', objects: [] };

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function begin(config = CONFIG): Promise<Cloud> {
  const cloud = await startCloud({ config });
  open.push(cloud.stop);
  return cloud;
}

const waiting = ({ bus }: Cloud) => QUEUED.flatMap((hop) => bus.queue(hop).peek());
const message = (detail: object) => JSON.stringify({ source: 'gleaner', 'detail-type': 'observed', detail });

describe('The packaged functions', () => {
  it('take nothing that Slack did not sign', { timeout: 60_000 }, async () => {
    const cloud = await begin();

    const forged = await cloud.slack.command('/gleaner', 'stop', ADA, { forge: { secret: 'a guess' } });

    expect(forged).toMatchObject({ acknowledged: false, status: 401, body: 'Not verified.\n' });
    expect(waiting(cloud)).toEqual([]);
    expect((await cloud.store.audit(0, 10)).map(({ text }) => JSON.parse(text))).toMatchObject([{ kind: 'forged' }]);
  });

  it('keep what Slack signed, and answer who sent it', { timeout: 120_000 }, async () => {
    const cloud = await begin();

    const sent = await cloud.slack.command('/gleaner', 'status', ADA);

    expect(sent).toMatchObject({ acknowledged: true, status: 200 });
    await cloud.until('the answer', () => cloud.slack.ephemerals(ADA)[0]);
    expect(cloud.refused).toEqual([]);
  });

  it('tell Slack that they are away while its secrets cannot be read, and no more', { timeout: 60_000 }, async () => {
    const cloud = await begin();
    cloud.ssm.refuse('AccessDeniedException');

    const sent = await cloud.slack.command('/gleaner', 'status', ADA);

    expect(sent).toMatchObject({ acknowledged: false, status: 503, body: 'Not available now.\n' });
    expect(cloud.functions.interact.log.join()).toContain('"level":"error"');
    expect(cloud.functions.interact.log.join()).not.toContain(cloud.slack.signingSecret);
  });

  it('set aside what they cannot read, with its reason, beside what they do', { timeout: 60_000 }, async () => {
    const cloud = await begin();
    const queue = cloud.bus.queue('classify');
    queue.send('no JSON');
    queue.send(message({ schema: 99, ...OF_NOBODY, id: 'e1', at: '2026-01-15T12:00:00.000Z' }));
    queue.send(JSON.stringify({ ...JSON.parse(message({ schema: 1 })), 'replay-name': 'replay-1' }));
    queue.send(message({ schema: 1, ...OF_NOBODY, id: 'e2', at: '2026-01-15T12:00:00.000Z' }));

    const dead = cloud.bus.queue('classify-dead');
    await cloud.until('three were set aside', () => (dead.peek().length === 3 ? true : undefined));

    expect(dead.peek().map(({ attributes }) => attributes.because?.StringValue)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('no JSON'),
        expect.stringContaining('schema version 99'),
        expect.stringContaining('replayed from an archive'),
      ]),
    );
    // That of no known cluster waits for it: it is none of the three.
    expect(queue.peek()).toHaveLength(1);
    expect(cloud.refused).toEqual([]);
  });

  it('refuse to be invoked by what is none of theirs', { timeout: 60_000 }, async () => {
    const { functions } = await begin();

    await expect(functions.apply.invoke({ hello: 'there' })).rejects.toThrow(/takes batches of an SQS queue/);
    await expect(functions.sweep.invoke({ source: 'aws.s3' })).rejects.toThrow(/no schedule of EventBridge/);
    expect(await functions.interact.invoke({ hello: 'there' })).toMatchObject({ statusCode: 400 });
  });
});

describe("The services' double of IAM", () => {
  it.each([
    ['interact', 'item/proposal/c1', 'AccessDeniedException'],
    ['interact', 'item/receipt/-', 'ResourceNotFoundException'],
    ['nobody', 'item/receipt/-', 'AccessDeniedException'],
  ])('lets %s write %s or not, by its role: %s', async (accessKeyId, pk, answer) => {
    const bed = await dynamodbBed();
    const guard = await guarded(bed.endpoint, () => {});
    open.push(guard.close);
    const credentials = { ...LOCAL.credentials, accessKeyId };
    const client = new DynamoDBClient({ ...LOCAL, endpoint: guard.url, credentials, maxAttempts: 1 });

    const writing = client.send(
      new UpdateItemCommand({ TableName: 'no-such-table', Key: { pk: { S: pk }, sk: { S: 'x' } } }),
    );

    await expect(writing).rejects.toMatchObject({ name: answer });
    client.destroy();
  });
});
