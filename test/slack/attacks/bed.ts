import type { Policy, Rules, World } from '../../../shared/flow/world.ts';
import type { Click, From, Outgoing, Principal } from '../../../shared/model.ts';
import type { Directory, Says } from '../../../shared/ports/directory.ts';
import { HOPS } from '../../../shared/worlds/hops.ts';
import type { Painted } from '../../simulator/paint.ts';

export const YES: Says = { is: 'yes' };
export const NO = (because: string): Says => ({ is: 'no', because });
export const DOWN: Says = { is: 'unreadable', because: 'Slack does not answer' };

/** A directory whose answers a test changes; who is not named is a member. */
export function directoryOf(members: Record<string, Says>, groups: Record<string, readonly string[]> = {}): Directory {
  const directory: Directory = {
    isMember: async (who: Principal, _from?: From) => members[who] ?? YES,
    belongs: async (who, group) => (groups[group]?.includes(who) ? YES : NO(`${who} is not in ${group}`)),
    fresh: () => directory,
  };
  return directory;
}

/** Rules that a test makes from the policy of each mode. */
export const rulesOf = (world: Painted, policy: (mode: string) => Policy): Rules => ({
  ...world.world.rules,
  policy: ({ mode }) => policy(mode),
});

/** What one hop makes of one click, in a world that differs a little from the one that a test drives. */
export const decided = (
  { world, now }: Painted,
  click: Partial<Click> & Pick<Click, 'choice'>,
  otherwise: Partial<World> = {},
): Promise<readonly Outgoing[]> =>
  HOPS.decide(
    { ...world, ...otherwise },
    {
      ...{ event: 'clicked', id: 'e1', at: now().toISOString() },
      click: { id: 'c1', who: 'local:ann', ...click },
    },
  );

/** What clickers were told. */
export const said = (outgoing: readonly Outgoing[]): string[] =>
  outgoing.flatMap(({ fact }) => ('click' in fact && 'because' in fact ? [`${fact.event}: ${fact.because}`] : []));
export const saidIn = ({ facts }: Painted): string[] => said(facts.map((fact) => ({ fact })));

/** An approval of the open proposal's plan at the revision that stands there. */
export async function approval(
  world: Painted,
  proposal: string,
  who: Principal,
): Promise<Partial<Click> & Pick<Click, 'choice'>> {
  const revision = (await world.store.get('proposal', proposal))?.item.revision ?? '';
  return { choice: 'approve', proposal, plan: 'mend', revision, who };
}
