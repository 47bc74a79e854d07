import * as z from 'zod';
import { conditions } from './conditions.ts';
import { kind, type Of, optional } from './objects.ts';

/** Harvester's upgrade; the live one has the label `harvesterhci.io/latestUpgrade=true`. It has no status subresource. */
export const Upgrade = kind(
  { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Upgrade', plural: 'upgrades', namespaced: true },
  {
    spec: optional(z.object({ version: optional(z.string()) })),
    status: optional(
      z.object({
        previousVersion: optional(z.string()),
        conditions,
        nodeStatuses: optional(
          z.record(
            z.string(),
            z.object({ state: optional(z.string()), reason: optional(z.string()), message: optional(z.string()) }),
          ),
        ),
      }),
    ),
  },
);
export type Upgrade = Of<typeof Upgrade>;

/** A Harvester setting: `value` and `default` stand at the top level. */
export const Setting = kind(
  { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', plural: 'settings', namespaced: false },
  { value: optional(z.string()), default: optional(z.string()) },
);
export type Setting = Of<typeof Setting>;

/** A setting of Rancher: `server-version` tells its release. */
export const RancherSetting = kind(
  { apiVersion: 'management.cattle.io/v3', kind: 'Setting', plural: 'settings', namespaced: false },
  { value: optional(z.string()), default: optional(z.string()) },
);
