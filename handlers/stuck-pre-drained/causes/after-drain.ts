import { refOf, saw } from '../../../shared/handler.ts';
import { isTrue } from '../../../shared/kinds.ts';
import { MINUTE, type Sight, since } from '../sight.ts';
import { SOFT, type Told } from '../told.ts';

/**
 * Harvester should call the node Post-draining in the same turn in which it makes the post-drain job. Where the job has
 * been there for two minutes, it stumbled over it.
 */
export function afterDrain({ look, postDrain, name, upgrade, waiting }: Sight): Told | undefined {
  if (postDrain) {
    const age = since(look, postDrain.metadata.creationTimestamp) ?? since(look, postDrain.status?.completionTime);
    if (age !== undefined && age < 2 * MINUTE) return undefined;
    return {
      class: 'P4',
      cause: 'stale-upgrade-cr-after-post-drain',
      confidence: age === undefined ? 'probable' : 'certain',
      because: `the post-drain job of Node ${name} exists${isTrue(postDrain, 'Complete') ? ' and is complete' : ''}, and the Upgrade still calls the node Pre-drained`,
      evidence: [
        saw(postDrain, 'status', 'the job that should have moved the Upgrade on'),
        saw(upgrade, 'status.nodeStatuses', 'what the Upgrade says of its nodes'),
      ],
      objects: [refOf(postDrain)],
      patience: 0,
    };
  }
  if (waiting?.for !== 'uncordon') return undefined;
  return {
    class: 'P4',
    cause: 'unknown',
    confidence: 'probable',
    because: `Rancher has upgraded Node ${name} and waits for Harvester, which made no post-drain job`,
    evidence: [waiting.seen],
    objects: [],
    patience: SOFT,
  };
}
