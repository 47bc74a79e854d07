import { isObject, type JsonObject, type Kind } from '../../handler.ts';
import type { Warning } from '../../ports/source.ts';
import { documentsOf, type Wanted } from './documents.ts';
import { type Harvest, Harvester, keyOf } from './harvest.ts';
import { unmangled } from './mangled.ts';
import { type About, aboutOf, type Layout, type Unread, unreadOf } from './support-bundle.ts';
import { textOf } from './text.ts';
import type { Entry, Tree } from './tree.ts';

/** What was read from a tree: the objects, and what a support bundle tells of itself. */
export interface Gathered {
  readonly harvest: Harvest;
  readonly about: About;
  readonly unread: readonly Unread[];
  /** What could not be read, before any object was looked at. */
  readonly warnings: readonly Warning[];
}

/** A log's name: `logs/<namespace>/<pod>/<container>.log`, and `.log.1` for the container's previous run. */
export const LOG = /(?:^|\/)logs\/([^/]+)\/([^/]+)\/([^/]+)\.log(\.1)?$/;

/** Names that may hold what kubectl wrote: with another extension, a file of a folder is not even tried. */
const PROMISING = /(?:^|\/)[^./]+$|\.(?:ya?ml|json|txt|out|list)$/i;

/** Reads one file after the other, and of each keeps only the kinds that somebody reads. */
export async function gather(tree: Tree, layout: Layout | undefined, kinds: readonly Kind[]): Promise<Gathered> {
  const warnings: Warning[] = [...tree.warnings];
  const harvest = new Harvester(kinds, layout ? mend : undefined);
  const declared = new Set(kinds.map(keyOf));
  const wanted: Wanted = (object) => declared.has(keyOf(object)) || object.kind.endsWith('List');
  const plurals = new Set(kinds.map((kind) => kind.plural));
  let about: About = aboutOf(undefined);
  let unread: readonly Unread[] = [];

  async function take(entry: Entry, part: 'objects' | 'about'): Promise<void> {
    const said = await textIn(entry);
    const read = said.ok ? documentsOf(said.text, wanted) : said;
    if (!read.ok) {
      warnings.push({ where: entry.name, because: read.because });
    } else if (part === 'about') {
      about = aboutOf(read.values[0]);
    } else {
      warnings.push(...read.problems.map((because) => ({ where: entry.name, because })));
      for (const value of read.values) harvest.add(value, entry.name);
    }
  }

  for (const entry of tree.entries) {
    const part = partOf(entry.name, tree.kind, layout, plurals);
    switch (part) {
      case 'nothing':
        break;
      case 'unknown':
        warnings.push({ where: entry.name, because: 'was not read: by its name it is neither YAML nor JSON' });
        break;
      case 'errors': {
        const said = await textIn(entry);
        unread = said.ok ? unreadOf(said.text) : [];
        break;
      }
      case 'objects':
      case 'about':
        await take(entry, part);
    }
  }
  return { harvest: harvest.result(), about, unread, warnings };
}

function mend(object: JsonObject): JsonObject {
  try {
    const restored = unmangled(object);
    return isObject(restored) ? restored : object;
  } catch (error) {
    // Nested deeper than the stack: it stays as it is, for its schema to judge.
    if (error instanceof RangeError) return object;
    throw error;
  }
}

type Part = 'objects' | 'about' | 'errors' | 'nothing' | 'unknown';

function partOf(name: string, of: Tree['kind'], layout: Layout | undefined, plurals: ReadonlySet<string>): Part {
  if (of === 'file') return 'objects';
  if (!layout) return LOG.test(name) ? 'nothing' : PROMISING.test(name) ? 'objects' : 'unknown';
  if (!name.startsWith(layout.root)) return 'nothing';
  const path = name.slice(layout.root.length);
  if (path === 'metadata.yaml') return 'about';
  if (path === 'bundleGenerationError.log') return 'errors';
  // A file of the bundle is named after the plural of the only kind that it holds.
  const plural = /^yamls\/.*\/([^/]+)\.yaml$/.exec(path)?.[1];
  return plural !== undefined && plurals.has(plural) ? 'objects' : 'nothing';
}

async function textIn(entry: Entry) {
  try {
    return textOf(await entry.read());
  } catch (error) {
    return { ok: false, because: error instanceof Error ? reasonOf(error) : String(error) } as const;
  }
}

/** Node's errors of the file system, without the path that stands in them. */
const reasonOf = (error: Error) => `${/^E[A-Z]+: ([^,]+)/.exec(error.message)?.[1] ?? error.message}`;
