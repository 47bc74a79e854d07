import { describe, expect, it } from 'vitest';
import { manualClock } from '../../adapters/clock/manual.ts';
import type { Parameter } from '../../adapters/ssm/parameters.ts';
import { configuration } from './configuration.ts';

const START = '2026-01-15T12:00:00.000Z';
const NAME = '/gleaner/test/gleaner.yaml';
const gleanerYaml = (approver: string) => `policy: { low: { approvers: [${approver}] } }`;
const BAD = 'policy: { lwo: {} }';

/** A function's configuration over a parameter whose versions the test writes. */
function begin(...versions: string[]) {
  const clock = manualClock(START);
  const lines: { because?: unknown; [field: string]: unknown }[] = [];
  let trouble: Parameter | undefined;
  const version = (number: number): Parameter => {
    const value = versions[number - 1];
    return value === undefined
      ? { is: 'absent', because: `there is no version ${number}` }
      : { is: 'there', value, version: number };
  };
  const start = () =>
    configuration({
      ...{ env: { GLEANER_CONFIG: NAME }, machine: clock },
      log: { info() {}, warn() {}, error: (fields, message) => void lines.push({ ...fields, message }) },
      parameters: {
        newest: async () => trouble ?? version(versions.length),
        version: async (_name, number) => version(number),
      },
    });
  return {
    ...{ clock, lines, start, current: start(), put: (text: string) => versions.push(text) },
    fail: (is: 'refused' | 'unreadable' | undefined) => {
      trouble = is && { is, because: `${NAME} is ${is}` };
    },
  };
}

const approvers = async (current: ReturnType<typeof configuration>) => (await current()).policy.low.approvers;

describe('gleaner.yaml in a parameter', () => {
  it('is in force, and so is each newer one', async () => {
    const { current, put } = begin(gleanerYaml('slack:U1'));
    expect(await approvers(current)).toEqual(['slack:U1']);

    put(gleanerYaml('slack:U2'));

    expect(await approvers(current)).toEqual(['slack:U2']);
  });

  it('that cannot be read leaves the one before it in force, and is told of once, with its problems', async () => {
    const { current, put, lines } = begin(gleanerYaml('slack:U1'));
    put(BAD);

    expect([await approvers(current), await approvers(current)]).toEqual([['slack:U1'], ['slack:U1']]);
    expect(lines).toMatchObject([{ version: 2, problems: [expect.stringContaining('policy.lwo')] }]);
  });

  it('that cannot be read leaves the same one in force for a function that starts after it', async () => {
    const { start } = begin(gleanerYaml('slack:U1'), BAD, BAD);

    expect(await approvers(start())).toEqual(['slack:U1']);
  });

  it('of which no version can be read is no policy', async () => {
    const { current } = begin(BAD, BAD);

    await expect(current()).rejects.toThrow(/No version of gleaner.yaml .* can be read/);
  });

  it('is none where it is not there', async () => {
    await expect(begin().current()).rejects.toThrow(/gleaner.yaml is not known/);
  });

  it('stays in force while SSM is away, and no longer than ten minutes', async () => {
    const { current, clock, fail } = begin(gleanerYaml('slack:U1'));
    await current();
    fail('unreadable');

    clock.advance(600_000);
    expect(await approvers(current)).toEqual(['slack:U1']);
    clock.advance(1);
    await expect(current()).rejects.toThrow(/gleaner.yaml is not known/);
    fail(undefined);
    expect(await approvers(current)).toEqual(['slack:U1']);
  });

  it('is out of force at once where the function may not read it any more', async () => {
    const { current, fail } = begin(gleanerYaml('slack:U1'));
    await current();

    fail('refused');

    await expect(current()).rejects.toThrow(/gleaner.yaml is not known/);
  });

  it('that names a failure mode which is none is one that cannot be read', async () => {
    const { current, put, lines } = begin(gleanerYaml('slack:U1'));
    put('policy: { overrides: [{ modes: [no-such-mode], low: { approvers: [slack:U2] } }] }');

    expect(await approvers(current)).toEqual(['slack:U1']);
    expect(lines).toHaveLength(1);
  });
});
