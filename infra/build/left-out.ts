import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** A module that is imported by files of a package, and never called in a function. */
interface LeftOut {
  /** Which imports, as they are written. */
  readonly what: RegExp;
  /** From which files. */
  readonly by: RegExp;
}

const LEFT_OUT: readonly LeftOut[] = [
  // Bolt's own receivers, with Express, OAuth, Socket Mode and their readers of bodies: ours takes their place.
  { what: /^\.\/receivers\/(HTTP|Express|SocketMode|AwsLambda)\w+$/, by: /@slack\/bolt\/dist\/(App|index)\.js$/ },
  { what: /^@slack\/(oauth|socket-mode)$/, by: /@slack\/bolt\/dist\// },
  // Bolt's assistants, and what Slack's client does for files and streamed messages.
  { what: /^\.\/Assistant$/, by: /@slack\/bolt\/dist\/(App|index)\.js$/ },
  { what: /^\.\/(file-upload|chat-stream)(\.js)?$/, by: /@slack\/web-api\/dist\// },
  // Of client-node only the reader of kubeconfigs is used (shared/adapters/kubernetes/identity.ts), and of those only ones
  // that name no proxy, plugin or cloud's login (shared/worlds/aws/kubeconfig.ts).
  { what: /^\.\/gen\/index\.js$/, by: /@kubernetes\/client-node\/dist\/config\.js$/ },
  { what: /^(undici|socks|socks-proxy-agent|hpagent)$/, by: /@kubernetes\/client-node\/dist\// },
  { what: /^(openid-client|jsonpath-plus)$/, by: /@kubernetes\/client-node\/dist\// },
];

/** Whoever calls what was left out is told. Classes, so that others may extend and name them. */
const STUB = `
class LeftOut { constructor() { throw new Error('This part was left out of the function: see infra/build/left-out.ts'); } }
module.exports = new Proxy({}, { get: (_target, name) => (name === '__esModule' ? true : LeftOut) });
`;

/**
 * An AWS client registers a class for each error of its service: SSM's 140 weigh as much as all the rest of it. Without
 * them an error is the client's general one with the same name, and the adapters go by names; but by this one's item.
 */
const REGISTERED = /^n\d+_registry\.registerError\(\w+\$, (\w+)\);$/gm;
const KEPT = 'ConditionalCheckFailedException';

/**
 * The schemas of an AWS client, so that the bundler can leave out those of the commands that nobody sends: it must keep
 * an object with a computed key, for computing one may run code. These are constants, and are written out.
 */
function shakeable(path: string): string {
  const code = readFileSync(path, 'utf8');
  const names = new Map([...code.matchAll(/^const (_\w+) = ("[^"\n]*");$/gm)].map(([, name, text]) => [name, text]));
  const pure = code.replace(/\[(_\w+)\]:/g, (key, name: string) => (names.has(name) ? `${names.get(name)}:` : key));
  const lean = pure.replace(REGISTERED, (line, error) => (error === KEPT ? line : ''));
  if (lean === pure || pure === code)
    throw new Error(`${path} is not made as it used to be: infra/build/left-out.ts must follow`);
  return lean;
}

/** Packages read their own version, and would bring along the whole file that it stands in. */
function versionIn(path: string): string {
  const { name, version } = JSON.parse(readFileSync(path, 'utf8'));
  return JSON.stringify({ name, version });
}

/** Leaves out of a bundle what a function never calls. */
export const leavingOut = (root: string): Plugin => ({
  name: 'left-out',
  setup(build) {
    for (const { what, by } of LEFT_OUT) {
      build.onResolve({ filter: what }, ({ importer }) =>
        by.test(importer) ? { path: what.source, namespace: 'left-out', sideEffects: false } : undefined,
      );
    }
    build.onLoad({ filter: /^/, namespace: 'left-out' }, () => ({ contents: STUB, loader: 'js' }));
    build.onLoad({ filter: /@aws-sdk\/client-\w+\/dist-es\/schemas\/schemas_0\.js$/ }, ({ path }) => ({
      contents: shakeable(path),
    }));
    build.onLoad({ filter: /node_modules\/.*\/package\.json$/ }, ({ path }) => ({
      ...{ contents: versionIn(path), loader: 'json' },
    }));
    // Its index loads every model of the Kubernetes API, which cannot be shaken off.
    build.onResolve({ filter: /^@kubernetes\/client-node$/ }, () => ({
      path: join(root, 'node_modules', '@kubernetes', 'client-node', 'dist', 'config.js'),
    }));
  },
});
