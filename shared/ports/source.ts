import type { Kind, Rights } from '../handler.ts';
import type { Picture } from './cluster.ts';

/** Something that was left out of a picture or could not be told, and where. */
export interface Warning {
  readonly where: string;
  readonly because: string;
}

/** What `gleaner diagnose` looks at: a live cluster, or files that were captured of one. Read-only, and one moment. */
export interface Source {
  /** What it is, for a headline: `support bundle x.zip`, `context prod`. */
  readonly what: string;
  /** The moment of the picture. */
  readonly at: Date;
  /** Whose API it shows, where that is known: modes of the other flavour are not asked. */
  readonly flavour?: 'harvester' | 'rancher' | undefined;
  /** The picture through the rights of one mode: what it does not declare is refused by a throw. */
  look(rights: Rights): Promise<Picture>;
  /** Of the kinds that the rules read, those of which neither an object nor the certainty that there is none was captured. */
  notCaptured(): Promise<readonly Kind[]>;
  /** What was left out until now; complete once every mode has looked. */
  warnings(): readonly Warning[];
  close(): Promise<void>;
}

/** A source that was opened, or the one line that says why it cannot be. */
export type Opened = { readonly ok: true; readonly source: Source } | { readonly ok: false; readonly because: string };
