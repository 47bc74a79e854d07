/**
 * What Rancher makes of the driver's fields, and deletes with every object in it when the driver is deactivated
 * (rancher pkg/controllers/capr/dynamicschema; rancher #41128).
 */
export const CRDS: readonly string[] = [
  'harvesterconfigs.rke-machine-config.cattle.io',
  'harvestermachines.rke-machine.cattle.io',
  'harvestermachinetemplates.rke-machine.cattle.io',
];

/** The fields that an active driver adds to Rancher's forms, with the DynamicSchema that holds each. */
export const FORMS: readonly { readonly schema: string; readonly field: string }[] = [
  { schema: 'nodeconfig', field: 'harvesterConfig' },
  { schema: 'nodetemplateconfig', field: 'harvesterConfig' },
  { schema: 'credentialconfig', field: 'harvestercredentialConfig' },
];
