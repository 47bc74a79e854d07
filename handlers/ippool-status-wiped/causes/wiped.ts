import { type Evidence, nameOf, type Recognised, refOf, saw } from '../../../shared/handler.ts';
import { isBefore } from '../../../shared/versions.ts';
import type { Blocked, Finding, Wiped } from '../finding.ts';
import { LoadBalancer, NetworkAttachmentDefinition, UIPlugin } from '../kinds.ts';
import { available, type Sight, WEBHOOK } from '../sight.ts';
import type { CauseName } from '../upstream.ts';
import { straysOf } from './wrong-pool.ts';

/** How many load balancers the evidence shows. */
const SHOWN = 10;

/** Recognises a pool whose status was erased: states S0 to S3. */
export async function wiped(sight: Sight): Promise<Recognised<Finding> | undefined> {
  const state = await stateOf(sight);
  if (!state) return undefined;
  const { ref, ranges, rebuilt, good, controller } = sight;
  const plugin = await pluginOf(sight);
  const finding: Wiped = {
    class: state.class,
    pool: ref,
    total: ranges.total,
    lastAllocated: rebuilt.lastAllocated,
    allocated: [...rebuilt.bookings],
    allocatedHistory: rebuilt.allocatedHistory,
    duplicates: [...rebuilt.duplicates],
    blocked: [...rebuilt.blocked, ...(await forbidding(sight)), ...(state.isSure ? [] : [neverSeen(sight)])],
    extension: plugin?.erases ? plugin.version : null,
  };
  const known = good !== undefined || (rebuilt.bookings.length > 0 && controller === 'yes');
  return {
    is: true,
    finding,
    cause: await causeOf(sight, plugin),
    confidence: !state.isSure ? 'suspected' : known ? 'certain' : 'probable',
    ...wordsOf(finding, sight),
    evidence: await evidenceOf(sight),
  };
}

interface State {
  readonly class: Wiped['class'];
  /** False where a healthy pool on which somebody merely claims an address would look the same. */
  readonly isSure: boolean;
}

async function stateOf(sight: Sight): Promise<State | undefined> {
  const { pool, isReady, rebuilt } = sight;
  const { total, available, lastAllocated, allocated = {}, conditions = [] } = pool.status ?? {};
  const isBare = !isReady && Object.keys(allocated).length === 0;
  if (isBare && total === undefined && available === undefined && conditions.length === 0) {
    return { class: 'S0', isSure: true };
  }
  if (isBare && total === 0 && available === 0 && !lastAllocated) return { class: 'S1', isSure: true };
  const strays = new Set((await straysOf(sight)).map(({ holder }) => holder));
  const missing = rebuilt.missing.filter(({ holder }) => !strays.has(holder));
  if (!isReady) {
    const isWiped = total === 0 || (available ?? 0) < 0 || missing.length > 0;
    return isWiped ? { class: 'S2', isSure: true } : undefined;
  }
  if (missing.some(({ from }) => from === 'last-good')) return { class: 'S3', isSure: true };
  return missing.length > 0 && onlyYoungerAreBooked(sight) ? { class: 'S3', isSure: false } : undefined;
}

/** After a wipe nobody but later load balancers is booked: an older one that still is shows that nothing was wiped. */
function onlyYoungerAreBooked({ rebuilt, holders }: Sight): boolean {
  const created = (holder: string) => holders.all.get(holder)?.created ?? '';
  const missing = new Set(rebuilt.missing.map(({ holder }) => holder));
  const booked = rebuilt.bookings.filter(({ holder }) => !missing.has(holder));
  return booked.every(({ holder }) =>
    [...missing].every((lost) => created(lost) !== '' && created(lost) < created(holder)),
  );
}

const neverSeen = ({ pool }: Sight): Blocked => ({ why: 'never-seen-booked', what: pool.metadata.name });

/** What the API server would refuse the restore for. */
async function forbidding({ look, pool }: Sight): Promise<Blocked[]> {
  const blocked: Blocked[] = [];
  if ((await available(look, WEBHOOK)) === 'no') blocked.push({ why: 'webhook-unavailable', what: WEBHOOK });
  const network = pool.spec.selector?.network;
  if (network && (await isMissing(look, network))) blocked.push({ why: 'network-missing', what: network });
  return blocked;
}

async function isMissing(look: Sight['look'], network: string): Promise<boolean> {
  const [namespace = '', name = ''] = network.split('/');
  if (await look.get(NetworkAttachmentDefinition, { namespace, name })) return false;
  return look.captured(NetworkAttachmentDefinition, namespace);
}

/** Rancher's UI extension, where the picture has it. It erases statuses before 1.0.5, and in 1.5.0-rc1. */
async function pluginOf({ look }: Sight) {
  const plugin = await look.get(UIPlugin, { namespace: 'cattle-ui-plugin-system', name: 'harvester' });
  const version = plugin?.spec?.plugin?.version;
  if (!plugin || version === undefined) return undefined;
  const isEarlyCandidate = isBefore(version, '1.5.0-alpha0') === false && isBefore(version, '1.5.0-rc2') === true;
  return { plugin, version, erases: isBefore(version, '1.0.5') === true || isEarlyCandidate };
}

/** The extension came with Rancher 2.10, for Harvester v1.3 and newer; before it, saves as YAML did the same. */
async function causeOf({ look }: Sight, plugin: { erases: boolean } | undefined): Promise<CauseName> {
  if (plugin) return plugin.erases ? 'ui-extension-wiped-status' : 'ui-yaml-edit-wiped-status';
  const { harvester } = await look.version();
  return isBefore(harvester, '1.3.0') ? 'ui-yaml-edit-wiped-status' : 'ui-extension-wiped-status';
}

const SEEN: Readonly<Record<Wiped['class'], string>> = {
  S0: 'it has no status at all, and only a write that leaves the status out erases it: the kind has no status subresource',
  S1: 'its status is all zeros: it was erased, and the controller put the finalizer back with a typed write, which adds zeros',
  S2: 'its status counts from zero and is not Ready: it was erased, and a load balancer has booked an address since',
  S3: 'it looks well, but does not book addresses that load balancers hold: it was erased, and the controller was restarted since',
};

function wordsOf(finding: Wiped, { rebuilt, ref, holders }: Sight) {
  const held = rebuilt.bookings.length;
  const twice = finding.duplicates.map(({ ip, holders: two }) => `, ${ip} is held by ${two.join(' and ')}`);
  const loss = holders.seen
    ? `${rebuilt.missing.length} of ${held} addresses in use are not booked`
    : 'which addresses are in use cannot be seen';
  return {
    summary: `${nameOf(ref)} lost its status (${finding.class}): ${loss}${twice.join('')}`,
    because: `${nameOf(ref)}: ${SEEN[finding.class]}`,
    users:
      twice.length > 0
        ? `Clients of ${finding.duplicates.map(({ ip }) => ip).join(', ')} reach one load balancer or the other, by chance.`
        : 'Load balancers that have an address keep working; a new one can be given an address that is in use.',
    mayWait: mayWait(finding, held > 0 || !holders.seen),
  };
}

function mayWait({ duplicates }: Wiped, isUsed: boolean) {
  if (duplicates.length > 0) return { untilMorning: false, because: 'two load balancers answer at one address now' };
  return isUsed
    ? {
        untilMorning: false,
        because: 'the next load balancer, which a guest cluster can make unattended, may get an address in use',
      }
    : { untilMorning: true, because: 'no load balancer holds an address of it, so none can be given out twice' };
}

async function evidenceOf(sight: Sight): Promise<Evidence[]> {
  const { look, pool, ranges, rebuilt, good, ref } = sight;
  const evidence = [
    saw(pool, 'status', 'what stands there now'),
    saw(pool, 'spec.ranges', `the ranges hold ${ranges.total} addresses`),
  ];
  for (const { ip, holder } of rebuilt.missing.slice(0, SHOWN)) {
    const [namespace = '', name = ''] = holder.split('/');
    const lb = await look.get(LoadBalancer, { namespace, name });
    if (lb) evidence.push(saw(lb, 'status.allocatedAddress', `it holds ${ip}, which the pool does not book for it`));
  }
  if (good) {
    evidence.push({
      object: refOf(pool),
      field: 'status.allocated (last good)',
      value: good.allocated,
      because: `what ${nameOf(ref)} booked when Gleaner last saw it well`,
    });
  }
  const plugin = await pluginOf(sight);
  if (plugin?.erases) evidence.push(saw(plugin.plugin, 'spec.plugin.version', 'this version saves without the status'));
  return evidence;
}
