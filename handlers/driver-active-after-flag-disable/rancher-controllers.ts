import type { Actor, Hands } from '../../shared/drill.ts';
import type { JsonObject, ObjectRef } from '../../shared/handler.ts';
import { RancherSetting } from '../../shared/kinds.ts';
import { isBefore } from '../../shared/versions.ts';
import { CRDS, FORMS } from './belongings.ts';
import { BAREMETAL, effective, HARVESTER } from './flags.ts';
import { DynamicSchema, Feature, NodeDriver } from './kinds.ts';

const { apiVersion } = Feature;
const featureRef = (name: string): ObjectRef => ({ apiVersion, kind: Feature.kind, name });
const driverRef: ObjectRef = { apiVersion, kind: NodeDriver.kind, name: 'harvester' };
const schemaRef = (name: string): ObjectRef => ({ apiVersion, kind: DynamicSchema.kind, name });
const crdRef = (name: string): ObjectRef => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name,
});

async function feature(hands: Hands, name: string): Promise<Feature | undefined> {
  const object = await hands.get(featureRef(name));
  return object && Feature.schema.parse(object);
}

async function driver(hands: Hands): Promise<NodeDriver | undefined> {
  const object = await hands.get(driverRef);
  return object && NodeDriver.schema.parse(object);
}

/**
 * Plays Rancher's feature handler (pkg/controllers/management/feature/feature_handler.go) of the release that the
 * setting server-version names: before 2.11.0-alpha8 a flag that is turned off changes nothing; from there on the
 * driver follows it, and up to rc7 not where the bare-metal flag has no value, on which the handler panics.
 */
export const featureHandler: Actor = {
  name: "Rancher's feature handler",
  plays: 'rancher/rancher pkg/controllers/management/feature/feature_handler.go, by the release of server-version',
  async act(hands) {
    const [harvester, baremetal] = [await feature(hands, HARVESTER), await feature(hands, BAREMETAL)];
    const active = (await driver(hands))?.spec.active;
    if (!harvester || active === undefined) return;
    if (effective(baremetal) === true && effective(harvester) === false) {
      await hands.merge(featureRef(HARVESTER), { spec: { value: true } });
      return;
    }
    if (effective(harvester) === true) {
      if (!active) await hands.merge(driverRef, { spec: { active: true } });
      return;
    }
    const release = await hands.get({ apiVersion, kind: RancherSetting.kind, name: 'server-version' });
    const version = release && RancherSetting.schema.parse(release).value;
    if (isBefore(version, '2.11.0-alpha8') !== false) return;
    // Without a value of the flag itself the handler returns early.
    if (harvester.spec?.value === undefined) return;
    if (baremetal?.spec?.value === undefined && isBefore(version, '2.11.0-rc8') === true) return;
    if (active) await hands.merge(driverRef, { spec: { active: false } });
  },
};

/**
 * Plays what follows a driver's state (pkg/controllers/management/drivers/nodedriver, pkg/controllers/capr/dynamicschema):
 * an inactive driver leaves the forms, and its three definitions are deleted with every object in them; an active one
 * brings all of it back, empty. Both conditions are True at any time.
 */
export const driverController: Actor = {
  name: "Rancher's node-driver and dynamic-schema controllers",
  plays: 'rancher/rancher pkg/controllers/management/drivers/nodedriver, pkg/controllers/capr/dynamicschema OnChange',
  async act(hands) {
    const active = (await driver(hands))?.spec.active;
    if (active === undefined) return;
    for (const { schema: name, field } of FORMS) {
      const object = await hands.get(schemaRef(name));
      if (!object) continue;
      const has = DynamicSchema.schema.parse(object).spec?.resourceFields.includes(field) === true;
      const value = active ? { type: field.toLowerCase(), nullable: true, create: true, update: true } : null;
      if (has !== active) await hands.merge(schemaRef(name), { spec: { resourceFields: { [field]: value } } });
    }
    for (const definition of definitions) {
      const ref = crdRef(String(Object(definition.metadata).name));
      const isThere = (await hands.get(ref)) !== undefined;
      if (active && !isThere) await hands.create(definition);
      if (!active && isThere) await hands.remove(ref);
    }
  },
};

/** The definitions that Rancher makes of the driver's fields. */
export const definitions: readonly JsonObject[] = CRDS.map((name): JsonObject => {
  const [plural = '', ...group] = name.split('.');
  const kind =
    { harvesterconfigs: 'HarvesterConfig', harvestermachines: 'HarvesterMachine' }[plural] ??
    'HarvesterMachineTemplate';
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: group.join('.'),
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          ...(kind === 'HarvesterMachine' && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: open },
        },
      ],
    },
  };
});
