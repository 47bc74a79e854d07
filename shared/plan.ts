import * as z from 'zod';
import { isDuration } from './duration.ts';
import { JsonValue, ObjectRef } from './objects.ts';

const Span = z.string().refine(isDuration, 'write a number and s, m, h or d');

/** Why, in the sentence that an on-call engineer reads at three in the morning. */
const because = z.string().min(1);

/** One value that a diagnosis rests on, as it was seen. `field` is a dotted path; `value` what stood there. */
export const Evidence = z.object({ object: ObjectRef, field: z.string(), value: JsonValue, because });
export type Evidence = z.infer<typeof Evidence>;

/** One operation of an RFC 6902 JSON Patch; `test` operations of a plan guard what its author knows must not change. */
export const PatchOperation = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path: z.string(), value: JsonValue }),
  z.object({ op: z.literal('replace'), path: z.string(), value: JsonValue }),
  z.object({ op: z.literal('test'), path: z.string(), value: JsonValue }),
  z.object({ op: z.literal('remove'), path: z.string() }),
]);
export type PatchOperation = z.infer<typeof PatchOperation>;

/** A change to one object. resourceVersion and uid are never part of it: the core adds both from its own look. */
export const Patch = z.discriminatedUnion('type', [
  z.object({ type: z.literal('merge'), body: z.record(z.string(), JsonValue) }),
  z.object({ type: z.literal('json'), operations: z.array(PatchOperation).min(1) }),
]);
export type Patch = z.infer<typeof Patch>;

const touching = {
  target: ObjectRef,
  because,
  /** A check of the mode that must hold at the moment of the touch; where it does not, the run stops before this step. */
  guard: z.string().optional(),
};

/**
 * One step of a plan. The list is closed: these are all the ways in which Gleaner touches a cluster (`patch`, `delete`,
 * `call` of a subresource, `restart` of a workload) or lets time pass (`wait` for a check, `ask` a person).
 * `goal`, `until` and `guard` name checks of the failure mode.
 */
export const Step = z.discriminatedUnion('do', [
  z.object({ do: z.literal('patch'), ...touching, patch: Patch }),
  z.object({ do: z.literal('delete'), ...touching }),
  z.object({ do: z.literal('call'), ...touching, subresource: z.string(), body: JsonValue, goal: z.string() }),
  z.object({ do: z.literal('restart'), ...touching }),
  z.object({ do: z.literal('wait'), target: ObjectRef, because, until: z.string(), deadline: Span }),
  z.object({
    do: z.literal('ask'),
    target: ObjectRef,
    because,
    /** What the person is asked to do, as an instruction. */
    what: z.string(),
    /** The command to paste, where there is one. */
    command: z.string().optional(),
    until: z.string().optional(),
    deadline: Span,
  }),
]);
export type Step = z.infer<typeof Step>;
export type TouchingStep = Extract<Step, { do: 'patch' | 'delete' | 'call' | 'restart' }>;

/** Whether carrying out the step changes the cluster. */
export const touches = (step: Step): step is TouchingStep => step.do !== 'wait' && step.do !== 'ask';

export const Risk = z.enum(['low', 'medium', 'high']);
export type Risk = z.infer<typeof Risk>;

/** Whether the plan can be undone later: undo is a plan of its own, offered once the check `when` holds. */
const Undo = z.discriminatedUnion('offered', [
  z.object({ offered: z.literal(true), when: z.string(), because }),
  z.object({ offered: z.literal(false), because }),
]);

/** What would be done, exactly. Approving it approves these steps and `onFailure`, and nothing else. */
export const Plan = z.object({
  /** A slug, unique within the offer. */
  id: z.string(),
  title: z.string(),
  risk: Risk,
  /** Whether it only relieves: the cause stays. */
  stopgap: z.boolean(),
  /** What approving does, in one sentence. */
  does: z.string(),
  /** What else it moves, in words: which pods, VMs, services, for how long. */
  blastRadius: z.string(),
  /** What cannot be undone, in words; null where everything can. */
  irreversible: z.string().nullable(),
  /** What was checked before it was offered, in words. */
  preconditions: z.array(z.string()),
  steps: z.array(Step).min(1),
  /** Run after a failure, a timeout, an unknown result or an emergency stop; approved with the plan. */
  onFailure: z.array(Step),
  undo: Undo,
});
export type Plan = z.infer<typeof Plan>;

/** What a mode offers for a finding. A refusal is an answer: it is shown, and says why nothing touching is offered. */
export const Offer = z.object({
  refusal: z.object({ because }).nullable(),
  plans: z.array(Plan),
  /** What to do so that it does not return, in words. */
  prevention: z.string().nullable(),
});
export type Offer = z.infer<typeof Offer>;

/** The answer of `verify` and of a check. `waiting` means: look again later; `failed`: waiting will not help. */
export const Verdict = z.object({ is: z.enum(['fixed', 'waiting', 'failed']), because });
export type Verdict = z.infer<typeof Verdict>;

/** `certain`: the fault's own mark was seen; `probable`: all but one; `suspected`: worth a look, never worth a touch. */
export const Confidence = z.enum(['certain', 'probable', 'suspected']);
export type Confidence = z.infer<typeof Confidence>;
