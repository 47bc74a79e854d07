import type { World } from '../flow/world.ts';
import { inWords } from '../handler.ts';
import type { FoundCard, Register } from '../ports/api.ts';
import { draw } from './desk.ts';
import { recentProposals } from './recent.ts';

/** Fewer characters would soon mean several incidents. */
const SHORTEST = 4;
/** How many ids are offered. */
const OFFERED = 5;

/** What the page and the API read of the records of one world. `trouble`: what else is wrong, in words. */
export function register(world: World, trouble: () => string | undefined = () => undefined): Register {
  return {
    async silences() {
      const now = world.clock.now().toISOString();
      const all = (await world.store.list('silence')).map(({ item }) => item);
      return all.filter(({ until }) => until > now).sort((a, b) => (a.until < b.until ? -1 : 1));
    },
    async troubles() {
      const now = world.clock.now().getTime();
      const lanes = (await world.store.list('lane')).map(({ item }) => item);
      const other = trouble();
      const silent = lanes
        .filter(({ isUnheard }) => isUnheard)
        .map(({ id, failingSince, because }) => {
          const ago = failingSince === undefined ? '' : ` for ${inWords(now - Date.parse(failingSince))}`;
          return `Nothing gets through to the channel ${id}${ago}: ${because ?? 'Slack does not answer'}. Decide here meanwhile.`;
        });
      return [...(other === undefined ? [] : [other]), ...silent];
    },
    find: (text) => find(world, text),
  };
}

async function find(world: World, text: string): Promise<FoundCard> {
  const current = (await world.store.get('incident', text))?.item.proposal;
  const exact = await world.store.get('proposal', current ?? text);
  if (exact) return { is: 'one', card: draw(world, exact.item) };
  const proposals = text.length < SHORTEST ? [] : await recentProposals(world.store, world.clock.now());
  const meant = proposals.filter(({ id, incident }) => incident.startsWith(text) || id.startsWith(text));
  const [only, ...others] = meant;
  if (only && others.length > 0) {
    const candidates = meant.map(({ incident }) => incident).slice(0, OFFERED);
    return { is: 'several', because: `${text} begins several ids: ${candidates.join(', ')}.`, candidates };
  }
  if (only) return { is: 'one', card: draw(world, only) };
  return { is: 'none', because: `There is no proposal and no incident ${text}: ${LISTS}.` };
}

const LISTS = '`gleaner incidents` lists the recent ones, and older ones are found by their whole id';
