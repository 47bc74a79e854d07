import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type JsonObject, JsonValue } from '../handler.ts';
import { resourcesOf } from './api/registry.ts';
import { allCrds } from './crds/index.ts';
import { isObject, textAt } from './json.ts';

const folder = join(import.meta.dirname, '..', '..', 'test', 'cluster', 'crds');
const files = globSync('*.yaml', { cwd: folder }).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((each) => JsonValue.parse(each.toJS())),
);
const byName = (crds: readonly JsonObject[]) =>
  Object.fromEntries(crds.map((crd) => [textAt(crd, 'metadata', 'name'), crd]));

it('the playground defines each custom resource as the real control plane of the tests does', () => {
  expect(byName(allCrds)).toEqual(byName(files.filter(isObject)));
});

it('an address pool of load balancers has no status subresource, one of VM networks has', () => {
  const status = allCrds
    .flatMap(resourcesOf)
    .filter(({ kind }) => kind === 'IPPool')
    .map(({ group, status }) => [group, status]);

  expect(Object.fromEntries(status)).toEqual({
    'loadbalancer.harvesterhci.io': false,
    'network.harvesterhci.io': true,
  });
});
