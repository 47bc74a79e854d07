import type { Ending, OtherDenialClass } from './finding.ts';
import type { CauseName } from './upstream.ts';

/** A denial of the setting storage-network, or another end. */
type SignClass = 'machines' | OtherDenialClass | Ending;

/** What the last run of the process said that it ended of. */
export interface Sign {
  readonly class: SignClass;
  readonly cause: CauseName;
  /** The line that says so. */
  readonly line: string;
  /** What a denial named beside its reason: the VM of a conflict, as `namespace/name`. */
  readonly names?: string;
}

type Verdict = Omit<Sign, 'line'>;
type Rule = readonly [pattern: RegExp, verdict: Verdict];

/** Longer lines are cut before any pattern sees them. */
const LINE = 4_000;

const unknown = (what: SignClass): Verdict => ({ class: what, cause: 'unknown' });
const storage = (what: SignClass): Verdict => ({ class: what, cause: 'storage-network-setting-vs-running-vm' });
const CERTIFICATES: Verdict = { class: 'setting-denied', cause: 'ssl-certificates-setting' };
const silent: Verdict = { class: 'webhook-silent', cause: 'webhook-no-endpoints-at-boot' };

/** logrus quotes its message, so quotes inside it arrive escaped. */
const DENIED = /admission webhook \\*"validator\.harvesterhci\.io\\*" denied the request: (.*)/;
const STARTING = /failed to create harvester server|level=fatal/i;

/** Harvester pkg/webhook/resources/setting/validator.go: every denial of `storage-network`, then those of other settings. */
const DENIALS: readonly Rule[] = [
  [/^please stop all VMs before configuring the storage-network setting/i, storage('machines')],
  [/^please stop all workloads before configuring the storage-network setting/i, storage('volumes')],
  [/^please stop vcluster before configuring the storage-network setting/i, storage('vcluster')],
  [/running and runstrategy are mutually exclusive/i, storage('strategy-conflict')],
  [/VM Migration in progress.*VMMigrationNetwork/i, unknown('migration-network')],
  [/ssl-certificates|certificate|\bPEM\b|private ?key|\bx509\b/i, CERTIFICATES],
];

const FAILED_CALL = /failed calling webhook \\*"validator\.harvesterhci\.io/;
const NOT_THERE = /no endpoints available|connection refused|\b503\b|service unavailable|deadline exceeded|EOF/i;

/** What ends the start wherever it stands in the log. The first rule that matches a line holds. */
const ENDINGS: readonly Rule[] = [
  [
    /admission webhook \\*"rancher\.cattle\.io[^"]*" denied the request/,
    { class: 'bootstrap-denied', cause: 'rancher-webhook-denies-bootstrap' },
  ],
  [/no endpoints available for service \\*"harvester-webhook/, silent],
  [/x509: certificate signed by unknown authority/, unknown('webhook-untrusted')],
  [/Failed to create virtualMachineTemplate.*is invalid/i, unknown('template-invalid')],
  [
    /failed to list \*v3\.ManagedChart: the server could not find the requested resource/,
    { class: 'not-an-iso-install', cause: 'webhook-config-never-created' },
  ],
];

/** What a start that is well says too, for a while: it means something only where nothing else ended the run. */
const WAITS: readonly Rule[] = [
  [
    /Waiting for (?:Validating|Mutating)WebhookConfiguration harvester-(?:validator|mutator)/,
    { class: 'webhook-unregistered', cause: 'webhook-config-never-created' },
  ],
  [/Waiting for server to become available/, unknown('api-unreachable')],
];

/** Go's own last words. `http: panic serving` is caught by the server and ends nothing. */
const PANIC = /(?:^|\s)(?:panic: |fatal error: )|Observed a panic/;
const PANICS: readonly Rule[] = [
  [
    /version_?syncer[\s\S]*out of range|out of range[\s\S]*version_?syncer/i,
    { class: 'panic', cause: 'version-syncer-out-of-range' },
  ],
  [
    /concurrent map|\bindexers?\b|AddIndexers|informer has already started/i,
    { class: 'panic', cause: 'panic-indexer-race' },
  ],
  [
    /IsBackupTargetSame|master\/backup|vm_?backup|virtualmachinebackup/i,
    { class: 'panic', cause: 'panic-vm-backup-nil' },
  ],
];

const match = (rules: readonly Rule[], text: string) => rules.find(([pattern]) => pattern.test(text))?.[1];

/** Why the process ended, by the logs of its last two runs, oldest line first; undefined where they do not tell. */
export function readSign(runs: readonly (readonly string[] | undefined)[]): Sign | undefined {
  const logs = runs.map((lines) => lines?.map((line) => line.slice(0, LINE)) ?? []);
  for (const read of [fatal, panic, ending, unexplained, waits]) {
    const sign = logs.map(read).findLast((one) => one !== undefined);
    if (sign) return sign;
  }
  return undefined;
}

type Read = (lines: readonly string[]) => Sign | undefined;

/** A denial that ended the start. One that a user was given while the server ran is not. */
const fatal: Read = (lines) => denial(lines) ?? lastOf(lines, certificates);

/** The setting by its name, in the error or the fatal line of a start. */
const certificates = (line: string): Verdict | undefined =>
  /level=(?:fatal|error)/.test(line) && /\bssl-certificates\b/.test(line) ? CERTIFICATES : undefined;

const denial: Read = (lines) => {
  const line = lines.findLast((one) => STARTING.test(one) && DENIED.test(one));
  const reason = DENIED.exec(line ?? '')?.[1];
  if (line === undefined || reason === undefined) return undefined;
  const conflict = /run strategy for vm (\S+) in namespace ([^\s:]+)/.exec(reason);
  const verdict = match(DENIALS, reason) ?? unknown('setting-denied');
  return { ...verdict, line, ...(conflict && { names: `${conflict[2]}/${conflict[1]}` }) };
};

const panic: Read = (lines) => {
  const from = lines.findIndex((line) => PANIC.test(line));
  const line = lines[from];
  if (line === undefined) return undefined;
  return { ...(match(PANICS, lines.slice(from).join('\n')) ?? unknown('panic')), line };
};

const ending: Read = (lines) => lastOf(lines, endingOf);

function endingOf(line: string): Verdict | undefined {
  const verdict = match(ENDINGS, line);
  if (verdict) return verdict;
  return FAILED_CALL.test(line) && NOT_THERE.test(line) ? silent : undefined;
}

/** A fatal line that no rule knows: it, and not an earlier wait, is what ended the run. */
const unexplained: Read = (lines) =>
  lastOf(lines, (line) =>
    /level=fatal/.test(line) && !/timed out waiting for the condition/.test(line) ? unknown('crash') : undefined,
  );

const waits: Read = (lines) => lastOf(lines, (line) => match(WAITS, line));

function lastOf(lines: readonly string[], read: (line: string) => Verdict | undefined): Sign | undefined {
  const line = lines.findLast((one) => read(one) !== undefined);
  const verdict = line === undefined ? undefined : read(line);
  return line !== undefined && verdict ? { ...verdict, line } : undefined;
}
