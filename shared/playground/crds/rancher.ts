import type { JsonObject } from '../../handler.ts';
import { definition, fields, flag, int64, listOf, open, text, textMap, texts, time } from './definition.ts';

/** Rancher's own kinds, its extensions and Fleet's. */
export const rancher: readonly JsonObject[] = [
  definition({
    group: 'management.cattle.io',
    kind: 'Feature',
    plural: 'features',
    versions: [
      {
        name: 'v3',
        schema: fields({
          spec: fields({ value: { ...flag, nullable: true } }),
          status: fields({ default: flag, dynamic: flag, description: text, lockedValue: { ...flag, nullable: true } }),
        }),
      },
    ],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'NodeDriver',
    plural: 'nodedrivers',
    versions: [
      {
        name: 'v3',
        schema: fields(
          {
            spec: fields(
              {
                active: flag,
                addCloudCredential: flag,
                builtin: flag,
                checksum: text,
                description: text,
                displayName: text,
                externalId: text,
                uiUrl: text,
                url: text,
                whitelistDomains: texts,
              },
              { required: ['active', 'url'] },
            ),
            status: fields({
              appliedChecksum: text,
              appliedDockerMachineVersion: text,
              appliedURL: text,
              conditions: listOf(
                fields(
                  {
                    type: text,
                    status: { ...text, enum: ['True', 'False', 'Unknown'] },
                    reason: text,
                    message: text,
                    lastUpdateTime: time,
                    lastTransitionTime: time,
                  },
                  { required: ['type', 'status'] },
                ),
              ),
            }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'Setting',
    plural: 'settings',
    versions: [
      {
        name: 'v3',
        schema: fields({ value: text, default: text, source: text, customized: flag }, { required: ['value'] }),
      },
    ],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'DynamicSchema',
    plural: 'dynamicschemas',
    versions: [{ name: 'v3', schema: fields({ spec: open, status: open }, { required: ['spec'] }) }],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'ManagedChart',
    plural: 'managedcharts',
    namespaced: true,
    versions: [{ name: 'v3', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'Node',
    plural: 'nodes',
    namespaced: true,
    versions: [{ name: 'v3', schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'NodeTemplate',
    plural: 'nodetemplates',
    namespaced: true,
    versions: [{ name: 'v3', schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'management.cattle.io',
    kind: 'Cluster',
    plural: 'clusters',
    versions: [{ name: 'v3', schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'catalog.cattle.io',
    kind: 'UIPlugin',
    plural: 'uiplugins',
    namespaced: true,
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields(
          {
            spec: fields({
              plugin: fields({
                name: text,
                version: text,
                endpoint: text,
                compressedEndpoint: text,
                noAuth: flag,
                noCache: flag,
                metadata: textMap,
              }),
            }),
            status: fields({ observedGeneration: int64 }, { required: ['observedGeneration'], open: true }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'fleet.cattle.io',
    kind: 'Bundle',
    plural: 'bundles',
    namespaced: true,
    versions: [{ name: 'v1alpha1', status: true, schema: fields({ spec: open, status: open }) }],
  }),
];
