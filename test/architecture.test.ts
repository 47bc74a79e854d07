import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Every TypeScript file of the project that is not a test. A file that no rule names is an error. */
const files = globSync('**/*.ts', { cwd: root, exclude: ['node_modules/**', 'dist/**'] })
  .filter((file) => !file.endsWith('.test.ts'))
  .sort();

const CONTRACT = ['shared/handler.ts', 'shared/kinds.ts', 'shared/versions.ts', 'shared/drill.ts'];
const VOCABULARY = [
  ...CONTRACT,
  'shared/conditions.ts',
  'shared/harvester-kinds.ts',
  'shared/duration.ts',
  'shared/objects.ts',
  'shared/plan.ts',
  'shared/model.ts',
  'shared/proposal.ts',
  'shared/records.ts',
  'shared/examine.ts',
  'shared/trust.ts',
];
const PORTS = 'shared/ports/';
/** What reads gleaner.yaml, and nothing else does but through `config.ts`. */
const CONFIG = ['shared/config-schema.ts', 'shared/contradictions.ts', 'shared/people.ts'];
/** What people are shown of a record, wherever they read it. */
const CARD = ['shared/card.ts', 'shared/kubectl.ts'];
const VENDORS: Readonly<Record<string, readonly string[]>> = {
  bundle: ['yaml', 'yauzl'],
  dynamodb: ['@aws-sdk/client-dynamodb'],
  eventbridge: ['@aws-sdk/client-eventbridge'],
  kubernetes: ['@kubernetes/client-node', 'rfc6902', 'yaml'],
  kms: ['@aws-sdk/client-kms'],
  slack: ['@slack/bolt', '@slack/types', '@slack/web-api'],
  sqs: ['@aws-sdk/client-sqs'],
  ssm: ['@aws-sdk/client-ssm'],
  sts: ['@aws-sdk/client-sts'],
};

interface Rule {
  readonly who: RegExp;
  /** Path prefixes of the project. */
  readonly own: (file: string) => readonly string[];
  readonly packages: (file: string) => readonly string[];
  /** Node's built-in modules: all, or those named. */
  readonly node: boolean | readonly string[];
}

const folderOf = (file: string, depth: number) => `${file.split('/').slice(0, depth).join('/')}/`;
const shell: Pick<Rule, 'packages' | 'node'> = {
  packages: () => ['zod', 'hono', '@hono/node-server', 'commander', 'yaml', 'pino', 'prom-client', 'rfc6902'],
  node: true,
};

/** DESIGN: who may import what. The first rule that matches a file holds. */
const rules: readonly Rule[] = [
  { who: /^handlers\/(index|drills)\.ts$/, own: () => ['handlers/', ...CONTRACT], packages: () => [], node: false },
  {
    who: /^handlers\/[^/]+\//,
    own: (file) => [folderOf(file, 2), ...CONTRACT],
    packages: () => ['zod', 'ip-address'],
    node: false,
  },
  {
    who: /^shared\/[^/]+\.ts$/,
    own: () => [...VOCABULARY, ...CARD, ...CONFIG, 'shared/audit.ts', 'shared/ports/store.ts'],
    packages: () => ['zod', 'yaml'],
    node: ['node:crypto', 'node:fs', 'node:path'],
  },
  { who: /^shared\/ports\//, own: () => [...VOCABULARY, ...CARD, PORTS], packages: () => ['zod'], node: false },
  {
    who: /^shared\/flow\//,
    own: () => [...VOCABULARY, PORTS, 'shared/audit.ts', 'shared/flow/'],
    packages: () => ['rfc6902'],
    node: ['node:crypto'],
  },
  {
    who: /^shared\/adapters\//,
    own: (file) => [
      ...VOCABULARY,
      PORTS,
      ...CARD,
      'shared/audit.ts',
      folderOf(file, 3),
      // The reader of files is a still life of what it read; the bus and the store share one database.
      ...(file.startsWith('shared/adapters/bundle/') ? ['shared/adapters/stilllife/'] : []),
      ...(file.startsWith('shared/adapters/inprocess/') ? ['shared/adapters/sqlite/'] : []),
      // A delay goes past EventBridge, straight to the queue.
      ...(file.startsWith('shared/adapters/eventbridge/') ? ['shared/adapters/sqs/'] : []),
    ],
    packages: (file) => ['zod', ...(VENDORS[file.split('/')[2] ?? ''] ?? [])],
    node: true,
  },
  { who: /^shared\/worlds\//, own: () => ['shared/', 'handlers/index.ts', 'handlers/drills.ts'], ...shell },
  {
    who: /^shared\/(runtime|web|cli|playground)\//,
    own: (file) => [
      ...VOCABULARY,
      PORTS,
      ...CARD,
      'shared/audit.ts',
      'shared/config.ts',
      'shared/flow/routes.ts',
      'shared/flow/world.ts',
      folderOf(file, 2),
      // The HTTP application serves the page.
      ...(file === 'shared/runtime/http.ts' ? ['shared/web/'] : []),
    ],
    ...shell,
  },
  {
    who: /^functions\//,
    own: () => ['functions/', 'shared/flow/', 'shared/runtime/', 'shared/cli/', 'shared/worlds/'],
    packages: () => [],
    node: true,
  },
  { who: /^(test|infra)\//, own: () => [''], packages: () => ['*'], node: true },
  { who: /^vitest\.config\.ts$/, own: () => [], packages: () => ['vitest'], node: true },
];

/** What a file imports, types included. Every `from` and `import(` of the code must have been understood. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = [
    ...code.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^;'"`]*?\bfrom\s+'([^']+)'|\bimport\s*\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ];
  const dynamic = [...code.matchAll(/\bimport\s*\(/g)].length;
  const understood = found.filter(([, , name]) => name !== undefined).length;
  if (dynamic !== understood && !file.startsWith('test/') && !file.startsWith('infra/')) {
    throw new Error(`${file} imports something whose name is not a plain string`);
  }
  return found.map(([, a, b, c]) => a ?? b ?? c ?? '');
}

function trespass(file: string, name: string, rule: Rule): boolean {
  if (name.startsWith('.')) {
    const target = normalize(join(dirname(file), name));
    return !rule.own(file).some((prefix) => target.startsWith(prefix));
  }
  const bare = name.replace(/^node:/, '');
  if (name.startsWith('node:') || builtinModules.includes(bare)) {
    return rule.node === false || (Array.isArray(rule.node) && !rule.node.includes(name));
  }
  const vendor = name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
  const allowed = rule.packages(file);
  return !allowed.includes('*') && !allowed.includes(vendor);
}

describe('The import rules', () => {
  it('name every file', () => {
    const nameless = files.filter((file) => !rules.some(({ who }) => who.test(file)));

    expect(nameless).toEqual([]);
  });

  it('hold for every import', () => {
    const broken = files.flatMap((file) => {
      const rule = rules.find(({ who }) => who.test(file));
      return rule
        ? importsOf(file)
            .filter((name) => trespass(file, name, rule))
            .map((name) => `${file} imports ${name}`)
        : [];
    });

    expect(broken).toEqual([]);
  });

  it('lead only to files that are there', () => {
    const lost = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.') && !existsSync(join(root, dirname(file), name)))
        .map((name) => `${file} imports ${name}`),
    );

    expect(lost).toEqual([]);
  });
});

/** Lines of code that match, as `file: line`, comments left out. */
function linesWith(pattern: RegExp, where: (file: string) => boolean): string[] {
  return files.filter(where).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

const isProduct = (file: string) => /^(functions|handlers|shared)\//.test(file);

describe('The walls', () => {
  it('keep the environment inside the configuration and the mains', () => {
    const outside = linesWith(
      /\bprocess\.env\b/,
      (file) => isProduct(file) && file !== 'shared/config.ts' && !file.startsWith('functions/'),
    );

    expect(outside).toEqual([]);
  });

  it("keep the machine's clock inside the clock adapter", () => {
    const clock = /\bDate\.now\b|\bnew Date\(\)|\bsetTimeout\b|\bsetInterval\b|\bperformance\.now\b/;
    const outside = linesWith(
      clock,
      (file) =>
        // The page's script runs in the viewer's browser.
        isProduct(file) && !file.startsWith('shared/adapters/clock/') && file !== 'shared/web/live.ts',
    );

    expect(outside).toEqual([]);
  });

  it('keep every touch of a cluster inside one short file', () => {
    const outside = linesWith(/\.touch\(/, (file) => isProduct(file) && file !== 'shared/flow/touch.ts');

    expect(outside).toEqual([]);
    expect(readFileSync(join(root, 'shared/flow/touch.ts'), 'utf8').split('\n').length).toBeLessThan(251);
  });

  it('keep unchecked casts inside the file for trust boundaries', () => {
    const cast = /\bas (?!const\b)[A-Za-z{(]|<an[y]>|\bany\b(?=[\],;>)])/;
    const outside = linesWith(cast, (file) => isProduct(file) && file !== 'shared/trust.ts').filter(
      (line) => !/(import|export) .*\bas\b|\* as |['"`].*\bas\b.*['"`]/.test(line),
    );

    expect(outside).toEqual([]);
  });

  it("keep the failure modes' names out of the core", () => {
    const ids = globSync('handlers/*/handler.ts', { cwd: root })
      .map((file) => file.split('/')[1] ?? '')
      .filter((id) => id !== '_template');
    const named = linesWith(new RegExp(ids.join('|') || 'none yet'), (file) => file.startsWith('shared/'));

    expect(named).toEqual([]);
  });

  it('keep every file short', () => {
    const long = files
      .filter(isProduct)
      .filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 251);

    expect(long).toEqual([]);
  });
});

describe('The tree', () => {
  it('has no other top level than the one that is fixed', () => {
    const allowed = new Set([
      ...['functions', 'handlers', 'infra', 'shared', 'test', 'docs', '.ci'],
      ...[
        'package.json',
        'package-lock.json',
        'tsconfig.json',
        'serverless.yml',
        'README.md',
        'LICENSE',
        'CONTRIBUTING.md',
      ],
      ...['SECURITY.md', 'CHANGELOG.md', 'biome.json', 'knip.json', 'vitest.config.ts', '.gitignore', '.npmrc'],
    ]);
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
    const top = new Set(tracked.map((file) => file.split('/')[0] ?? ''));

    expect([...top].filter((name) => !allowed.has(name))).toEqual([]);
  });
});
