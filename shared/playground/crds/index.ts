import type { JsonObject } from '../../handler.ts';
import { textAt } from '../json.ts';
import { harvester } from './harvester.ts';
import { network } from './network.ts';
import { provisioning } from './provisioning.ts';
import { rancher } from './rancher.ts';
import { virtualisation } from './virtualisation.ts';

/** Every definition that the playground knows. */
export const allCrds: readonly JsonObject[] = [
  ...harvester,
  ...network,
  ...virtualisation,
  ...rancher,
  ...provisioning,
];

const without = (groups: readonly string[]) =>
  allCrds.filter((crd) => !groups.includes(textAt(crd, 'spec', 'group') ?? ''));

/**
 * What each flavour serves. Harvester embeds a Rancher, so it serves Rancher's kinds too, except those that Rancher
 * makes only once a node driver is active.
 */
export const crdsOf: Readonly<Record<'harvester' | 'rancher', readonly JsonObject[]>> = {
  harvester: without(['rke-machine.cattle.io', 'rke-machine-config.cattle.io']),
  rancher: without([
    'harvesterhci.io',
    'management.harvesterhci.io',
    'loadbalancer.harvesterhci.io',
    'network.harvesterhci.io',
    'k8s.cni.cncf.io',
    'kubevirt.io',
    'longhorn.io',
  ]),
};
