import * as z from 'zod';
import { type Bed, startBed } from '../cluster/bed/start-bed.ts';
import { podOf } from './pods.ts';

export const PODS = 10_000;
/** What a pod of this size weighs as the API server answers it, in bytes. */
const WEIGHT = 7_600;
const CONNECTIONS = 8;
const NAMESPACES = Array.from({ length: 20 }, (_, index) => `tenant-${index}`);

/** A real control plane with Harvester's kinds and 10,000 pods of 7.6 KB that no rule is about. */
export async function crowdedBed(): Promise<Bed> {
  const bed = await startBed({ controllers: [], scheduler: false });
  try {
    await bed.installCrds();
    for (const name of NAMESPACES) await bed.request('POST', '/api/v1/namespaces', { metadata: { name } });
    await createPods(bed);
    return bed;
  } catch (failure) {
    await bed.stop();
    throw failure;
  }
}

async function createPods(bed: Bed): Promise<void> {
  let next = 0;
  const one = async (index: number) => {
    const pod = heavyPod(index);
    const { code, body } = await bed.request('POST', `/api/v1/namespaces/tenant-${index % 20}/pods`, pod);
    if (code !== 201) throw new Error(`Pod ${index} was refused with ${code}: ${JSON.stringify(body).slice(0, 200)}`);
  };
  const connection = async () => {
    while (next < PODS) await one(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

const Made = z.object({
  metadata: z.looseObject({ annotations: z.record(z.string(), z.string()) }),
  spec: z.looseObject({}),
});

/** The pod of the reader's bench, as a client may write it, with annotations that bring it to the weight. */
function heavyPod(index: number): object {
  const { metadata, spec } = Made.parse(podOf(index, 1));
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    managedFields: _fields,
    ...own
  } = metadata;
  const pod = { metadata: own, spec };
  const rest = WEIGHT - 2_400 - JSON.stringify(pod).length;
  const status = 'k8s.v1.cni.cncf.io/network-status';
  return { metadata: { ...own, annotations: { ...own.annotations, [status]: 'x'.repeat(Math.max(0, rest)) } }, spec };
}
