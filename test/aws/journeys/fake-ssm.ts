import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { portOf } from '../../kubernetes/loopback.ts';

/** SSM's Parameter Store on a loopback port, as far as GetParameter of the unmodified SDK goes. */
export interface FakeSsm {
  readonly endpoint: string;
  /** Puts a new version of a parameter; gives its number. */
  put(name: string, value: string): number;
  /** Names that were asked for, in their order. */
  readonly asked: readonly string[];
  /** Refuses everything from now on, in the service's words; undefined: answers again. */
  refuse(code: string | undefined): void;
  close(): Promise<void>;
}

const Asked = z.object({ Name: z.string(), WithDecryption: z.literal(true) });

export async function fakeSsm(): Promise<FakeSsm> {
  const versions = new Map<string, string[]>();
  const asked: string[] = [];
  let refusal: string | undefined;

  function answer(input: unknown): { status: number; json: object } {
    const { Name } = Asked.parse(input);
    asked.push(Name);
    const refused = (code: string) => ({ status: 400, json: { __type: code, message: 'as it was told' } });
    if (refusal !== undefined) return refused(refusal);
    const [, name = Name, number] = /^(.*?)(?::(\d+))?$/.exec(Name) ?? [];
    const all = versions.get(name);
    if (!all) return refused('ParameterNotFound');
    const Version = number === undefined ? all.length : Number(number);
    const Value = all[Version - 1];
    if (Value === undefined) return refused('ParameterVersionNotFound');
    return { status: 200, json: { Parameter: { Name: name, Type: 'SecureString', Value, Version } } };
  }

  const server = createServer(async (request, response) => {
    const target = request.headers['x-amz-target'];
    if (target !== 'AmazonSSM.GetParameter') throw new Error(`the fake knows no ${target}`);
    const { status, json } = answer(JSON.parse(await text(request)));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(json));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return {
    ...{ endpoint: `http://127.0.0.1:${portOf(server.address())}`, asked },
    put(name, value) {
      const all = [...(versions.get(name) ?? []), value];
      versions.set(name, all);
      return all.length;
    },
    refuse: (code) => {
      refusal = code;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}
