import { createHash } from 'node:crypto';
import type { Image, Incident, Proposal } from '../../../shared/model.ts';
import { paintWorld } from '../../simulator/paint.ts';

export const AT = '2026-01-15T12:00:00.000Z';

export const incident = (id: string, more: Partial<Incident> = {}): Incident => ({
  ...{ schema: 1, id, cluster: 'c1', mode: 'm', state: 'open', since: AT },
  subject: { apiVersion: 'v1', kind: 'Node', name: id },
  ...more,
});

export const image = (id: string, before: Image['before'], after: Image['after'] = null): Image => ({
  ...{ schema: 1, id, cluster: 'c1', proposal: 'p', step: 0 },
  ...{ target: { apiVersion: 'v1', kind: 'ConfigMap', name: id }, before, after },
});

/** A proposal as the flow opens one, in a world of its own. */
export async function openProposal(more: Partial<Proposal> = {}): Promise<Proposal> {
  const world = paintWorld();
  const row = await world.store.get('proposal', await world.proposed());
  if (!row) throw new Error('nothing was proposed');
  return { ...row.item, ...more };
}

/** Text of so many characters that compresses to three quarters at best, the same for the same seed. */
export function noise(length: number, seed: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < length; at += 86) {
    pieces.push(createHash('sha512').update(`${seed} ${at}`).digest('base64').slice(0, 86));
  }
  return pieces.join('').slice(0, length);
}
