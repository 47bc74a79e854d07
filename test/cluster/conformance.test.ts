import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ApiPlace, parsed } from '../conformance/kubernetes-api/place.ts';
import { kubernetesApiConformance } from '../conformance/kubernetes-api.ts';
import { startNodeAgent } from './bed/node-agent.ts';
import { startBed } from './bed/start-bed.ts';

/** The same suite that the pretend API server passes: what differs here is wrong there. */
kubernetesApiConformance('a real kube-apiserver', async (): Promise<ApiPlace> => {
  const bed = await startBed();
  const agent = await startNodeAgent(bed, [{ name: 'n1' }, { name: 'n2' }]);
  const { ca, admin } = bed.pki;
  const identity = { ca: readFileSync(ca.cert), cert: readFileSync(admin.cert), key: readFileSync(admin.key) };
  const call = (path: string, options: RequestOptions, body = '') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(new URL(path, bed.url), { ...identity, ...options }, resolve).once('error', reject);
      sent.end(body);
    });
  return {
    async send(method, path, body, contentType = 'application/json') {
      const written = body === undefined ? '' : JSON.stringify(body);
      const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(written) };
      const said = await call(path, { method, headers }, written);
      const named = Object.entries(said.headers).map(([name, value]) => [name, String(value)]);
      return { code: said.statusCode ?? 0, body: parsed(await text(said)), headers: Object.fromEntries(named) };
    },
    async open(path) {
      const said = await call(path, { method: 'GET' });
      if (said.statusCode !== 200) throw new Error(`GET ${path}: ${said.statusCode} ${await text(said)}`);
      return said;
    },
    async say({ namespace, name }, container, lines, previous = false) {
      const key = `${namespace}/${name}/${container}`;
      const current = agent.logs.get(key)?.current ?? [];
      agent.logs.set(key, previous ? { current, previous: lines } : { current: lines });
    },
    stop: bed.stop,
  };
});
