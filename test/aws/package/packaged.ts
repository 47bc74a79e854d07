import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as z from 'zod';

const root = join(import.meta.dirname, '..', '..', '..');
const out = join(root, 'dist', 'aws');

const Properties = z.record(z.string(), z.json());
export type Properties = z.infer<typeof Properties>;
const Resource = z.object({
  Type: z.string(),
  Properties: Properties.default({}),
  DeletionPolicy: z.string().optional(),
});
type Resource = z.infer<typeof Resource>;
const Template = z.object({ Resources: z.record(z.string(), Resource), Outputs: z.record(z.string(), z.json()) });

/** Everything that `npm run package` made. */
export interface Packaged {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: readonly string[];
  readonly templateFile: string;
  readonly metafiles: ReadonlyMap<string, Metafile>;
  /** The bundle of a function, all its files together. */
  bundle(name: string): string;
  /** SHA-256 of each archive by its function. */
  readonly archives: Readonly<Record<string, string>>;
}

/** Runs the whole of `npm run package`, without any AWS credentials. */
export function packaged(): Packaged {
  const run = spawnSync(process.execPath, [join(root, 'infra', 'build', 'serverless.ts')], {
    ...{ cwd: root, encoding: 'utf8', timeout: 180_000 },
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  if (run.status !== 0) throw new Error(`npm run package ended with ${run.status}: ${run.stdout}${run.stderr}`);
  const templateFile = join(out, 'stack', 'cloudformation-template-update-stack.json');
  const { Resources, Outputs } = Template.parse(JSON.parse(readFileSync(templateFile, 'utf8')));
  const functions = join(out, 'functions');
  const names = globSync('*.meta.json', { cwd: functions }).map((file) => basename(file, '.meta.json'));
  return {
    ...{ templateFile, resources: Resources, outputs: Object.keys(Outputs) },
    metafiles: new Map(
      names.map((name) => [name, JSON.parse(readFileSync(join(functions, `${name}.meta.json`), 'utf8'))]),
    ),
    bundle: (name) =>
      globSync(`${name}/**/*.mjs`, { cwd: functions })
        .map((file) => readFileSync(join(functions, file), 'utf8'))
        .join('\n'),
    archives: Object.fromEntries(names.map((name) => [name, digestOf(join(out, 'stack', `${name}.zip`))])),
  };
}

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The resources of one type, by their logical ids. */
export const ofType = ({ resources }: Packaged, type: string): readonly (readonly [id: string, of: Properties])[] =>
  Object.entries(resources).flatMap(([id, { Type, Properties: of }]) => (Type === type ? [[id, of] as const] : []));

/** The logical id in a `Ref` or a `GetAtt`; undefined where it is neither. */
export function idIn(value: unknown): string | undefined {
  const found = z
    .union([
      z.object({ Ref: z.string() }).transform(({ Ref }) => Ref),
      z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }).transform((get) => get['Fn::GetAtt'][0]),
    ])
    .safeParse(value);
  return found.data;
}
