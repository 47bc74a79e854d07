import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BinaryName, cacheFolder, missingBinaries, type Recipe, recipes } from './binaries.ts';

/** Builds what is missing of the control plane. Returns undefined, or the one line that says what is lacking. */
export function buildControlPlane(environment = process.env): string | undefined {
  const missing = missingBinaries(environment);
  const needed = recipes.filter(({ packages }) => missing.some((name) => packages[name]));
  if (needed.length === 0) return undefined;
  if (!goIsAtLeast(requiredGo(recipes), environment)) return lacking(missing);
  for (const recipe of needed) {
    const failure = build(recipe, environment);
    if (failure) return failure;
  }
  return undefined;
}

function lacking(missing: readonly BinaryName[]): string {
  const go = requiredGo(recipes).slice(0, 2).join('.');
  return `test:cluster needs Go ${go} or newer, or KUBEBUILDER_ASSETS: a folder with ${missing.join(', ')}`;
}

/** The highest `go` line of the modules. */
function requiredGo(of: readonly Recipe[]): number[] {
  const lines = of.map(({ folder }) => /^go ([\d.]+)$/m.exec(readFileSync(join(folder, 'go.mod'), 'utf8'))?.[1] ?? '0');
  return lines.map(numbers).reduce((highest, line) => (compare(line, highest) > 0 ? line : highest));
}

function goIsAtLeast(required: readonly number[], environment: NodeJS.ProcessEnv): boolean {
  const said = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', env: offlineToolchain(environment) });
  const installed = /^go([\d.]+)/.exec(said.stdout ?? '')?.[1];
  return installed !== undefined && compare(numbers(installed), required) >= 0;
}

function build(recipe: Recipe, environment: NodeJS.ProcessEnv): string | undefined {
  const finished = cacheFolder(recipe, environment);
  const partial = `${finished}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  for (const [name, goPackage] of Object.entries(recipe.packages)) {
    console.log(`building ${name} (once per machine; the whole control plane takes some minutes)`);
    const options = ['-mod=readonly', '-buildvcs=false', '-ldflags', linkerFlags(recipe), '-o', join(partial, name)];
    const { status } = spawnSync('go', ['build', ...options, goPackage], {
      cwd: recipe.folder,
      env: { ...offlineToolchain(environment), CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: 'inherit',
    });
    if (status !== 0) {
      rmSync(partial, { recursive: true });
      return `go build ${goPackage} failed`;
    }
  }
  publish(partial, finished);
  return undefined;
}

/** Whoever comes second keeps what the first one built: a run may be using it already. */
function publish(partial: string, finished: string): void {
  if (existsSync(finished)) rmSync(partial, { recursive: true });
  else renameSync(partial, finished);
}

/** Without these the API server calls itself v0.0.0-master (k8s.io/component-base/version/base.go). */
function linkerFlags({ folder }: Recipe): string {
  const pinned = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)/.exec(readFileSync(join(folder, 'go.mod'), 'utf8'));
  if (!pinned) return '-s -w';
  const [, version, major, minor] = pinned;
  const at = '-X k8s.io/component-base/version';
  return `-s -w ${at}.gitVersion=${version} ${at}.gitMajor=${major} ${at}.gitMinor=${minor}`;
}

/** Go would download the toolchain that a dependency names; the installed one is enough. */
function offlineToolchain(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...environment, GOTOOLCHAIN: 'local' };
}

function numbers(version: string): number[] {
  return version.split('.').map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [index, part] of left.entries()) {
    const difference = part - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

if (import.meta.main) {
  const lack = buildControlPlane();
  if (lack) {
    console.error(lack);
    process.exitCode = 1;
  }
}
