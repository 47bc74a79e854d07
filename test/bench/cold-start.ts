import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { sizesOf } from '../../infra/build/bundle-size.ts';
import { bundleFunctions } from '../../infra/build/functions.ts';
import { median, megabytes, ms, type Row } from './table.ts';

const run = promisify(execFile);
const outdir = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'gleaner-bench', 'functions');
const RUNS = 21;
const EMPTY = 'export const handler = async () => ({ statusCode: 200 });\n';
/** As Lambda's runtime loads a handler: the first import of a process. It ends at once, whatever the module left open. */
const SCRIPT = `const began = performance.now();
import(process.argv[1]).then(() => {
  const importMs = performance.now() - began;
  console.log(JSON.stringify({ importMs, rss: process.memoryUsage().rss }));
  process.exit();
});`;
/** What the stack gives the function; nothing is called before the first request. */
const VARIABLES = {
  ...{ AWS_REGION: 'eu-west-1', GLEANER_TABLE: 'bench', GLEANER_BUS: 'bench', GLEANER_STAGE: 'bench' },
  ...{ GLEANER_CONFIG: '/bench', GLEANER_SLACK_TOKEN: '/bench', GLEANER_SLACK_SECRET: '/bench' },
};

const Measured = z.object({ importMs: z.number(), rss: z.number() });
type Measured = z.infer<typeof Measured>;

/** The function that Slack reaches: its size, and its import and memory beside a handler that does nothing. */
export async function coldStart(): Promise<Row[]> {
  const metafile = (await bundleFunctions(outdir)).get('interact');
  if (!metafile) throw new Error('there is no function interact to measure');
  const empty = join(outdir, 'empty.mjs');
  writeFileSync(empty, EMPTY);
  const [ours, none]: [Measured[], Measured[]] = [[], []];
  for (let nth = 0; nth < RUNS; nth++) {
    ours.push(await imported(join(outdir, 'interact', 'index.mjs')));
    none.push(await imported(empty));
  }
  const { atStart } = sizesOf(metafile);
  const size: Row = {
    ...{ what: 'the function for Slack: bundle, all that is loaded at its start', aim: '<= 500 KiB', beside: '-' },
    ...{ measured: `${Math.round(atStart / 1_024)} KiB`, holds: atStart <= 500 * 1_024 },
  };
  const row = (what: string, of: (one: Measured) => number, told: (value: number) => string, most: number): Row => {
    const [mine, theirs] = [median(ours.map(of)), median(none.map(of))];
    const ratio = mine / theirs;
    return {
      ...{ what, measured: told(mine), beside: `${told(theirs)} empty handler`, ratio },
      ...{ aim: `<= ${most} times`, holds: ratio <= most },
    };
  };
  return [
    size,
    row(`  import, p50 of ${RUNS}`, ({ importMs }) => importMs, ms, 25),
    row('  resident memory after it', ({ rss }) => rss, megabytes, 1.8),
  ];
}

async function imported(file: string): Promise<Measured> {
  const { stdout } = await run(process.execPath, ['-e', SCRIPT, pathToFileURL(file).href], { env: VARIABLES });
  return Measured.parse(JSON.parse(stdout));
}
