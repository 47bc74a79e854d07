import { type Config, namesOf, personOf, policyFor } from '../config.ts';
import type { Rules } from '../flow/world.ts';

/** The configuration in force as rules. `nameOf` turns a cluster's id into the name that gleaner.yaml uses. */
export const rulesOf = (current: () => Config, nameOf: (cluster: string) => string): Rules => ({
  policy: (of) => policyFor(current(), { ...of, cluster: nameOf(of.cluster) }),
  person: (principal) => personOf(current(), principal),
  names: (principal) => namesOf(current(), principal),
  text() {
    const { policy, people } = current();
    return JSON.stringify({ policy, people });
  },
});
