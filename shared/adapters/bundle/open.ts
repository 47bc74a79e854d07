import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Kind, Right } from '../../handler.ts';
import { Namespace, Node, RancherSetting, Setting } from '../../kinds.ts';
import type { Opened, Source, Warning } from '../../ports/source.ts';
import { Cell } from './cell.ts';
import { fileTree, folderTree } from './folder.ts';
import { type Gathered, gather, LOG } from './gather.ts';
import { keyOf } from './harvest.ts';
import { logReader } from './logs.ts';
import { type Captured, pictureOf } from './look.ts';
import { newestOf } from './moment.ts';
import { isListed, type Layout, layoutsOf } from './support-bundle.ts';
import { type Opening, type Tree, tooLarge } from './tree.ts';
import { zipTree } from './zip.ts';

/** What every picture needs beside the kinds that rules declare: the versions, and which namespaces exist. */
const ALWAYS: readonly Kind[] = [Namespace, Node, RancherSetting, Setting];

/**
 * Opens what was captured of a cluster: a file or folder of `kubectl get -o yaml|json` output, or a support bundle,
 * unpacked or as a zip. `reads` are the rights of all rules: nothing else is kept. `at` is the moment of the picture
 * where neither a List nor a bundle tells it.
 */
export async function openFiles(path: string, { reads, at }: { reads: readonly Right[]; at?: Date }): Promise<Opened> {
  const opening = await treeAt(path);
  if (!opening.ok) return { ok: false, because: `${path} ${opening.because}` };
  const { tree } = opening;
  const layouts = layoutsOf(tree.entries.map((entry) => entry.name));
  const refuse = async (because: string) => {
    await tree.close();
    return { ok: false, because: `${path} ${because}` } as const;
  };
  if (layouts.length > 1) return refuse(`holds ${layouts.length} support bundles: give one of them`);
  const [layout] = layouts;
  const gathered = await gather(tree, layout, [...reads.map((right) => right.kind), ...ALWAYS]);
  if (gathered.harvest.count === 0) return refuse(nothingIn(tree, gathered));
  return { ok: true, source: await sourceOf(path, tree, layout, gathered, reads, at) };
}

/** The first bytes of a zip, and of an empty one. */
const ZIP = ['504b0304', '504b0506'];

async function treeAt(path: string): Promise<Opening> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { ok: true, tree: await folderTree(path) };
    if (!found.isFile()) return { ok: false, because: 'is neither a file nor a folder' };
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (ZIP.includes(buffer.toString('hex'))) return await zipTree(path, found.mtime);
    const because = tooLarge(found.size);
    return because ? { ok: false, because } : { ok: true, tree: fileTree(path, found.size, found.mtime) };
  } catch (error) {
    return { ok: false, because: `cannot be opened: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/** Why there is nothing to diagnose, as the rest of a sentence that starts with the path. */
function nothingIn(tree: Tree, { harvest, warnings }: Gathered): string {
  if (tree.kind === 'file')
    return warnings[0]?.because ?? `holds no Kubernetes objects: ${harvest.warnings[0]?.because}`;
  const first = [...warnings, ...harvest.warnings][0];
  if (first) return `holds no Kubernetes objects that can be read: ${first.where} ${first.because}`;
  return tree.entries.length === 0 ? `is an empty ${tree.kind}` : 'holds no Kubernetes objects';
}

/** How many objects that no schema could read are told one by one. */
const TOLD = 50;

async function sourceOf(
  path: string,
  tree: Tree,
  layout: Layout | undefined,
  gathered: Gathered,
  reads: readonly Right[],
  at: Date | undefined,
): Promise<Source> {
  const { harvest, about, unread } = gathered;
  const unreadable = new Map<string, Warning>();
  const tell = (where: string, because: string) => void unreadable.set(`${where} ${because}`, { where, because });
  const cells = new Map(
    [...harvest.objects].map(([key, objects]) => [key, new Cell(objects, layout !== undefined, tell)]),
  );
  const existing = cells
    .get(keyOf(Namespace))
    ?.list(Namespace, () => true)
    .map(({ metadata }) => metadata.name);

  function isComplete(kind: Kind, namespace: string | undefined): boolean {
    const key = keyOf(kind);
    if (harvest.partial.has(key)) return false;
    if (layout?.isComplete) return isListed(layout, unread, kind, namespace, existing);
    return cells.has(key) || harvest.empty.has(key);
  }

  const moment = harvest.at ?? at ?? about.at ?? newestOf([...harvest.objects.values()].flat());
  const captured: Captured = {
    at: moment ?? tree.written,
    cell: (kind) => cells.get(keyOf(kind)),
    isComplete,
    log: logReader(await logsOf(path, tree, layout), layout !== undefined),
    versions: { kubernetes: about.kubernetes },
  };
  const given: readonly Warning[] = [
    ...gathered.warnings,
    ...harvest.warnings,
    ...(layout ? missing(layout, gathered, reads, existing) : []),
    ...(moment === undefined ? [{ where: path, because: TIMELESS }] : []),
  ];
  return {
    what: `${layout ? 'support bundle' : tree.kind} ${basename(path)}`,
    at: captured.at,
    look: async (rights) => pictureOf(captured, rights),
    async notCaptured() {
      const kinds = reads.filter(({ kind, namespace }) => !cells.has(keyOf(kind)) && !isComplete(kind, namespace));
      return [...new Map(kinds.map(({ kind }) => [keyOf(kind), kind])).values()];
    },
    warnings() {
      const more = unreadable.size - TOLD;
      const rest = more > 0 ? [{ where: path, because: `${more} more objects cannot be read` }] : [];
      return [...given, ...[...unreadable.values()].slice(0, TOLD), ...rest];
    },
    close: () => tree.close(),
  };
}

const TIMELESS =
  'nothing in it tells when it was captured: the time of the file is taken; give the moment with --at TIME';

/** What a support bundle lacks, in words: lists that failed, and the namespaces that it does not cover. */
function missing(
  layout: Layout,
  { unread }: Gathered,
  reads: readonly Right[],
  existing: readonly string[] | undefined,
): Warning[] {
  const plurals = new Set(reads.map((right) => right.kind.plural));
  const failed = unread.filter((list) => plurals.has(list.plural));
  const others = layout.isComplete ? (existing ?? []).filter((name) => !layout.namespaces.has(name)) : [];
  const names = `${others.slice(0, 5).join(', ')}${others.length > 5 ? ` and ${others.length - 5} more` : ''}`;
  return [
    ...failed.map(({ url, because }) => ({ where: url, because: `is not in the bundle: ${because}` })),
    ...(others.length > 0
      ? [{ where: 'the bundle', because: `does not hold the namespaces ${names}: what they run is not known` }]
      : []),
  ];
}

/** The logs by what they are of. Where a single file was given, they lie in the folder `logs` beside it. */
async function logsOf(path: string, tree: Tree, layout: Layout | undefined) {
  const beside = tree.kind === 'file' ? await besideOf(path) : [];
  const entries = tree.entries.filter((entry) => layout === undefined || entry.name.startsWith(layout.root));
  const logs = [...entries, ...beside].flatMap((entry) => {
    const [all, namespace, pod, container, previous] = LOG.exec(entry.name) ?? [];
    return all === undefined
      ? []
      : [[`${namespace}/${pod}/${container}${previous ? ' previous' : ''}`, entry] as const];
  });
  return new Map(logs.reverse());
}

async function besideOf(path: string) {
  try {
    const { entries } = await folderTree(join(dirname(path), 'logs'));
    return entries.map((entry) => ({ ...entry, name: `logs/${entry.name}` }));
  } catch {
    return [];
  }
}
