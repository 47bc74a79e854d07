import { Readable } from 'node:stream';
import { type ApiPlace, parsed } from '../../test/conformance/kubernetes-api/place.ts';
import { kubernetesApiConformance } from '../../test/conformance/kubernetes-api.ts';
import { scaledClock } from '../adapters/clock/scaled.ts';
import { startPretendCluster } from './start-pretend-cluster.ts';

async function start(): Promise<ApiPlace> {
  const clock = scaledClock(new Date('2026-01-05T10:00:00Z'), 20);
  const cluster = await startPretendCluster({ flavour: 'harvester', name: 'conformance', clock, drills: [] });
  const headers = { authorization: `Bearer ${cluster.token}` };
  return {
    async send(method, path, body, contentType = 'application/json') {
      const response = await fetch(`${cluster.url}${path}`, {
        method,
        headers: { ...headers, 'content-type': contentType },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return {
        code: response.status,
        body: parsed(await response.text()),
        headers: Object.fromEntries(response.headers),
      };
    },
    async open(path) {
      const response = await fetch(`${cluster.url}${path}`, { headers });
      if (response.status !== 200 || !response.body) throw new Error(`GET ${path}: ${response.status}`);
      return Readable.fromWeb(response.body);
    },
    say: (...said) => cluster.hands.say(...said),
    compact: cluster.compact,
    stop: cluster.stop,
  };
}

kubernetesApiConformance('the playground', start);
