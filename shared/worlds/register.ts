import type { World } from '../flow/world.ts';
import { inWords } from '../handler.ts';
import type { FoundCard, Register } from '../ports/api.ts';
import { draw } from './desk.ts';

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
  const exact = await world.store.get('proposal', text);
  if (exact) return { is: 'one', card: draw(world, exact.item) };
  const incidents = (await world.store.list('incident')).map(({ item }) => item).filter(({ proposal }) => proposal);
  const meant = text.length < SHORTEST ? [] : incidents.filter(({ id, proposal }) => isMeant(text, id, proposal ?? ''));
  const [only, ...others] = meant;
  if (only && others.length > 0) {
    const candidates = meant.map(({ id }) => id).slice(0, OFFERED);
    return { is: 'several', because: `${text} begins several ids: ${candidates.join(', ')}.`, candidates };
  }
  const row = only && (await world.store.get('proposal', only.proposal ?? ''));
  if (row) return { is: 'one', card: draw(world, row.item) };
  return { is: 'none', because: `There is no proposal and no incident ${text}: \`gleaner incidents\` lists them.` };
}

const isMeant = (text: string, incident: string, proposal: string) =>
  incident.startsWith(text) || proposal.startsWith(text);
