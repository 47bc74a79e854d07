import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The release that renders the chart. Its `go` line must not exceed the Go that the control plane needs. */
const VERSION = 'v3.19.5';
/** Kubernetes as helm is told of it: a helm that Go installs knows of none. */
const KUBERNETES = '1.32.0';

/** The chart of the watcher is this folder. */
const CHART = import.meta.dirname;

/** What a user must say, and nothing else. */
export const LEAST = [
  'cluster.name=my-cluster',
  'send.ingest.url=https://gleaner.example.com/v1/observations',
  'send.ingest.existingSecret=gleaner-keys',
];

/** What came of a call of helm. */
interface Called {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
}

/** helm by its own name, or the one that Go builds once per machine, outside the tree; or the one line that says what is lacking. */
export function findHelm(environment = process.env): { readonly program: string } | { readonly lacks: string } {
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gleaner-helm', VERSION);
  const program = join(cache, 'helm');
  if (existsSync(program)) return { program };
  mkdirSync(cache, { recursive: true });
  const env = { ...environment, GOBIN: cache, GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  const args = ['install', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@${VERSION}`];
  const { status, stderr, error } = spawnSync('go', args, { env, encoding: 'utf8', cwd: cache });
  if (status === 0 && existsSync(program)) return { program };
  return {
    lacks: `helm is lacking: it is built by Go 1.26 or newer (${error?.message ?? stderr.trim().split('\n').at(-1)})`,
  };
}

const call = (program: string, args: readonly string[]): Called => {
  const said = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { ok: said.status === 0, out: said.stdout, err: said.stderr };
};

const sets = (values: readonly string[]) => values.flatMap((value) => ['--set', value]);

/** `helm lint --strict`. */
export const lint = (program: string, values: readonly string[]): Called =>
  call(program, ['lint', CHART, '--strict', '--kube-version', KUBERNETES, ...sets(values)]);

/** `helm template`: the manifests as one text. */
export const template = (program: string, values: readonly string[], namespace = 'gleaner'): Called =>
  call(program, ['template', 'gleaner', CHART, '-n', namespace, '--kube-version', KUBERNETES, ...sets(values)]);
