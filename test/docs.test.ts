import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = globSync('**/*.md', { cwd: root, exclude: ['node_modules/**', 'dist/**'] }).sort();
const { scripts, version } = JSON.parse(read('package.json'));

describe('The documents', () => {
  it.each(pages)('%s links only to what is there', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link]) => link ?? '');
    const lost = links.filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(page), link)));

    expect(lost).toEqual([]);
  });

  it.each(pages)('%s names only commands that exist', (page) => {
    const named = [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name ?? '');

    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('open with what Gleaner is, a picture and the two commands', () => {
    const head = read('README.md').split('\n').slice(0, 25).join('\n');

    expect(head).toMatch(/!\[.+\]\(docs\/pictures\/.+\.png\)/);
    expect(head).toContain('npm ci && npm start');
    expect(head).toContain('npm ci && npm test');
  });

  it('tell the version of the package', () => {
    expect(read('CHANGELOG.md')).toContain(`## ${version}`);
  });
});

describe('The runbooks', () => {
  it.each(globSync('handlers/*/runbook.md', { cwd: root }))('%s has its five sections, in their order', (page) => {
    const sections = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title);

    expect(sections).toEqual([
      'What you see',
      'Why it happens',
      'What Gleaner proposes',
      'Doing it by hand',
      'When not to',
    ]);
  });
});

describe('The decisions', () => {
  const decisions = globSync('docs/adr/*.md', { cwd: root }).sort();

  it('are numbered without a gap', () => {
    expect(decisions.map((file) => Number(/(\d{4})-/.exec(file)?.[1]))).toEqual(
      decisions.map((_file, index) => index + 1),
    );
  });

  it.each(decisions)('%s is short, and says what was decided against', (file) => {
    const text = read(file);

    expect(text.trim().split('\n').length).toBeGreaterThanOrEqual(20);
    expect(text.trim().split('\n').length).toBeLessThanOrEqual(45);
    expect(text).toMatch(/^## Decided against$/m);
  });
});
