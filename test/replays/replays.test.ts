import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { modes } from '../../handlers/index.ts';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine, type Fault } from '../../shared/examine.ts';
import { JsonValue, touches } from '../../shared/handler.ts';
import { causeMisses, modeMisses } from './known-misses.ts';

/**
 * Incidents of public issue threads, one a line, as the objects and log lines that the thread tells of. `source` is the
 * thread; `expected` what a careful reader makes of it. Names in them are often placeholders.
 */
const Incident = z.strictObject({
  id: z.string(),
  source: z.url(),
  at: z.iso.datetime().transform((text) => new Date(text)),
  expected: z.strictObject({
    /** A failure mode's id, or `none`. */
    mode: z.string(),
    cause: z.string(),
    confidence: z.enum(['high', 'medium', 'low']),
    /** Whether objects can show the mode, and the cause, at all. */
    modeScorable: z.boolean(),
    causeScorable: z.boolean(),
    /** Modes that a careful reader could defend too; `none`: saying nothing. */
    alsoAcceptable: z.array(z.string()),
    /** A variant that no thread reports as such. */
    derived: z.boolean(),
  }),
  objects: z.array(z.record(z.string(), JsonValue)),
  /** By `namespace/pod/container`. */
  logs: z.record(z.string(), z.array(z.string())).default({}),
});
type Incident = z.infer<typeof Incident>;

const incidents = readFileSync(join(import.meta.dirname, 'incidents.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => Incident.parse(JSON.parse(line)));

const isRegistered = ({ expected }: Incident) => modes.some(({ id }) => id === expected.mode);
const negatives = incidents.filter(({ expected }) => expected.mode === 'none');
const positives = incidents.filter(isRegistered);
const scored = positives.filter(({ expected }) => expected.modeScorable && expected.confidence !== 'low');

/** Every fault that any mode finds in an incident. */
async function faultsOf(incident: Incident): Promise<readonly Fault[]> {
  const examined = await Promise.all(modes.map((mode) => examine(mode, stillLife(incident))));
  return examined.flatMap(({ faults }) => faults);
}

const cells = (all: readonly Incident[]) => all.map((one): [string, Incident] => [one.id, one]);
const said = (faults: readonly Fault[]) => faults.map(({ mode, cause }) => `${mode}/${cause}`).sort();
const touching = (faults: readonly Fault[]) =>
  faults.flatMap(({ offer }) => offer.plans.flatMap((plan) => [...plan.steps, ...plan.onFailure]).filter(touches));

/** The faults of modes that nobody would defend for this incident. */
const strange = ({ expected }: Incident, faults: readonly Fault[]) =>
  said(faults.filter(({ mode }) => mode !== expected.mode && !expected.alsoAcceptable.includes(mode)));

function isModeRight({ expected }: Incident, faults: readonly Fault[]): boolean {
  const accepted = [expected.mode, ...expected.alsoAcceptable];
  return accepted.includes('none') || faults.some(({ mode }) => accepted.includes(mode));
}

describe('an incident of a public thread', () => {
  it('stands for each mode, and there are some of no mode', () => {
    expect(modes.filter(({ id }) => !incidents.some(({ expected }) => expected.mode === id))).toEqual([]);
    expect(negatives.length).toBeGreaterThan(0);
  });

  it.each(cells(incidents))('%s can be read by every rule', async (_id, incident) => {
    const unreadable: unknown[] = [];
    for (const mode of modes)
      await examine(
        mode,
        stillLife(incident, (what) => unreadable.push(what)),
      );

    expect(unreadable).toEqual([]);
  });

  it.each(cells(scored))('%s is given its mode, unless it is a known miss', async (id, incident) => {
    const faults = await faultsOf(incident);

    expect(isModeRight(incident, faults), `said ${said(faults).join(', ') || 'nothing'}`).toBe(!modeMisses.has(id));
  });

  it.each(cells(scored.filter(({ id, expected }) => expected.causeScorable && !modeMisses.has(id))))(
    '%s is given its cause, unless it is a known miss',
    async (id, incident) => {
      const { mode, cause } = incident.expected;
      const causes = (await faultsOf(incident)).filter((fault) => fault.mode === mode).map((fault) => fault.cause);

      if (causes.length > 0) expect(causes.includes(cause), `said ${causes.join(', ')}`).toBe(!causeMisses.has(id));
    },
  );

  it.each(cells(incidents))('%s is given no mode that nobody would defend', async (_id, incident) => {
    expect(strange(incident, await faultsOf(incident))).toEqual([]);
  });

  it.each(cells(negatives))('%s, of no mode, is never offered a plan that touches', async (_id, incident) => {
    expect(touching(await faultsOf(incident))).toEqual([]);
  });

  it.each(cells(incidents))('%s is never touched on a mere suspicion', async (_id, incident) => {
    const suspected = (await faultsOf(incident)).filter(({ confidence }) => confidence === 'suspected');

    expect(touching(suspected)).toEqual([]);
  });

  it('that is listed as a known miss is there', () => {
    const ids = new Set(incidents.map(({ id }) => id));
    expect([...modeMisses.keys(), ...causeMisses.keys()].filter((id) => !ids.has(id))).toEqual([]);
  });
});
