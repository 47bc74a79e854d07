import type { Config } from './config-schema.ts';
import type { Principal } from './model.ts';

/** Every principal of the person behind one of them. */
export const namesOf = ({ people }: Pick<Config, 'people'>, principal: Principal): readonly Principal[] =>
  Object.values(people).find((principals) => principals.includes(principal)) ?? [principal];

/** The person behind a principal; a principal that nobody claims is a person of its own. */
export function personOf({ people }: Pick<Config, 'people'>, principal: Principal): string {
  return Object.entries(people).find(([, principals]) => principals.includes(principal))?.[0] ?? principal;
}
