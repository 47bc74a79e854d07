import {
  type Diagnosis,
  type Look,
  type Metadata,
  nameOf,
  type ObjectRef,
  refOf,
  saw,
} from '../../../shared/handler.ts';
import type { Finding } from '../finding.ts';
import { BlockDevice, Upgrade, VirtualMachineImage } from '../kinds.ts';

/** The first status of these kinds is written within seconds; ten minutes later its absence is no start any more. */
const SETTLED = 600_000;

/** The labels that Harvester sets on an Upgrade while it writes the status, and "Dismiss it" when it erases it. */
const UPGRADE_LABELS = ['harvesterhci.io/upgradeState', 'harvesterhci.io/read-message'];

const KINDS = [Upgrade, VirtualMachineImage, BlockDevice];

interface Bare {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly status: boolean;
}

/** Objects of other kinds without a status subresource that bear the mark of an erased status. */
export async function otherSubjects(look: Look): Promise<ObjectRef[]> {
  const found = await Promise.all(KINDS.map((kind) => look.list(kind)));
  return found
    .flat()
    .filter((object) => markOf(look, object) !== undefined)
    .map(refOf);
}

/** Says of an object of another kind whether its status was erased. Nothing is ever proposed: no rule can rebuild it. */
export async function otherKind(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  const kind = KINDS.find((one) => one.kind === subject.kind);
  const object = kind && (await look.get(kind, subject));
  const mark = object && markOf(look, object);
  if (!object || !mark) return { is: false, because: `${nameOf(subject)} shows no mark of an erased status` };
  const isUpgrade = subject.kind === Upgrade.kind;
  return {
    is: true,
    finding: { class: 'other-kind', object: subject },
    cause: isUpgrade ? 'ui-extension-wiped-status-upgrade' : 'ui-extension-wiped-status-other-kinds',
    confidence: 'suspected',
    summary: `${nameOf(subject)} has no status, and seems to have had one`,
    because: `${mark}; the kind has no status subresource, so a save that leaves the status out erases it`,
    users: isUpgrade
      ? 'The upgrade is shown as not begun, and Harvester may start it again.'
      : 'The page shows it as not ready and may not let it be chosen.',
    mayWait: isUpgrade
      ? { untilMorning: false, because: 'an upgrade that starts again drains nodes' }
      : { untilMorning: true, because: 'what already uses it is not concerned' },
    evidence: [
      { object: refOf(object), field: 'status', value: null, because: 'there is none' },
      saw(object, 'metadata.labels', mark),
    ],
  };
}

/** What tells that the object had a status before; undefined: nothing does. */
function markOf({ at }: Look, { kind, metadata, status }: Bare): string | undefined {
  if (status || metadata.deletionTimestamp) return undefined;
  const label = kind === Upgrade.kind && UPGRADE_LABELS.find((name) => metadata.labels[name] !== undefined);
  if (label) return `it has the label ${label}, which is set where a status is written`;
  const age = at.getTime() - Date.parse(metadata.creationTimestamp ?? '');
  const wasWritten = (metadata.generation ?? 1) > 1 || metadata.finalizers.length > 0;
  return age >= SETTLED && wasWritten ? 'it is old, has been written since it was made, and has no status' : undefined;
}
