import type { KnownBlock } from '@slack/types';
import { OURS, SLACK } from './limits.ts';

/** Blocks that belong together. What is not `optional` is short by how it is made. */
export interface Part {
  readonly blocks: readonly KnownBlock[];
  readonly optional?: boolean;
}

export const must = (...blocks: readonly KnownBlock[]): Part => ({ blocks });
export const may = (...blocks: readonly KnownBlock[]): Part => ({ blocks, optional: true });

const sizeOf = (blocks: readonly KnownBlock[]) => JSON.stringify(blocks).length;

/**
 * The parts in their order, as many as Slack takes: all that must be, then the optional ones from the first on. Where
 * some are left out, `pointer` says so in the place of the first of them.
 */
export function fit(
  parts: readonly Part[],
  surface: 'message' | 'modal',
  pointer: (left: number) => KnownBlock,
): KnownBlock[] {
  const needed = parts.filter(({ optional }) => !optional).flatMap(({ blocks }) => blocks);
  let count = SLACK.blocks[surface] - needed.length - 1;
  let room = OURS[surface] - sizeOf(needed) - sizeOf([pointer(parts.length)]);
  let isFull = false;
  const taken = parts.map(({ blocks, optional }) => {
    if (!optional) return true;
    const size = sizeOf(blocks);
    isFull ||= blocks.length > count || size > room;
    if (isFull) return false;
    count -= blocks.length;
    room -= size;
    return true;
  });
  const first = taken.indexOf(false);
  const left = taken.filter((is) => !is).length;
  return parts.flatMap(({ blocks }, index) => (taken[index] ? blocks : index === first ? [pointer(left)] : []));
}
