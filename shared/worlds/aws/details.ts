import type { Card } from '../../card.ts';
import { draw } from '../desk.ts';
import type { Base } from './base.ts';
import { policed } from './configuration.ts';
import { knowing } from './modes.ts';
import { registry } from './registered.ts';
import { bare } from './world.ts';

/** A proposal's card as it stands, by the names and the policy of now. */
export function cards(base: Base): (proposal: string) => Promise<Card | undefined> {
  const [registered, policy, known] = [registry(base), policed(base), knowing()];
  return async (id) => {
    const [row, clusters] = await Promise.all([base.store.get('proposal', id), registered()]);
    if (!row) return undefined;
    const delivery = { registered: clusters };
    return draw({ ...bare(base, delivery), ...(await policy(delivery)), ...(await known()) }, row.item);
  };
}
