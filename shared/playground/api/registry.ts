import * as z from 'zod';
import type { JsonObject } from '../../handler.ts';
import { reader } from '../json.ts';
import { builtIn, keyOf, type Resource } from './resource.ts';
import { Schema } from './schema.ts';
import type { ObjectStore } from './store.ts';

export const CRDS = 'apiextensions.k8s.io/customresourcedefinitions';

const readCrd = reader(
  z.object({
    spec: z.object({
      group: z.string(),
      scope: z.enum(['Cluster', 'Namespaced']),
      names: z.object({
        kind: z.string(),
        plural: z.string(),
        shortNames: z.array(z.string()).default([]),
      }),
      versions: z.array(
        z.object({
          name: z.string(),
          served: z.boolean(),
          storage: z.boolean(),
          subresources: z.object({ status: z.looseObject({}).nullish() }).nullish(),
          schema: z.object({ openAPIV3Schema: Schema }).nullish(),
        }),
      ),
    }),
  }),
);

/** What is served now: the built-in kinds, and those of the CustomResourceDefinitions that are in the store. */
export interface Registry {
  all(): readonly Resource[];
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Any served version of what an object is. */
  of(object: { readonly group: string; readonly kind: string }): Resource | undefined;
}

export function registry(store: ObjectStore): Registry {
  let readAt = -1;
  let served: readonly Resource[] = builtIn;
  const all = () => {
    if (readAt < store.changedAt(CRDS)) {
      readAt = store.changedAt(CRDS);
      served = [...builtIn, ...store.snapshot(CRDS).objects.flatMap(resourcesOf)];
    }
    return served;
  };
  return {
    all,
    find: (group, version, plural) =>
      all().find((each) => each.group === group && each.version === version && each.plural === plural),
    of: ({ group, kind }) => all().find((each) => each.group === group && each.kind === kind),
  };
}

/** The served versions of a definition. Throws a ZodError where it is none. */
export function resourcesOf(crd: JsonObject): readonly Resource[] {
  const { group, scope, names, versions } = readCrd(crd).spec;
  return versions
    .filter(({ served }) => served)
    .map(({ name, subresources, schema }) => ({
      group,
      version: name,
      ...names,
      namespaced: scope === 'Namespaced',
      status: Boolean(subresources?.status),
      generation: true,
      schema: schema?.openAPIV3Schema ?? {},
      unconditional: false,
    }));
}

/** The store's key of the resources that a definition defines. */
export const definedKey = (crd: JsonObject) =>
  keyOf({ group: readCrd(crd).spec.group, plural: readCrd(crd).spec.names.plural });
