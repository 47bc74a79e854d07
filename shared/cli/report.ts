import { examine, type Fault } from '../examine.ts';
import { type Confidence, groupOf, type Kind, type Look, type Mode, type ObjectRef, type Plan } from '../handler.ts';
import { Node, RancherSetting, Setting } from '../kinds.ts';
import type { Picture } from '../ports/cluster.ts';
import type { Source, Warning } from '../ports/source.ts';

/** A fault as `gleaner diagnose -o json` writes it. */
export interface Finding {
  readonly mode: string;
  readonly cause: string;
  readonly confidence: Confidence;
  readonly subject: ObjectRef;
  readonly summary: string;
  readonly because: string;
  readonly users: string;
  readonly mayWait: Fault['mayWait'];
  readonly since?: string;
  readonly evidence: Fault['evidence'];
  readonly upstream: readonly { readonly issue: string; readonly affected: string; readonly fixedIn: string }[];
  readonly refusal: { readonly because: string } | null;
  readonly plans: readonly Plan[];
  readonly prevention: string | null;
}

/** Everything that one look at a source says: what `-o json` writes, and the table shows. */
export interface Report {
  /** The moment of the picture. */
  readonly at: string;
  /** The most certain first, and of those the most urgent. */
  readonly findings: readonly Finding[];
  readonly refused: readonly { readonly mode: string; readonly subject: ObjectRef; readonly because: string }[];
  /** Kinds whose absence means nothing; with their group where two that the rules read share a name. */
  readonly notCaptured: readonly string[];
  readonly warnings: readonly Warning[];
}

const CERTAINTY: Readonly<Record<Confidence, number>> = { certain: 0, probable: 1, suspected: 2 };
const URGENCY: Readonly<Record<Mode['urgency'], number>> = { now: 0, soon: 1, morning: 2 };

/**
 * Asks every mode about a source, each through its own rights. A mode that cannot finish is a warning: it takes nothing
 * from what the others say. Touches nothing, keeps nothing.
 */
export async function diagnose(modes: readonly Mode[], source: Source): Promise<Report> {
  const found: { mode: Mode; fault: Fault }[] = [];
  const refused: { mode: string; subject: ObjectRef; because: string }[] = [];
  const troubles: Warning[] = [];
  for (const mode of modes.filter(({ on }) => source.flavour === undefined || source.flavour === on)) {
    try {
      const said = await examine(mode, withoutMemory(await source.look(mode.rights)));
      found.push(...said.faults.map((fault) => ({ mode, fault })));
      refused.push(...said.refused.map((one) => ({ mode: mode.id, ...one })));
    } catch (error) {
      troubles.push({ where: mode.id, because: `could not be asked: ${messageOf(error)}` });
    }
  }
  found.sort(
    (a, b) =>
      CERTAINTY[a.fault.confidence] - CERTAINTY[b.fault.confidence] ||
      URGENCY[a.mode.urgency] - URGENCY[b.mode.urgency],
  );
  const kinds = [...modes.flatMap((mode) => mode.rights.read.map((right) => right.kind)), ...ALWAYS];
  return {
    at: source.at.toISOString(),
    findings: found.map(({ mode, fault }) => findingOf(mode, fault)),
    refused,
    notCaptured: [...new Set((await source.notCaptured()).map((kind) => kindName(kind, kinds)))].sort(),
    warnings: [...source.warnings(), ...troubles],
  };
}

/** Nothing was kept of the time before a file, nor by a command without a store. */
const withoutMemory = (picture: Picture): Look => ({ ...picture, lastGood: async () => undefined });

function findingOf(mode: Mode, { offer, finding: _, mode: id, ...fault }: Fault): Finding {
  return {
    ...fault,
    mode: id,
    upstream: mode.causes[fault.cause]?.upstream ?? [],
    refusal: offer.refusal,
    plans: offer.plans,
    prevention: offer.prevention,
  };
}

/** Read for the versions, whatever the modes declare. */
const ALWAYS: readonly Kind[] = [Node, RancherSetting, Setting];

/** `IPPool`; `Setting.management.cattle.io` where another kind that the rules read is called Setting too. */
function kindName(kind: Kind, all: readonly Kind[]): string {
  const group = groupOf(kind.apiVersion);
  const isShared = all.some((other) => other.kind === kind.kind && groupOf(other.apiVersion) !== group);
  return isShared && group !== '' ? `${kind.kind}.${group}` : kind.kind;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
