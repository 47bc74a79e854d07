import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { create } from './create.ts';
import type { Request } from './requester.ts';
import { until } from './until.ts';

const fieldSchema = z.looseObject({ required: z.array(z.string()).optional() });

const crdSchema = z.looseObject({
  kind: z.literal('CustomResourceDefinition'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    group: z.string(),
    scope: z.enum(['Cluster', 'Namespaced']),
    names: z.looseObject({ plural: z.string(), kind: z.string() }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        served: z.boolean(),
        storage: z.boolean(),
        subresources: z.looseObject({ status: z.looseObject({}).optional() }).optional(),
        schema: z.looseObject({
          openAPIV3Schema: fieldSchema.extend({ properties: z.record(z.string(), fieldSchema).optional() }),
        }),
      }),
    ),
  }),
});

/** A custom resource definition, as far as the tests look into it. */
export type Crd = z.infer<typeof crdSchema>;

/** Files with definitions, and a JSON `List` whose definitions replace those of the same name. */
export interface CrdSource {
  readonly files?: readonly string[];
  /** Default: what `GLEANER_CRDS` names; an empty string means none. */
  readonly replacements?: string;
}

/**
 * Our definitions, or those of other files. `GLEANER_CRDS` (set by `npm run test:cluster -- --crds FILE`) names the list
 * that replaces ours, for trying the tests against those of upstream.
 */
export function readCrds({ files, replacements = process.env.GLEANER_CRDS }: CrdSource = {}): Crd[] {
  const paths = files ?? globSync(join(import.meta.dirname, '..', 'crds', '*.yaml')).sort();
  const ours = paths.flatMap((path) =>
    parseAllDocuments(readFileSync(path, 'utf8')).map((each) => crdSchema.parse(each.toJS())),
  );
  if (!replacements) return ours;
  const { items } = z.object({ items: z.array(crdSchema) }).parse(JSON.parse(readFileSync(replacements, 'utf8')));
  const theirs = new Map(items.map((crd) => [crd.metadata.name, crd]));
  return ours.map((crd) => theirs.get(crd.metadata.name) ?? crd);
}

/** Creates definitions and waits until every version is served. Gives their names. */
export async function installCrds(request: Request, source?: CrdSource): Promise<string[]> {
  const crds = readCrds(source);
  // Created, not applied: upstream's are larger than the annotation in which `kubectl apply` keeps a copy.
  await Promise.all(crds.map((crd) => create(request, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)));
  await Promise.all(crds.map((crd) => served(request, crd)));
  return crds.map(({ metadata }) => metadata.name);
}

async function served(request: Request, { metadata, spec }: Crd): Promise<void> {
  for (const version of spec.versions.filter((each) => each.served)) {
    const path = `/apis/${spec.group}/${version.name}/${spec.names.plural}?limit=1`;
    await until(`${metadata.name} is served`, async () => (await request('GET', path)).code === 200 || undefined);
  }
}
