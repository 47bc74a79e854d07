import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { modes } from '../../handlers/index.ts';
import { openFiles } from '../../shared/adapters/bundle/open.ts';
import { diagnose } from '../../shared/cli/report.ts';
import { podOf } from './pods.ts';
import { median, ms, type Row } from './table.ts';

const OBJECTS = 10_000;
const ROUNDS = 5;
/** The `yaml` package needs tens of seconds for the file: it is asked once. */
const YAML_ROUNDS = 1;

const Measured = z.object({ milliseconds: z.number() });

/** A diagnosis of captured files beside parsing them, each in a fresh process whose modules are loaded before it is timed. */
export async function files(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bench-'));
  try {
    const json = join(folder, 'pods.json');
    const yaml = join(folder, 'pods.yaml');
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      metadata: {},
      items: Array.from({ length: OBJECTS }, (_, index) => podAt(index)),
    };
    await write(json, [JSON.stringify(list, null, 4)]);
    await write(yaml, yamlOf());
    return [await beside('JSON', json, ROUNDS), await beside('YAML', yaml, YAML_ROUNDS)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const podAt = (index: number) => ({ apiVersion: 'v1', kind: 'Pod', ...podOf(index, index + 1) });

/** As `kubectl get -o yaml` writes a List. */
function* yamlOf(): Generator<string> {
  yield 'apiVersion: v1\nitems:\n';
  for (let index = 0; index < OBJECTS; index += 1) {
    const text = stringify(podAt(index), { indentSeq: false, lineWidth: 0 }).trimEnd();
    yield `- ${text.replaceAll('\n', '\n  ')}\n`;
  }
  yield 'kind: List\nmetadata: {}\n';
}

async function write(path: string, parts: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  for (const part of parts) if (!file.write(part)) await once(file, 'drain');
  await finished(file.end());
}

async function beside(format: 'JSON' | 'YAML', path: string, rounds: number): Promise<Row> {
  const ours: number[] = [];
  const parsing: number[] = [];
  // In turns, so that a busy moment of the machine does not fall on one of them alone.
  for (let round = 0; round < rounds; round += 1) {
    parsing.push(await timed(format, path));
    ours.push(await timed('diagnose', path));
  }
  const ratio = median(ours) / median(parsing);
  return {
    what: `diagnose of ${OBJECTS} objects as ${format}, in process`,
    measured: ms(median(ours)),
    beside: `${ms(median(parsing))} ${format === 'JSON' ? 'JSON.parse of the file' : 'yaml.parse of the file'}`,
    ...{ ratio, aim: '< 1.5', holds: ratio < 1.5 },
  };
}

async function timed(what: string, path: string): Promise<number> {
  const child = fork(import.meta.filename, [what, path], { execArgv: [] });
  const [[said]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  return Measured.parse(said).milliseconds;
}

async function asChild(what: string, path: string): Promise<void> {
  const began = performance.now();
  const checked = await act(what, path);
  process.send?.({ milliseconds: performance.now() - began }, () => process.exit(checked > 0 ? 0 : 1));
}

async function act(what: string, path: string): Promise<number> {
  switch (what) {
    case 'JSON':
      return JSON.parse(readFileSync(path, 'utf8')).items.length;
    case 'YAML':
      return parse(readFileSync(path, 'utf8')).items.length;
    default: {
      const opened = await openFiles(path, { reads: modes.flatMap((mode) => mode.rights.read) });
      if (!opened.ok) throw new Error(opened.because);
      const report = await diagnose(modes, opened.source);
      await opened.source.close();
      return report.notCaptured.length;
    }
  }
}

if (import.meta.main && process.send) await asChild(process.argv[2] ?? '', process.argv[3] ?? '');
