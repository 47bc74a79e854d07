import { type Config, namesOf, personOf, policyFor } from '../config.ts';
import type { Rules } from '../flow/world.ts';

/** A configuration as rules. `nameOf` turns a cluster's id into the name that gleaner.yaml uses. */
export const rulesOf = (config: Config, nameOf: (cluster: string) => string): Rules => ({
  policy: (of) => policyFor(config, { ...of, cluster: nameOf(of.cluster) }),
  person: (principal) => personOf(config, principal),
  names: (principal) => namesOf(config, principal),
  text: () => JSON.stringify({ policy: config.policy, people: config.people }),
});
