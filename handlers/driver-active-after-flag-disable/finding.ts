import * as z from 'zod';
import { ObjectRef } from '../../shared/handler.ts';

/**
 * What Rancher does when the flag `harvester` is turned off. `ignores`: nothing, as was decided in 2021 (before
 * 2.11.0-alpha8). `panics`: it crashes where the bare-metal flag was never set (to 2.11.0-rc7). `follows`: it
 * deactivates the driver. `unknown`: the release cannot be read.
 */
export const Behaviour = z.enum(['ignores', 'panics', 'follows', 'unknown']);
export type Behaviour = z.infer<typeof Behaviour>;

/** What was found. Users are named by their cluster, so that machines may come and go without another finding. */
export const Finding = z.object({
  class: z.enum(['by-design', 'panic', 'not-synced', 'in-use', 'missing-crd']),
  driver: ObjectRef,
  flag: z.object({ feature: ObjectRef, is: z.enum(['off', 'off-by-default']) }),
  baremetal: z.object({
    feature: ObjectRef.nullable(),
    is: z.enum(['off', 'unset', 'on', 'locked-on', 'absent', 'unseen']),
  }),
  behaviour: Behaviour,
  /** `Cluster namespace/name` and what else uses the driver. */
  users: z.array(z.string()),
  /** Kinds of users that were not captured: nobody knows whether there are any. */
  unseen: z.array(z.string()),
  /** The definitions without which Rancher's webhook refuses every change of the driver. */
  missingCrds: z.array(z.string()),
  webhook: z.enum(['yes', 'no', 'unknown']),
  /** Whether Rancher tries to download the driver, and cannot. */
  airgap: z.boolean(),
});
export type Finding = z.infer<typeof Finding>;
