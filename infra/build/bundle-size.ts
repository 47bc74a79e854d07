import type { Metafile } from 'esbuild';

/** Bytes of a function's JavaScript. */
export interface Sizes {
  /** What is loaded before the handler can be called: the entry and every chunk that it imports, directly or not. */
  readonly atStart: number;
  /** With what only some deliveries load. */
  readonly inAll: number;
}

/** The sizes of a bundle with one entry, from the bundler's own account of it. */
export function sizesOf({ outputs }: Metafile): Sizes {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.startsWith('functions/')) ?? [];
  if (entry === undefined) throw new Error('The metafile has no entry point in functions/');
  return {
    atStart: sum(
      outputs,
      reached(outputs, entry, (kind) => kind === 'import-statement'),
    ),
    inAll: sum(
      outputs,
      reached(outputs, entry, () => true),
    ),
  };
}

function reached(outputs: Metafile['outputs'], entry: string, follows: (kind: string) => boolean): Set<string> {
  const seen = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (!external && follows(kind)) waiting.push(path);
  }
  return seen;
}

const sum = (outputs: Metafile['outputs'], files: ReadonlySet<string>) =>
  [...files].reduce((bytes, file) => bytes + (outputs[file]?.bytes ?? 0), 0);
