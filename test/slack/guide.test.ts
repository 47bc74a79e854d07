import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../shared/config.ts';

const root = join(import.meta.dirname, '..', '..');
const guide = readFileSync(join(root, 'docs', 'slack.md'), 'utf8');
const sources = globSync('shared/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

/** The rows of the table under a heading, each by its cells. */
function rowsUnder(heading: string): string[][] {
  const part = guide.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = part.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
}
const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

describe('The guide to Slack', () => {
  it('explains texts that Gleaner really says', () => {
    const rows = rowsUnder('When something is wrong').filter(([, said = '']) => !said.includes('(Slack says this)'));
    const texts = rows.flatMap(([, said]) => codesIn(said));

    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((text) => !sources.includes(text))).toEqual([]);
  });

  it('explains the scopes of the manifest, and no others', () => {
    const { bot, bot_optional: optional } = parse(readFileSync(join(root, 'infra', 'slack', 'manifest.yaml'), 'utf8'))
      .oauth_config.scopes;
    const rows = rowsUnder('What each scope is for');

    expect(rows.flatMap(([, scope]) => codesIn(scope))).toEqual([...bot, ...optional]);
    const isOptional = rows.filter(([, scope]) => scope?.includes('(optional)')).flatMap(([, scope]) => codesIn(scope));
    expect(isOptional).toEqual(optional);
  });

  it.each([...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => yaml ?? ''))(
    'shows a configuration that is one (%#)',
    (yaml) => {
      expect(readConfig(yaml)).toMatchObject({ ok: true });
    },
  );
});
