import type { Fact } from '../../../shared/model.ts';

const NODE = { apiVersion: 'v1', kind: 'Node', name: 'node1' };

/** A recognised fault with so many pieces of evidence and differences, of so many characters each. */
export function found(size: { evidence: number; value: number; finding?: number }): Extract<Fact, { event: 'found' }> {
  const value = 'v'.repeat(size.value);
  return {
    ...{ event: 'found', incident: 'i1', revision: 'r1' },
    found: {
      ...{ cluster: 'c1', mode: 'some-mode', subject: NODE, finding: { node: 'n'.repeat(size.finding ?? 5) } },
      ...{
        cause: 'some cause',
        confidence: 'certain',
        summary: 'a node',
        because: 'it is so',
        users: 'nobody notices',
      },
      mayWait: { untilMorning: true, because: 'nobody notices' },
      evidence: Array.from({ length: size.evidence }, (_each, n) => ({
        ...{ object: NODE, field: `.status.f${n}`, value, because: 'it says so' },
      })),
      offer: { refusal: null, plans: [], prevention: null },
    },
    dryRuns: {
      fix: [
        {
          is: 'would-change',
          differences: Array.from({ length: size.evidence }, (_each, n) => ({ path: `/p${n}`, before: value })),
        },
      ],
    },
  };
}
