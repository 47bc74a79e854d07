import * as z from 'zod';
import { type Json, type Look, type ObjectRef, refOf } from '../../shared/handler.ts';
import { KubeVirt } from './kinds.ts';
import { lastWritten } from './metadata.ts';

const Kept = z.object({ generation: z.number() });

/** Kept of KubeVirt: its generation, which changes with its spec alone. When it was first seen is kept beside it. */
export async function generationOf(look: Look, ref: ObjectRef): Promise<Json | undefined> {
  const generation = (await look.get(KubeVirt, ref))?.metadata.generation;
  return generation === undefined ? undefined : { generation };
}

/**
 * Since when, at the latest, KubeVirt says what it says now: by the record of its writers (files have it; steps of its
 * fieldsV1 name the field), else since this generation was first seen. undefined: nothing tells.
 */
export async function settledSince(
  look: Look,
  kubevirt: KubeVirt,
  ...steps: readonly string[]
): Promise<Date | undefined> {
  const written = lastWritten(kubevirt, ...steps);
  if (written) return written;
  const kept = await look.lastGood(refOf(kubevirt));
  const known = Kept.safeParse(kept?.value);
  return known.success && known.data.generation === kubevirt.metadata.generation ? kept?.at : undefined;
}
