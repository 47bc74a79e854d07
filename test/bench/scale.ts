import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chance } from '../conformance/chance.ts';
import { type Hour, lived, sum, type Work } from '../simulator/scale.ts';
import type { Row } from './table.ts';

const SIZE = Number(process.env.GLEANER_CLUSTERS ?? 10_000);
const SEED = 20_260_119;
/** Two faults of a cluster in a month, of what five modes know. */
const FAULTS = 2 / 30;
/** Hours that are compared: the first has no history, and many more incidents that begin than end. */
const [EARLY, LATE] = [[1, 5] as const, [20, 24] as const];

/** Whether what an incident, an idle cluster and a tick take grows within a day of many clusters. */
export async function scale(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-scale-'));
  const began = performance.now();
  try {
    const day = await lived({
      ...{ size: SIZE, hours: 24, faults: FAULTS, beat: '5m', again: '1h', random: chance(SEED) },
      file: join(folder, 'state.sqlite'),
    });
    const minutes = ((performance.now() - began) / 60_000).toFixed(1);
    console.error(`${SIZE} clusters lived a day in ${minutes} minutes (seed ${SEED}).`);
    const [early, late] = [sum(day.slice(...EARLY)), sum(day.slice(...LATE))];
    return [
      row(`store requests per incident, of ${late.begun}`, early, late, ({ incidents, begun }) =>
        per(incidents, begun),
      ),
      row('  items', early, late, ({ incidents, begun }) => per(incidents, begun, 'items')),
      row('store requests per idle cluster-hour', early, late, ({ idle }) => per(idle, SIZE * 4)),
      row('  items', early, late, ({ idle }) => per(idle, SIZE * 4, 'items')),
      row('store requests per tick', early, late, ({ ticks }) => per(ticks, 240)),
      row('  items', early, late, ({ ticks }) => per(ticks, 240, 'items')),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const per = (work: Work, count: number, what: keyof Work = 'requests') => work[what] / count;

function row(what: string, early: Hour, late: Hour, of: (hours: Hour) => number): Row {
  const [first, last] = [of(early), of(late)];
  const ratio = last / first;
  return {
    ...{ what: `${what}, ${SIZE.toLocaleString('en')} clusters`, measured: last.toFixed(1), ratio },
    ...{ beside: `${first.toFixed(1)} in hours ${EARLY.join(' to ')}`, aim: '<= 1.1', holds: ratio <= 1.1 },
  };
}
