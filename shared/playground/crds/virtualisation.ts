import type { JsonObject } from '../../handler.ts';
import { definition, fields, flag, int64, mapOf, open, openConditions, text, textMap } from './definition.ts';

/** KubeVirt and Longhorn. */
export const virtualisation: readonly JsonObject[] = [
  definition({
    group: 'kubevirt.io',
    kind: 'KubeVirt',
    plural: 'kubevirts',
    namespaced: true,
    shortNames: ['kv', 'kvs'],
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields(
          {
            spec: fields({ infra: fields({ nodePlacement: open }, { open: true }) }, { open: true }),
            status: fields({ conditions: openConditions }, { open: true }),
          },
          { required: ['spec'] },
        ),
      },
      {
        name: 'v1alpha3',
        status: true,
        stored: false,
        schema: fields(
          {
            spec: fields({ infra: fields({ nodePlacement: open }, { open: true }) }, { open: true }),
            status: fields({ conditions: openConditions }, { open: true }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'kubevirt.io',
    kind: 'VirtualMachine',
    plural: 'virtualmachines',
    namespaced: true,
    shortNames: ['vm', 'vms'],
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields(
          {
            spec: fields(
              {
                running: flag,
                runStrategy: text,
                template: fields(
                  {
                    spec: fields(
                      { domain: fields({ devices: open }, { required: ['devices'], open: true }) },
                      { required: ['domain'], open: true },
                    ),
                  },
                  { open: true },
                ),
              },
              { required: ['template'], open: true },
            ),
            status: fields(
              {
                conditions: openConditions,
                created: flag,
                ready: flag,
                printableStatus: { ...text, default: 'Stopped' },
              },
              { open: true },
            ),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'kubevirt.io',
    kind: 'VirtualMachineInstance',
    plural: 'virtualmachineinstances',
    namespaced: true,
    shortNames: ['vmi', 'vmis'],
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields(
          {
            spec: fields(
              { domain: fields({ devices: open }, { required: ['devices'], open: true }) },
              { required: ['domain'], open: true },
            ),
            status: fields({ conditions: openConditions, phase: text, nodeName: text }, { open: true }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'kubevirt.io',
    kind: 'VirtualMachineInstanceMigration',
    plural: 'virtualmachineinstancemigrations',
    namespaced: true,
    shortNames: ['vmim'],
    versions: [
      {
        name: 'v1',
        status: true,
        schema: fields(
          {
            spec: fields({ vmiName: text }, { open: true }),
            status: fields({ conditions: openConditions, phase: text }, { open: true }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'Volume',
    plural: 'volumes',
    namespaced: true,
    shortNames: ['lhv'],
    versions: [{ name: 'v1beta2', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'Replica',
    plural: 'replicas',
    namespaced: true,
    shortNames: ['lhr'],
    versions: [{ name: 'v1beta2', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'Engine',
    plural: 'engines',
    namespaced: true,
    shortNames: ['lhe'],
    versions: [{ name: 'v1beta2', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'InstanceManager',
    plural: 'instancemanagers',
    namespaced: true,
    shortNames: ['lhim'],
    versions: [{ name: 'v1beta2', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'Node',
    plural: 'nodes',
    namespaced: true,
    shortNames: ['lhn'],
    versions: [{ name: 'v1beta2', status: true, schema: fields({ spec: open, status: open }) }],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'VolumeAttachment',
    plural: 'volumeattachments',
    namespaced: true,
    shortNames: ['lhva'],
    versions: [
      {
        name: 'v1beta2',
        status: true,
        schema: fields({
          spec: fields(
            {
              volume: text,
              attachmentTickets: mapOf(
                fields({ id: text, type: text, nodeID: text, generation: int64, parameters: textMap }),
              ),
            },
            { required: ['volume'] },
          ),
          status: open,
        }),
      },
    ],
  }),
  definition({
    group: 'longhorn.io',
    kind: 'Setting',
    plural: 'settings',
    namespaced: true,
    shortNames: ['lhs'],
    versions: [
      {
        name: 'v1beta2',
        status: true,
        schema: fields(
          { value: text, status: fields({ applied: flag }, { required: ['applied'] }) },
          { required: ['value'] },
        ),
      },
    ],
  }),
];
