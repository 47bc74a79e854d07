import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { FUNCTIONS } from '../../../infra/aws/functions.ts';
import { idIn, ofType, type Packaged } from './packaged.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** What each command of the SDKs asks for: https://docs.aws.amazon.com/service-authorization/latest/reference/ */
const ACTION_OF: Readonly<Record<string, string>> = {
  PutEventsCommand: 'events:PutEvents',
  SendMessageCommand: 'sqs:SendMessage',
  // There is no action of its own for a batch.
  SendMessageBatchCommand: 'sqs:SendMessage',
  ChangeMessageVisibilityCommand: 'sqs:ChangeMessageVisibility',
  GetItemCommand: 'dynamodb:GetItem',
  QueryCommand: 'dynamodb:Query',
  UpdateItemCommand: 'dynamodb:UpdateItem',
  PutItemCommand: 'dynamodb:PutItem',
  DeleteItemCommand: 'dynamodb:DeleteItem',
  GetParameterCommand: 'ssm:GetParameter',
};
/** What Lambda does in the name of the function, and not the function itself. */
const OF_THE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const OF_THE_POLLER = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

const Role = z.object({
  Policies: z.tuple([
    z.object({
      PolicyDocument: z.object({
        Statement: z.array(
          z.object({
            Effect: z.literal('Allow'),
            Action: z.array(z.string()),
            Resource: z.array(z.json()),
            Condition: z
              .object({ 'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()) }) })
              .optional(),
          }),
        ),
      }),
    }),
  ]),
});
type Statement = z.infer<typeof Role>['Policies'][0]['PolicyDocument']['Statement'][number];

/** The statements of the role that a function has. */
function statementsOf(made: Packaged, name: string): readonly Statement[] {
  const [, of] =
    ofType(made, 'AWS::Lambda::Function').find(([, { FunctionName }]) => FunctionName === `gleaner-dev-${name}`) ?? [];
  const role = made.resources[idIn(of?.Role) ?? ''];
  return Role.parse(role?.Properties).Policies[0].PolicyDocument.Statement;
}

const actionsOf = (statements: readonly Statement[]) => new Set(statements.flatMap(({ Action }) => Action));

/** The commands that the code of a bundle makes: those of our own files of which something is left in it. */
function commandsIn(made: Packaged, name: string): ReadonlySet<string> {
  const outputs = Object.values(made.metafiles.get(name)?.outputs ?? {});
  const files = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const ours = files.filter((file) => /^(functions|shared|handlers)\//.test(file));
  const texts = ours.map((file) => readFileSync(join(root, file), 'utf8'));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/new (\w+Command)\(/g)].map(([, command]) => command ?? '')),
  );
}

/** The tables that a bundle writes, as its code names them. */
const writesIn = (made: Packaged, name: string) =>
  new Set([...made.bundle(name).matchAll(/\.put\("(\w+)",/g)].map(([, table]) => table ?? ''));

/** The statements on the store that allow an action, by what its keys may begin with. */
const leadingKeys = (statements: readonly Statement[], action: string) =>
  statements
    .filter(({ Action }) => Action.includes(action))
    .flatMap(({ Condition }) => Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'] ?? ['no condition']);

/** A function by its name. */
function named(name: string): keyof typeof FUNCTIONS {
  const found = Object.keys(FUNCTIONS).find((one): one is keyof typeof FUNCTIONS => one === name);
  if (!found) throw new Error(`there is no function ${name}`);
  return found;
}

export function rights(made: () => Packaged): void {
  const names = Object.keys(FUNCTIONS);

  describe('The roles', () => {
    it('are one for each function', () => {
      const of = ofType(made(), 'AWS::Lambda::Function').map(([, { Role: role }]) => idIn(role));

      expect(new Set(of).size).toBe(names.length);
      expect(
        ofType(made(), 'AWS::IAM::Role')
          .map(([id]) => id)
          .sort(),
      ).toEqual([...of].sort());
    });

    it.each(names)('give %s no action and no resource by a star', (name) => {
      const statements = statementsOf(made(), name);

      expect([...actionsOf(statements)].filter((action) => action.includes('*'))).toEqual([]);
      const named = statements.flatMap(({ Resource }) => Resource).filter((resource) => idIn(resource) === undefined);
      // What has no logical id is a parameter. Clusters are registered while the stack runs: the end of their names is open.
      for (const parameter of named)
        expect(JSON.stringify(parameter)).toMatch(
          /:parameter\/gleaner\/dev\/([a-z][a-z.-]+|clusters\/\*|watcher-keys\/\*)"}$/,
        );
    });

    it.each(names)('give %s exactly the actions that its commands ask for', (name) => {
      const asked = [...commandsIn(made(), name)].map((command) => ACTION_OF[command] ?? `nobody knows ${command}`);
      const isQueued = ofType(made(), 'AWS::Lambda::EventSourceMapping').some(
        ([, { FunctionName }]) => idIn(FunctionName)?.toLowerCase() === `${name}lambdafunction`,
      );
      const needed = new Set([...asked, ...OF_THE_LOG, ...(isQueued ? OF_THE_POLLER : [])]);

      expect([...actionsOf(statementsOf(made(), name))].sort()).toEqual([...needed].sort());
    });

    it.each(names)('let %s write the tables that it changes, and no other', (name) => {
      const { writes } = FUNCTIONS[named(name)];
      expect([...writesIn(made(), name)].sort()).toEqual([...writes].sort());
      const items = writes.map((table) => `item/${table}/*`);
      expect(leadingKeys(statementsOf(made(), name), 'dynamodb:UpdateItem').sort()).toEqual([...items].sort());
    });

    it.each(names)('let %s read and write nothing of the store without a limit of keys', (name) => {
      const onTheStore = statementsOf(made(), name).filter(({ Action }) =>
        Action.some((action) => action.startsWith('dynamodb:')),
      );

      expect(onTheStore.filter(({ Condition }) => Condition === undefined)).toEqual([]);
      expect(onTheStore.flatMap(({ Resource }) => Resource).map(idIn)).toEqual(onTheStore.map(() => 'Table'));
    });

    it('let what the internet reaches change no proposal', () => {
      expect(leadingKeys(statementsOf(made(), 'interact'), 'dynamodb:UpdateItem')).toEqual(['item/receipt/*']);
    });

    it.each(names)('let %s reach no queue but those that it sends to and its own', (name) => {
      const { delays } = FUNCTIONS[named(name)];
      const sends = statementsOf(made(), name)
        .filter(({ Action }) => Action.includes('sqs:SendMessage'))
        .flatMap(({ Resource }) => Resource)
        .map((queue) => idIn(queue)?.toLowerCase());

      const own = name === 'interact' || name === 'ingest' ? [] : [`${name}deadletters`];
      expect(sends.sort()).toEqual([...delays.map((hop) => `${hop}queue`), ...own].sort());
    });
  });

  describe('The environment of the functions', () => {
    it.each(names)('tells %s of the queues that it may reach, and of no other', (name) => {
      const [, of] =
        ofType(made(), 'AWS::Lambda::Function').find(([, each]) => each.FunctionName === `gleaner-dev-${name}`) ?? [];
      const { Variables } = z.object({ Variables: z.record(z.string(), z.json()) }).parse(of?.Environment);
      const told = Object.entries(Variables).filter(([key]) => key.startsWith('GLEANER_QUEUE_'));

      const { delays } = FUNCTIONS[named(name)];
      const own = name === 'interact' || name === 'ingest' ? [] : [name];
      const hops = [...new Set([...own, ...delays])].sort();
      expect(told.map(([key]) => key.replace('GLEANER_QUEUE_', '').toLowerCase()).sort()).toEqual(hops);
      expect(told.map(([, queue]) => idIn(queue)?.toLowerCase()).sort()).toEqual(hops.map((hop) => `${hop}queue`));
    });

    it('names secrets and holds none', () => {
      const values = ofType(made(), 'AWS::Lambda::Function').flatMap(([, { Environment }]) => {
        const { Variables } = z.object({ Variables: z.record(z.string(), z.json()) }).parse(Environment);
        return Object.entries(Variables).filter(([key]) => /SLACK|SECRET|TOKEN|CONFIG/.test(key));
      });

      expect(
        values.filter(([key, value]) => key !== 'SLACK_CHANNEL' && !/^\/gleaner\/dev\//.test(String(value))),
      ).toEqual([]);
    });
  });
}
