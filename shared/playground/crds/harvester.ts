import type { JsonObject } from '../../handler.ts';
import { conditions, definition, fields, flag, mapOf, open, text } from './definition.ts';

/** Harvester's own kinds, and the record of RKE2's manifests. */
export const harvester: readonly JsonObject[] = [
  definition({
    group: 'harvesterhci.io',
    kind: 'Upgrade',
    plural: 'upgrades',
    namespaced: true,
    versions: [
      {
        name: 'v1beta1',
        schema: fields(
          {
            spec: fields({ version: text, image: text, upgradeImage: text, logEnabled: { ...flag, default: true } }),
            status: fields({
              previousVersion: text,
              imageID: text,
              repoInfo: text,
              singleNode: text,
              upgradeLog: text,
              nodeStatuses: mapOf(fields({ state: text, reason: text, message: text })),
              conditions,
            }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'harvesterhci.io',
    kind: 'Setting',
    plural: 'settings',
    versions: [
      {
        name: 'v1beta1',
        schema: fields({ value: text, default: text, source: text, customized: flag, status: fields({ conditions }) }),
      },
    ],
  }),
  definition({
    group: 'harvesterhci.io',
    kind: 'VirtualMachineBackup',
    plural: 'virtualmachinebackups',
    namespaced: true,
    shortNames: ['vmbackup', 'vmbackups'],
    versions: [
      {
        name: 'v1beta1',
        schema: fields({
          spec: fields(
            {
              source: fields({ apiGroup: text, kind: text, name: text }, { required: ['kind', 'name'] }),
              type: { ...{ ...text, enum: ['backup', 'snapshot'] }, default: 'backup' },
            },
            { required: ['source'] },
          ),
          status: open,
        }),
      },
    ],
  }),
  definition({
    group: 'harvesterhci.io',
    kind: 'Addon',
    plural: 'addons',
    namespaced: true,
    versions: [
      {
        name: 'v1beta1',
        status: true,
        schema: fields(
          {
            spec: fields(
              { chart: text, enabled: flag, repo: text, valuesContent: text, version: text },
              { required: ['chart', 'enabled', 'repo', 'valuesContent', 'version'] },
            ),
            status: fields({ status: text, conditions }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'management.harvesterhci.io',
    kind: 'UpgradePlan',
    plural: 'upgradeplans',
    versions: [{ name: 'v1beta1', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'k3s.cattle.io',
    kind: 'Addon',
    plural: 'addons',
    namespaced: true,
    versions: [{ name: 'v1', schema: fields({ spec: fields({ source: text, checksum: text }) }) }],
  }),
];
