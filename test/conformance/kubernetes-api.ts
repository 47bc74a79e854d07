import { afterAll, beforeAll, describe } from 'vitest';
import { endingsConform } from './kubernetes-api/endings.ts';
import { type ApiPlace, prepare } from './kubernetes-api/place.ts';
import { readsConform, watchesConform } from './kubernetes-api/reads.ts';
import { writesConform } from './kubernetes-api/writes.ts';

/**
 * What Gleaner, its drills and its actors count on in an API server. It runs against the pretend one and against a
 * real kube-apiserver: where the two differ, the pretend one is wrong.
 */
export function kubernetesApiConformance(name: string, start: () => Promise<ApiPlace>): void {
  describe(`the Kubernetes API of ${name}`, () => {
    let running: ApiPlace | undefined;
    const place = () => {
      if (!running) throw new Error(`${name} did not start`);
      return running;
    };

    beforeAll(async () => {
      running = await start();
      await prepare(running);
    });
    afterAll(() => running?.stop());

    readsConform(place);
    watchesConform(place);
    writesConform(place);
    endingsConform(place);
  });
}
