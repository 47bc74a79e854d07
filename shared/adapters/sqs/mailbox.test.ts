import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { sqsClient } from './client.ts';
import { sqsMailbox } from './mailbox.ts';
import { messagesOf } from './records.ts';

const asked: { action: string; input: unknown }[] = [];
let answer: object = {};
const server = createServer(async (request, response) => {
  asked.push({ action: String(request.headers['x-amz-target']), input: await json(request) });
  if (Object(answer).never === true) return;
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(answer));
});
let mailbox: ReturnType<typeof sqsMailbox>;
beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const client = sqsClient({
    ...{ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', md5: false },
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  mailbox = sqsMailbox({ client, queue: `http://127.0.0.1:${port}/1/q`, most: 4, hidden: 60_000 });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const never = new AbortController().signal;

it('A mailbox brings messages in the shape of Lambda’s, by long polls', async () => {
  const Attributes = { ApproximateReceiveCount: '3' };
  answer = { Messages: [{ MessageId: 'm1', ReceiptHandle: 'r1', Body: '{}', Attributes }] };

  const Records = await mailbox.receive(20_000, never);

  expect(messagesOf({ Records })).toEqual([{ id: 'm1', receipt: 'r1', body: '{}', attempt: 3 }]);
  expect(asked.at(-1)).toMatchObject({
    action: 'AmazonSQS.ReceiveMessage',
    input: { MaxNumberOfMessages: 4, WaitTimeSeconds: 20, VisibilityTimeout: 60 },
  });
  answer = {};
  expect(await mailbox.receive(20_000, never)).toEqual([]);
});

it('A mailbox keeps and ends deliveries by their receipts, and throws where SQS does not', async () => {
  const letters = [{ messageId: 'm1', receiptHandle: 'r1' }];
  answer = { Successful: [{ Id: '0' }], Failed: [] };
  await mailbox.keep(letters, 60_000);
  await mailbox.end(letters);
  expect(asked.slice(-2)).toMatchObject([
    { input: { Entries: [{ ReceiptHandle: 'r1', VisibilityTimeout: 60 }] } },
    { input: { Entries: [{ ReceiptHandle: 'r1' }] } },
  ]);
  answer = { Failed: [{ Id: '0', Code: 'x', SenderFault: true, Message: 'gone' }], Successful: [] };
  await expect(mailbox.keep(letters, 60_000)).rejects.toThrow('gone');
  await expect(mailbox.end(letters)).rejects.toThrow('gone');
});

it('A mailbox gives a long poll up when it is told to stop', async () => {
  answer = { never: true };
  const ending = new AbortController();
  const polling = mailbox.receive(20_000, ending.signal);
  ending.abort();
  await expect(polling).rejects.toThrow(/abort/i);
});
