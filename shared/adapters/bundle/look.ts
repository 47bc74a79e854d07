import {
  groupOf,
  type JsonObject,
  type Kind,
  type Right,
  type Rights,
  type Seen,
  type Versions,
} from '../../handler.ts';
import type { Picture } from '../../ports/cluster.ts';
import { versionsOf } from '../../versions.ts';
import { type Cell, mayBe } from './cell.ts';
import { keyOf } from './harvest.ts';

/** What the pictures of all modes share: one moment, each object read once. */
export interface Captured {
  readonly at: Date;
  cell(kind: Kind): Cell | undefined;
  /** Whether an object that is not there did not exist. */
  isComplete(kind: Kind, namespace: string | undefined): boolean;
  log(
    namespace: string,
    pod: string,
    container: string,
    previous: boolean,
    tail: number,
  ): Promise<string[] | undefined>;
  readonly versions: Versions;
}

/** The picture through the rights of one mode: the same that the mode would see live, where its rights are all it has. */
export function pictureOf(captured: Captured, rights: Rights): Picture {
  const rightsOn = (kind: Kind) => {
    const found = rights.read.filter((right) => keyOf(right.kind) === keyOf(kind));
    if (found.length > 0) return found;
    throw new Error(`${kind.kind}.${groupOf(kind.apiVersion)} is read without being declared in \`rights.read\``);
  };
  const all = allOf(captured);
  return {
    at: captured.at,
    async get(kind, { namespace, name }) {
      const isAllowed = rightsOn(kind).some(
        (right) => isWithin(right, namespace) && (right.names?.includes(name) ?? true),
      );
      return isAllowed ? all.get(kind, { namespace, name }) : undefined;
    },
    async list(kind, where = {}) {
      const allowed = rightsOn(kind);
      const isWhole = allowed.some((right) => right.namespace === undefined && right.names === undefined);
      const found = captured.cell(kind)?.list(kind, (raw) => mayBe(raw, where)) ?? [];
      return isWhole ? found : found.filter((object) => allowed.some((right) => covers(right, object)));
    },
    async captured(kind, namespace) {
      const allowed = rightsOn(kind).filter((right) => isWithin(right, namespace));
      const areas = namespace !== undefined ? [namespace] : allowed.map((right) => right.namespace);
      return allowed.length > 0 && areas.every((area) => isCaptured(captured, kind, area));
    },
    async log({ namespace, name }, { container, previous = false, tail }) {
      if (!rights.logs?.includes(namespace))
        throw new Error(`logs of the namespace ${namespace} are read without being declared in \`rights.logs\``);
      return captured.log(namespace, name, container, previous, tail);
    },
    version: async () => ({ ...captured.versions, ...known(await versionsOf(all)) }),
    probe: async () => undefined,
  };
}

/** Everything, for what needs no right: the versions. */
const allOf = (captured: Captured): Pick<Picture, 'get' | 'list'> => ({
  get: async (kind, { namespace, name }) => captured.cell(kind)?.find(kind, namespace, name),
  list: async (kind, where = {}) => captured.cell(kind)?.list(kind, (raw) => mayBe(raw, where)) ?? [],
});

function isCaptured(captured: Captured, kind: Kind, namespace: string | undefined): boolean {
  const isOne = (raw: JsonObject) => mayBe(raw, namespace === undefined ? {} : { namespace });
  return captured.isComplete(kind, namespace) && (captured.cell(kind)?.isReadable(kind, isOne) ?? true);
}

const isWithin = (right: Right, namespace: string | undefined) =>
  right.namespace === undefined || namespace === undefined || right.namespace === namespace;

const covers = ({ namespace, names }: Right, { metadata }: Seen) =>
  (namespace === undefined || namespace === metadata.namespace) && (names?.includes(metadata.name) ?? true);

const known = (versions: Versions): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([, version]) => version !== undefined));
