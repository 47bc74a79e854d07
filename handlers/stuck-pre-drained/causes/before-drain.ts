import { refOf, saw } from '../../../shared/handler.ts';
import { VirtualMachineInstance } from '../kinds.ts';
import { MINUTE, type Sight, SYSTEM, since } from '../sight.ts';
import type { Told } from '../told.ts';

/** How long a pre-drain job may take to move VMs away before a failed repository VM is blamed. */
const PATIENCE = 30 * MINUTE;

/** Before Pre-drained: a failed VM of the upgrade's repository counts as running, and the pre-drain job waits for it. */
export async function failedRepository(sight: Sight): Promise<Told | undefined> {
  const { look, preDrain, name, upgrade } = sight;
  const started = since(look, preDrain?.status?.startTime);
  if (!preDrain || preDrain.status?.active === undefined || started === undefined || started < PATIENCE)
    return undefined;
  const failed = (await look.list(VirtualMachineInstance, { namespace: SYSTEM })).find(
    ({ metadata, status }) => status?.phase === 'Failed' && metadata.name.includes(upgrade.metadata.name),
  );
  if (!failed) return undefined;
  return {
    class: 'P0',
    cause: 'predrain-job-vmi-failed',
    confidence: 'probable',
    because: `the pre-drain job of Node ${name} has run for more than half an hour, and the failed VM ${failed.metadata.name} of the upgrade counts as running`,
    evidence: [
      saw(preDrain, 'status.active', 'the job still waits'),
      saw(failed, 'status.phase', 'a failed VM of the upgrade repository'),
    ],
    objects: [refOf(preDrain), refOf(failed)],
    patience: 0,
  };
}
