import type { Kind, Right } from '../../handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Opened } from '../../ports/source.ts';
import { type Connected, connect } from './connect.ts';
import { pictureOf } from './picture.ts';

export interface OpenOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** What the rules read. */
  readonly reads: readonly Right[];
  readonly clock: Clock;
}

/** Opens a live cluster as one moment for `gleaner diagnose`: every mode sees the same objects, read once. Read-only. */
export async function openCluster({ kubeconfig, context, reads, clock }: OpenOptions): Promise<Opened> {
  let cluster: Connected | undefined;
  try {
    cluster = await connect({ kubeconfig, context, ambient: true, clock });
    const connected = cluster;
    const scene = await connected.scene();
    return {
      ok: true,
      source: {
        what: `context ${connected.context}`,
        at: scene.at,
        flavour: connected.flavour,
        look: async (rights) => pictureOf(scene, rights),
        notCaptured: async () => lacking(reads, (kind, namespace) => scene.sight.isComplete(kind, namespace)),
        warnings: connected.warnings,
        close: async () => connected.close(),
      },
    };
  } catch (error) {
    cluster?.close();
    return { ok: false, because: error instanceof Error ? error.message : String(error) };
  }
}

/** The kinds of which something that was asked for could not be read. */
function lacking(reads: readonly Right[], isComplete: (kind: Kind, namespace?: string) => boolean): Kind[] {
  return [...new Set(reads.filter(({ kind, namespace }) => !isComplete(kind, namespace)).map(({ kind }) => kind))];
}
