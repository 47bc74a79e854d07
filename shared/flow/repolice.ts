import { createPatch } from 'rfc6902';
import type { Outgoing } from '../model.ts';
import { cut } from './fit.ts';
import type { World } from './world.ts';

/**
 * Tells of a change of policy, also of one that was made while Gleaner did not run. Who may write gleaner.yaml may change
 * who decides: that it is told and audited is what keeps it honest. Approvals of a former policy do not count any more.
 */
export async function repoliced(world: World): Promise<Outgoing[]> {
  const text = world.rules.text();
  const row = await world.store.get('policy', 'policy');
  if (row?.item.text === text) return [];
  const at = world.clock.now().toISOString();
  const put = await world.store.put('policy', { schema: 1, id: 'policy', at, text }, row?.version ?? 0);
  if (!put.ok || !row) return [];
  const because = `gleaner.yaml has another policy: ${differences(row.item.text, text)}`;
  await world.store.append({ at, kind: 'decision', text: JSON.stringify({ event: 'policy-changed', because }) });
  return [{ fact: { event: 'policy-changed', because } }];
}

function differences(before: string, after: string): string {
  const said = createPatch(JSON.parse(before), JSON.parse(after)).map((change) => {
    const path = change.path.split('/').slice(1).join('.') || 'all of it';
    return 'value' in change ? `${path} is now ${cut(JSON.stringify(change.value), 120)}` : `${path} is gone`;
  });
  return cut(said.slice(0, 6).join('; ') + (said.length > 6 ? `; and ${said.length - 6} more` : ''));
}
