import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

const VERSION = '1.58.0';
const PATIENCE = 300_000;

const Findings = z.array(
  z.object({
    Rule: z.object({ Id: z.string() }),
    Message: z.string(),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullable() }),
  }),
);

/** osls writes beside every reference that it depends on what it refers to: that is one thing said twice, and no mistake. */
const TOLERATED = new Set(['W3005']);

interface Linter {
  /** What is wrong with a template, a sentence each. */
  read(template: string): readonly string[];
}

/** cfn-lint of PyPI, kept outside the tree; or what is missing to have it. */
export function cfnLint(): Linter | { readonly missing: string } {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'gleaner', `cfn-lint-${VERSION}`);
  const bin = join(folder, 'bin', 'cfn-lint');
  if (!existsSync(join(folder, 'done'))) {
    const venv = spawnSync('python3', ['-m', 'venv', folder], { encoding: 'utf8', timeout: PATIENCE });
    if (venv.status !== 0) return { missing: 'Python 3 with venv (apt-get install python3-venv)' };
    const install = spawnSync(join(folder, 'bin', 'pip'), ['install', '-q', `cfn-lint==${VERSION}`], {
      ...{ encoding: 'utf8', timeout: PATIENCE },
    });
    if (install.status !== 0) return { missing: `cfn-lint ${VERSION} from PyPI (${install.stderr.slice(-200)})` };
    mkdirSync(join(folder, 'done'));
  }
  return {
    read(template) {
      const run = spawnSync(
        bin,
        ['--format', 'json', '--regions', 'eu-central-1', 'us-east-1', '--template', template],
        {
          ...{ encoding: 'utf8', timeout: PATIENCE, maxBuffer: 64 * 1024 * 1024 },
        },
      );
      return Findings.parse(JSON.parse(run.stdout))
        .filter(({ Rule }) => !TOLERATED.has(Rule.Id))
        .map(({ Rule, Message, Location }) => `${Rule.Id} ${Location.Path?.join('/')}: ${Message}`);
    },
  };
}
