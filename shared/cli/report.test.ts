import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { stillLife } from '../adapters/stilllife/look.ts';
import { type Confidence, failureMode, type JsonObject, kind, type Mode, refOf, saw } from '../handler.ts';
import { Node, Pod, Setting } from '../kinds.ts';
import type { Source } from '../ports/source.ts';
import { diagnose } from './report.ts';

const AT = new Date('2026-01-15T12:00:00Z');

/** A mode that finds every node whose label says so, as sure as that label says. */
const modeOf = (id: string, urgency: Mode['urgency'], changes: Partial<Mode> = {}): Mode => ({
  ...failureMode<{ node: string }>({
    id,
    title: id,
    on: 'harvester',
    urgency,
    causes: { unknown: { what: 'w', upstream: [{ issue: 'i', affected: 'a', fixedIn: 'f' }] } },
    finding: z.object({ node: z.string() }),
    triggers: [],
    settle: '0s',
    again: '5m',
    rights: { read: [{ kind: Node }, { kind: RancherNode }, { kind: Pod }] },
    subjects: async (look) => (await look.list(Node)).map(refOf),
    async diagnose(look, subject) {
      const node = await look.get(Node, subject);
      const confidence = node?.metadata.labels[id];
      if (!node || !isConfidence(confidence)) return { is: false, because: `${subject.name} is well` };
      return {
        is: true,
        finding: { node: subject.name },
        cause: 'unknown',
        confidence,
        summary: `${id} on ${subject.name}`,
        because: 'b',
        users: 'u',
        mayWait: { untilMorning: true, because: 'm' },
        evidence: [saw(node, 'metadata.name', 'e')],
      };
    },
    plan: () => ({ refusal: { because: 'no' }, plans: [], prevention: null }),
    checks: {},
    verify: async () => ({ is: 'fixed', because: 'v' }),
    verification: { every: '10s', hold: '30s', deadline: '2m' },
  }),
  ...changes,
});

const RancherNode = kind(
  { apiVersion: 'management.cattle.io/v3', kind: 'Node', plural: 'nodes', namespaced: true },
  {},
);

const isConfidence = (text: string | undefined): text is Confidence =>
  text === 'certain' || text === 'probable' || text === 'suspected';

const node = (name: string, labels: Readonly<Record<string, string>> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
});

const sourceOf = (objects: readonly JsonObject[], changes: Partial<Source> = {}): Source => ({
  what: 'a still life',
  at: AT,
  look: async () => stillLife({ at: AT, objects }),
  notCaptured: async () => [RancherNode, Pod, Setting],
  warnings: () => [{ where: 'a.yaml', because: 'is empty' }],
  close: async () => {},
  ...changes,
});

describe('What diagnose reports', () => {
  it('puts the most certain first, and of those the most urgent', async () => {
    const objects = [
      node('n1', { slow: 'certain', urgent: 'probable' }),
      node('n2', { slow: 'suspected', urgent: 'certain' }),
    ];

    const { findings } = await diagnose([modeOf('slow', 'morning'), modeOf('urgent', 'now')], sourceOf(objects));

    expect(findings.map(({ mode, confidence }) => `${mode} ${confidence}`)).toEqual([
      'urgent certain',
      'slow certain',
      'urgent probable',
      'slow suspected',
    ]);
  });

  it('says of each finding what the contract names, and of every other subject why not', async () => {
    const report = await diagnose([modeOf('slow', 'morning')], sourceOf([node('n1', { slow: 'certain' }), node('n2')]));

    expect(report).toEqual({
      at: '2026-01-15T12:00:00.000Z',
      findings: [
        {
          mode: 'slow',
          cause: 'unknown',
          confidence: 'certain',
          subject: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
          summary: 'slow on n1',
          because: 'b',
          users: 'u',
          mayWait: { untilMorning: true, because: 'm' },
          evidence: [
            {
              object: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
              field: 'metadata.name',
              value: 'n1',
              because: 'e',
            },
          ],
          upstream: [{ issue: 'i', affected: 'a', fixedIn: 'f' }],
          refusal: { because: 'no' },
          plans: [],
          prevention: null,
        },
      ],
      refused: [{ mode: 'slow', subject: { apiVersion: 'v1', kind: 'Node', name: 'n2' }, because: 'n2 is well' }],
      notCaptured: ['Node.management.cattle.io', 'Pod', 'Setting.harvesterhci.io'],
      warnings: [{ where: 'a.yaml', because: 'is empty' }],
    });
  });

  it('asks only the modes of the flavour that a live cluster has', async () => {
    const modes = [modeOf('here', 'now'), modeOf('elsewhere', 'now', { on: 'rancher' })];

    const { refused } = await diagnose(modes, sourceOf([node('n1')], { flavour: 'harvester' }));

    expect(refused.map(({ mode }) => mode)).toEqual(['here']);
  });

  it('goes on with the other modes where one cannot finish', async () => {
    const broken = modeOf('broken', 'now', {
      subjects: async () => {
        throw new Error('Pod is read without being declared\nat somewhere');
      },
    });

    const report = await diagnose([broken, modeOf('well', 'now')], sourceOf([node('n1')]));

    expect(report.refused.map(({ mode }) => mode)).toEqual(['well']);
    expect(report.warnings).toContainEqual({
      where: 'broken',
      because: 'could not be asked: Pod is read without being declared',
    });
  });
});
