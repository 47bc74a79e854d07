import { Agent, createServer, request as forward } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { roleOf, STAGE } from '../../../infra/aws/names.ts';
import { roles } from '../../../infra/aws/roles.ts';
import { portOf } from '../../kubernetes/loopback.ts';

/** A way to a service on which every request is held against the role of the function that sent it. */
export interface Guarded {
  readonly url: string;
  close(): Promise<void>;
}

const Statement = z.object({
  Action: z.array(z.string()),
  Resource: z.array(z.json()),
  Condition: z
    .object({ 'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()) }) })
    .optional(),
});
const Role = z.object({
  Properties: z.object({
    Policies: z.tuple([z.object({ PolicyDocument: z.object({ Statement: z.array(Statement) }) })]),
  }),
});

/** What a request asks to be allowed: an action on what has a name in the template, or is a parameter; by which key. */
interface Asked {
  readonly action: string;
  readonly resource: string;
  readonly leadingKey?: string | undefined;
}

const like = (pattern: string, text: string) =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

function isAllowed(name: string, { action, resource, leadingKey }: Asked): boolean {
  const role = Role.safeParse(roles()[roleOf(name)]).data;
  const statements = role?.Properties.Policies[0].PolicyDocument.Statement ?? [];
  return statements.some(({ Action, Resource, Condition }) => {
    const keys = Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    return (
      Action.includes(action) &&
      Resource.some((one) => isNamed(one, resource)) &&
      (keys === undefined || (leadingKey !== undefined && keys.some((key) => like(key, leadingKey))))
    );
  });
}

const Named = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });
const Parameter = z.object({ 'Fn::Sub': z.string() });

function isNamed(resource: unknown, name: string): boolean {
  const named = Named.safeParse(resource).data;
  if (named) return named['Fn::GetAtt'][0] === name;
  const parameter = Parameter.safeParse(resource).data?.['Fn::Sub'].split(':parameter')[1] ?? '';
  return like(parameter.replace(STAGE, 'test'), name);
}

const OfStore = z.object({
  Key: z.object({ pk: z.object({ S: z.string() }) }).optional(),
  Item: z.object({ pk: z.object({ S: z.string() }) }).optional(),
  ExpressionAttributeValues: z.object({ ':pk': z.object({ S: z.string() }).optional() }).optional(),
});
const OfQueue = z.object({ QueueUrl: z.string() });
const OfParameter = z.object({ Name: z.string() });

/** What a request of an SDK's JSON protocol asks for. */
function askedBy(target: string, body: unknown): Asked {
  const [service = '', operation = ''] = target.split('.');
  if (service.startsWith('DynamoDB')) {
    const { Key, Item, ExpressionAttributeValues } = OfStore.parse(body);
    const leadingKey = (Key ?? Item)?.pk.S ?? ExpressionAttributeValues?.[':pk']?.S;
    return { action: `dynamodb:${operation}`, resource: 'Table', leadingKey };
  }
  if (service === 'AmazonSQS') {
    const queue = OfQueue.parse(body).QueueUrl.split('/').at(-1) ?? '';
    const [hop = '', dead] = queue.split('-');
    const resource = `${hop.charAt(0).toUpperCase()}${hop.slice(1)}${dead === undefined ? 'Queue' : 'DeadLetters'}`;
    return { action: `sqs:${operation.replace(/Batch$/, '')}`, resource };
  }
  if (service === 'AmazonSSM') {
    return { action: `ssm:${operation}`, resource: OfParameter.parse(body).Name.replace(/:\d+$/, '') };
  }
  return { action: `events:${operation}`, resource: 'EventBus' };
}

/** The function that signed a request: each has a key of its own, by its name. */
const signerOf = (authorization: string | undefined) =>
  /Credential=([^/]+)\//.exec(authorization ?? '')?.[1] ?? 'nobody';

/** `refused` is told of whatever the role does not allow. */
export async function guarded(target: string, refused: (what: string) => void): Promise<Guarded> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (request, response) => {
    const { method, headers } = request;
    const body = await buffer(request);
    const asked = askedBy(String(headers['x-amz-target']), JSON.parse(body.toString()));
    const signer = signerOf(headers.authorization);
    if (!isAllowed(signer, asked)) {
      refused(`${signer} may not ${asked.action} on ${asked.resource} ${asked.leadingKey ?? ''}`);
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      return void response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'no statement allows it' }));
    }
    const onward = forward(new URL(request.url ?? '/', target), { method, headers, agent }, (answer) => {
      // The service's own date: the store's clock is read from it.
      response.sendDate = false;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    // An answer that is lost behind it is lost before it.
    onward.once('error', () => request.socket.destroy());
    onward.end(body);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}
