import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../../shared/objects.ts';
import { checkBlocks } from './blocks/check.ts';
import { BOUNDS, MISSHAPEN, SOUND } from './corpus.ts';

const python = process.env.GLEANER_SLACK_SDK_PYTHON;
if (python === undefined) {
  console.info('skipped: the second opinion on blocks needs GLEANER_SLACK_SDK_PYTHON, a python3 with slack_sdk');
}

/** What slack_sdk's models say of each list of blocks: null where they take it. */
function askSlackSdk(corpus: readonly (readonly Json[])[]): readonly (string | null)[] {
  const script = join(import.meta.dirname, 'slack-sdk.py');
  const said = execFileSync(python ?? 'python3', [script], {
    input: JSON.stringify(corpus),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return z.array(z.string().nullable()).length(corpus.length).parse(JSON.parse(said));
}

/** Sets both opinions of each side by side; those that differ. */
function differences(corpus: readonly { what: string; blocks: readonly Json[]; sdkBlind?: true }[]): string[] {
  const opinions = askSlackSdk(corpus.map(({ blocks }) => blocks));
  return corpus.flatMap(({ what, blocks, sdkBlind }, index) => {
    const ours = checkBlocks(blocks)?.messages.join('; ') ?? 'takes it';
    const theirs = opinions[index] ?? 'takes it';
    const agree = (ours === 'takes it') === (theirs === 'takes it');
    return agree === (sdkBlind !== true) ? [] : [`${what}: the double ${ours}, slack_sdk ${theirs}`];
  });
}

describe.skipIf(python === undefined)("slack_sdk's models agree with the double", () => {
  it('on blocks that are sound, and at every limit', () => {
    const sound = SOUND.map((blocks) => ({ what: JSON.stringify(blocks).slice(0, 80), blocks }));
    const atLimit = BOUNDS.map(({ what, limit, blocks }) => ({ what: `${limit}: ${what}`, blocks: blocks(limit) }));

    expect(differences([...sound, ...atLimit])).toEqual([]);
  });

  it('on one more than every limit that they know', () => {
    const above = BOUNDS.map(({ what, limit, blocks, sdkBlind }) => ({
      ...{ what: `${limit + 1}: ${what}`, blocks: blocks(limit + 1) },
      ...(sdkBlind && { sdkBlind }),
    }));

    expect(differences(above)).toEqual([]);
  });

  it('on every shape that they look at', () => {
    expect(differences(MISSHAPEN)).toEqual([]);
  });
});
