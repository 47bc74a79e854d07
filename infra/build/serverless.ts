import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sizesOf } from './bundle-size.ts';
import { bundleFunctions } from './functions.ts';

/**
 * `npm run package`: everything that is deployed on AWS, made offline and the same each time: the functions' bundles, their
 * archives, and the CloudFormation template in `dist/aws/stack`. `-- --stage prod --region eu-central-1` is for osls.
 */
const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist', 'aws');

rmSync(dist, { recursive: true, force: true });
const metafiles = await bundleFunctions(join(dist, 'functions'));
for (const [name, metafile] of metafiles) {
  const { atStart, inAll } = sizesOf(metafile);
  console.log(`${name.padEnd(10)} ${kib(atStart)} KiB at its start, ${kib(inAll)} KiB in all`);
}

const osls = join(root, 'node_modules', '.bin', 'osls');
const { status } = spawnSync(
  process.execPath,
  [osls, 'package', '--package', join('dist', 'aws', 'stack'), ...process.argv.slice(2)],
  {
    ...{ cwd: root, stdio: 'inherit' },
    // Nothing is asked of AWS and nothing is told to anybody.
    env: {
      ...process.env,
      SLS_TELEMETRY_DISABLED: '1',
      SLS_NOTIFICATIONS_MODE: 'off',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
  },
);
process.exitCode = status ?? 1;

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)}`.padStart(5);
}
