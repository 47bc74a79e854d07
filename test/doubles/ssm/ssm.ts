import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { portOf } from '../../aws/bed/dynamodb-local.ts';

/** A parameter as SSM keeps it. */
interface Parameter {
  readonly value: string;
  readonly type: string;
  readonly description: string;
  readonly version: number;
}

/** AWS's parameter store on loopback, as far as parameters are put, read and deleted by their names. */
export interface SsmDouble {
  readonly endpoint: string;
  readonly parameters: Map<string, Parameter>;
  /** What was asked, in order: `PutParameter /gleaner/…`. */
  readonly asked: string[];
  /** The name of an error with which a request is refused from now on; undefined: none is. */
  refuse(by: (asked: string) => string | undefined): void;
  stop(): Promise<void>;
}

/** https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html */
const Name = z
  .string()
  .max(1011)
  .regex(/^\/?[\w.-]+(\/[\w.-]+){0,14}$/);
const ADVANCED = 8192;
const Put = z.strictObject({
  Name,
  Value: z.string().min(1).max(ADVANCED),
  Type: z.enum(['String', 'StringList', 'SecureString']),
  Description: z.string().max(1024).default(''),
  Overwrite: z.boolean().default(false),
  Tier: z.enum(['Standard', 'Advanced', 'Intelligent-Tiering']).default('Standard'),
});
const Get = z.strictObject({ Name: z.string(), WithDecryption: z.boolean().default(false) });
const Delete = z.strictObject({ Name });

class Refused extends Error {}

export async function startSsm(): Promise<SsmDouble> {
  const parameters = new Map<string, Parameter>();
  const asked: string[] = [];
  let refusal: (asked: string) => string | undefined = () => undefined;

  const operations: Readonly<Record<string, (body: unknown) => object>> = {
    GetParameter(body) {
      const { Name: selector, WithDecryption } = Get.parse(body);
      const [name = '', version] = selector.split(':');
      const found = parameters.get(name);
      if (!found) throw new Refused('ParameterNotFound');
      if (version !== undefined && Number(version) !== found.version) throw new Refused('ParameterVersionNotFound');
      const isHidden = found.type === 'SecureString' && !WithDecryption;
      const Value = isHidden ? 'AQICAHencrypted' : found.value;
      return { Parameter: { Name: name, Value, Type: found.type, Version: found.version } };
    },
    PutParameter(body) {
      const put = Put.parse(body);
      const before = parameters.get(put.Name);
      if (before && !put.Overwrite) throw new Refused('ParameterAlreadyExists');
      const isLarge = Buffer.byteLength(put.Value) > 4096;
      if (isLarge && put.Tier === 'Standard') throw new Refused('ValidationException');
      const version = (before?.version ?? 0) + 1;
      parameters.set(put.Name, { value: put.Value, type: put.Type, description: put.Description, version });
      return { Version: version, Tier: isLarge ? 'Advanced' : 'Standard' };
    },
    DeleteParameter(body) {
      if (!parameters.delete(Delete.parse(body).Name)) throw new Refused('ParameterNotFound');
      return {};
    },
  };

  function answer(operation: string, body: unknown): { status: number; body: object } {
    const line = `${operation} ${Object(body).Name}`;
    asked.push(line);
    const told = refusal(line);
    try {
      if (told !== undefined) throw new Refused(told);
      const serve = operations[operation];
      if (!serve) throw new Refused('UnknownOperationException');
      return { status: 200, body: serve(body) };
    } catch (error) {
      const name = error instanceof Refused ? error.message : 'ValidationException';
      // SSM quotes what it was sent.
      return { status: 400, body: { __type: name, message: `as it was told: ${JSON.stringify(body)}` } };
    }
  }

  const server = createServer(async (request: IncomingMessage, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^AmazonSSM\./, '');
    const said = answer(operation, JSON.parse(await text(request)));
    response.writeHead(said.status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(said.body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    ...{ parameters, asked },
    refuse: (by) => {
      refusal = by;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
