import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'gleaner-package-'));
const home = join(work, 'empty');
const bin = join(home, 'node_modules/gleaner/functions/gleaner.mjs');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const run = (args: readonly string[], node: readonly string[] = []) =>
  spawnSync(process.execPath, [...node, bin, ...args], { cwd: home, encoding: 'utf8' });

beforeAll(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', work], { cwd: root, stdio: 'pipe' });
  const tarball = readdirSync(work).find((name) => name.endsWith('.tgz')) ?? 'no tarball';
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(work, tarball)], {
    cwd: home,
    stdio: 'pipe',
  });
}, 280_000);

afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('What npm pack makes, installed in an empty folder', () => {
  it('holds JavaScript, the chart of the watcher, what its licence and its users need, and no sources', () => {
    const files = readdirSync(join(home, 'node_modules/gleaner'), { recursive: true, encoding: 'utf8' });

    expect(files).toContain('dist/cli.js');
    expect(files).toContain('functions/gleaner.mjs');
    expect(files).toContain('infra/watcher/rbac/harvester-watcher.yaml');
    expect(files.filter((file) => /\.ts$|^test\b|^infra\/(?!watcher\b)/.test(file))).toEqual([]);
  });

  it('tells its version', () => {
    const { stdout, status } = run(['--version']);

    expect({ stdout, status }).toEqual({ stdout: `${version}\n`, status: 0 });
  });

  it('runs by the name that npm gave it', () => {
    const said = execFileSync('npx', ['--no-install', 'gleaner', '--version'], {
      cwd: home,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` },
    });

    expect(said).toBe(`${version}\n`);
  });

  it('diagnoses a wiped pool and writes JSON', () => {
    const { stdout, stderr, status } = run(['diagnose', '-o', 'json', join(import.meta.dirname, 'wiped-pool.yaml')]);

    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const report = JSON.parse(stdout);
    expect(report.at).toBe('2026-01-15T12:00:00.000Z');
    expect(report.findings).toMatchObject([
      {
        mode: 'ippool-status-wiped',
        subject: { kind: 'IPPool', name: 'pool1' },
        plans: [{ steps: [{ do: 'patch' }] }],
      },
    ]);
  });

  it('names a missing file in one line and exits with 2', () => {
    const { stdout, stderr, status } = run(['diagnose', 'missing.yaml']);

    expect({ stdout, stderr, status }).toEqual({
      stdout: '',
      stderr: 'gleaner: missing.yaml cannot be opened: no such file or directory\n',
      status: 2,
    });
  });

  it('says in one line that a Node is too old', () => {
    const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });';

    const { stderr, status } = run(['--version'], ['--import', `data:text/javascript,${encodeURIComponent(old)}`]);

    expect(status).toBe(2);
    expect(stderr).toMatch(/^gleaner needs Node\.js 24 or newer.*\n$/);
  });
});
