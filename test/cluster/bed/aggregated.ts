import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { create } from './create.ts';
import { serveHttps } from './https-endpoint.ts';
import type { Bed } from './start-bed.ts';
import { until } from './until.ts';

/** A call of a virtual machine's subresource, as virt-api would get it. */
export interface SubresourceCall {
  readonly namespace: string;
  readonly name: string;
  /** `start`, `stop`, … */
  readonly verb: string;
  readonly body: unknown;
  /** The caller, in the words of the API server that passed the call on. */
  readonly user: string;
}

/** What the test says to a call. KubeVirt's own answer to start and stop is 202 without a body. */
export type Act = (
  call: SubresourceCall,
) => { code: number; body?: unknown } | Promise<{ code: number; body?: unknown }>;

const group = 'subresources.kubevirt.io';
const discovery = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/v1`,
  resources: ['start', 'stop'].map((verb) => ({
    ...{
      name: `virtualmachines/${verb}`,
      singularName: '',
      namespaced: true,
      kind: 'VirtualMachine',
      verbs: ['update'],
    },
  })),
};

/**
 * Plays virt-api: an aggregated API that passes `PUT …/virtualmachines/NAME/VERB` to `act`. The Service is an
 * ExternalName, since nothing routes cluster addresses here. Resolves once the API server sends calls to it (about 5 s).
 */
export async function serveSubresources(bed: Bed, act: Act): Promise<void> {
  const clientCa = readFileSync(bed.pki.frontProxyCa.cert);
  const server = await serveHttps({ keys: bed.pki.serving, clientCa }, (request, response) => {
    const say = ({ code, body }: { code: number; body?: unknown }) =>
      response
        .writeHead(code, { 'Content-Type': 'application/json' })
        .end(body === undefined ? '' : JSON.stringify(body));
    answer(request, act).then(say, (error) => say({ code: 500, body: String(error) }));
  });
  bed.onStop(() => server.close());
  await register(bed, server.port);
}

async function answer(request: IncomingMessage, act: Act): Promise<{ code: number; body?: unknown }> {
  const { pathname } = new URL(request.url ?? '/', 'https://virt-api');
  if (pathname === `/apis/${group}/v1`) return { code: 200, body: discovery };
  const call = /\/namespaces\/([^/]+)\/virtualmachines\/([^/]+)\/([^/]+)$/.exec(pathname);
  if (request.method !== 'PUT' || !call) return { code: 404, body: { kind: 'Status', status: 'Failure', code: 404 } };
  const [, namespace = '', name = '', verb = ''] = call;
  const said = await text(request);
  const user = String(request.headers['x-remote-user']);
  return act({ namespace, name, verb, body: said === '' ? undefined : JSON.parse(said), user });
}

async function register(bed: Bed, port: number): Promise<void> {
  const namespace = 'harvester-system';
  const service = { namespace, name: 'virt-api', port };
  await create(bed.request, '/api/v1/namespaces', { metadata: { name: namespace } });
  await create(bed.request, `/api/v1/namespaces/${namespace}/services`, {
    metadata: { name: service.name },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  });
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
  await create(bed.request, apiServices, {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      service,
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    },
  });
  await until('subresources.kubevirt.io is available', async () => {
    const { body } = await bed.request('GET', `${apiServices}/v1.${group}`);
    const { conditions } = apiServiceSchema.parse(body).status;
    return conditions.some(({ type, status }) => type === 'Available' && status === 'True') || undefined;
  });
}

const apiServiceSchema = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
});
