import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../../../shared/handler.ts';

const HERE = import.meta.dirname;
const POM = join(HERE, 'pom.xml');
const PATIENCE = 300_000;

export interface Question {
  readonly pattern: Json;
  readonly event: Json;
}

/** What EventBridge's own matcher answers to each question: `true`, `false`, or `refused: …` for a pattern that is none. */
export function ask(libraries: string, questions: readonly Question[]): readonly string[] {
  const input = questions.map((question) => JSON.stringify(question)).join('\n');
  const run = spawnSync('java', ['-cp', join(libraries, '*'), join(HERE, 'Match.java')], {
    ...{ input, encoding: 'utf8', timeout: PATIENCE, maxBuffer: 64 * 1024 * 1024 },
  });
  if (run.status !== 0) throw new Error(`event-ruler ended with ${run.status}: ${run.stderr.slice(-500)}`);
  return run.stdout.trimEnd().split('\n');
}

/** The folder with event-ruler and what it needs, kept outside the tree; or what is missing to have it. */
export function libraries(): { readonly folder: string } | { readonly missing: string } {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8', timeout: PATIENCE });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (version < 17) return { missing: 'Java 17 (apt-get install openjdk-17-jdk-headless)' };
  const key = createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'gleaner', `event-ruler-${key}`);
  if (existsSync(join(folder, 'done'))) return { folder };
  mkdirSync(folder, { recursive: true });
  const copy = ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
  const maven = spawnSync('mvn', copy, { encoding: 'utf8', timeout: PATIENCE });
  if (maven.error) return { missing: 'Maven (apt-get install maven)' };
  if (maven.status !== 0) return { missing: `event-ruler from Maven Central (${lastLine(maven.stdout)})` };
  mkdirSync(join(folder, 'done'));
  return { folder };
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
