import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { type DynamodbLocal, dynamodbLocal, portOf } from './dynamodb-local.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's DynamoDB is asked for: it starts when the first test wants it, and serves all files of the run. */
    dynamodb: string;
  }
}

/** One DynamoDB for a whole run of the tests, started by whoever asks first. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<DynamodbLocal> | undefined;
  const keeper = createServer((_request, response) => {
    started ??= dynamodbLocal((line) => console.warn(line));
    started.then(
      ({ endpoint, engine }) => response.end(JSON.stringify({ endpoint, engine })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((done) => keeper.listen(0, '127.0.0.1', done));
  project.provide('dynamodb', `http://127.0.0.1:${portOf(keeper)}`);
  return async () => {
    keeper.closeAllConnections();
    keeper.close();
    await (await started?.catch(() => undefined))?.end();
  };
}
