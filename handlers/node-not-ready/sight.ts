import type { Look } from '../../shared/handler.ts';
import { Node, Upgrade } from '../../shared/kinds.ts';
import { SYSTEM } from './nodes.ts';

/** What every rule asks first. */
export interface Sight {
  readonly look: Look;
  readonly nodes: readonly Node[];
  /** The live Upgrade while it is under way. */
  readonly upgrade: Upgrade | undefined;
  /** The live Upgrade, also after its end. */
  readonly latest: Upgrade | undefined;
  /** Whether an upgrade that is not there does not exist. */
  readonly seesUpgrades: boolean;
}

export async function sightOf(look: Look): Promise<Sight> {
  const upgrades = await look.list(Upgrade, { namespace: SYSTEM });
  const latest =
    upgrades.find(({ metadata }) => metadata.labels['harvesterhci.io/latestUpgrade'] === 'true') ?? upgrades[0];
  const state = latest?.metadata.labels['harvesterhci.io/upgradeState'] ?? '';
  return {
    look,
    nodes: [...(await look.list(Node))].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    upgrade: latest && !['Succeeded', 'Failed'].includes(state) ? latest : undefined,
    latest,
    seesUpgrades: await look.captured(Upgrade, SYSTEM),
  };
}
