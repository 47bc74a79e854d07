import * as z from 'zod';
import { groupOf } from '../../objects.ts';
import type { Clock } from '../../ports/clock.ts';
import { because, isAbsent, jsonOf, type Send } from './answer.ts';
import { GRACE } from './grace.ts';

/** A kind as the API server serves it. */
export interface Served {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** `unknown`: the API server could not be asked, or may not know yet what it serves: that is never "not served". */
type Found =
  | { readonly is: 'served'; readonly served: Served }
  | { readonly is: 'not-served' }
  | { readonly is: 'unknown'; readonly code: number; readonly because: string };

/** Tells which version of a group serves a kind, and under which plural. */
export interface Discovery {
  /** The version named by `apiVersion` where it is served, else the group's preferred one, else any that has the kind. */
  find(kind: { readonly apiVersion: string; readonly kind: string }): Promise<Found>;
  /** The first served version of a group, such as `subresources.kubevirt.io/v1`; `value` is undefined where none is. */
  groupVersion(group: string): Promise<Asked<string>>;
  /** Forgets a kind: it was found where it is no longer. */
  forget(kind: { readonly apiVersion: string; readonly kind: string }): void;
}

const ResourceList = z.object({
  kind: z.literal('APIResourceList'),
  resources: z
    .array(z.object({ name: z.string(), namespaced: z.boolean(), kind: z.string() }))
    .nullish()
    .transform((value) => value ?? []),
});
const ApiGroup = z.object({
  kind: z.literal('APIGroup'),
  versions: z.array(z.object({ groupVersion: z.string() })),
  preferredVersion: z.object({ groupVersion: z.string() }).nullish(),
});

/** What an API server that starts may not serve yet. */
const AWAY = { is: 'unknown', code: 404, because: 'it was served before, and is not now' } as const;

/** How long "not served" is believed: a CRD may be installed at any time. */
const DOUBT = 30_000;

type Asked<T> = { readonly is: 'answered'; readonly value: T | undefined } | Extract<Found, { is: 'unknown' }>;

/** Asks the API server once per group and version, and again for what was not there. */
export function discovery(send: Send, clock: Pick<Clock, 'now'>): Discovery {
  const found = new Map<string, { readonly at: number; readonly answer: Promise<Found> }>();
  const underway = new Map<string, Promise<Asked<unknown>>>();
  /** Everything that was ever served, and since when it is not any more. */
  const served = new Map<string, number | undefined>();
  const keyOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => `${apiVersion} ${kind}`;

  /** Several kinds of one group are looked for at once: they share one request. */
  async function ask<T>(path: string, schema: z.ZodType<T>): Promise<Asked<T>> {
    const asking = underway.get(path) ?? request(send, path);
    underway.set(path, asking);
    const answer = await asking.finally(() => underway.delete(path));
    if (answer.is === 'unknown') return answer;
    if (answer.value === undefined) return { is: 'answered', value: undefined };
    const parsed = schema.safeParse(answer.value);
    return parsed.success ? { is: 'answered', value: parsed.data } : strange(path);
  }

  async function lookIn(apiVersion: string, kind: string): Promise<Found> {
    const list = await ask(rootOf(apiVersion), ResourceList);
    if (list.is === 'unknown') return list;
    const row = list.value?.resources.find((one) => one.kind === kind && !one.name.includes('/'));
    return row
      ? { is: 'served', served: { apiVersion, kind, plural: row.name, namespaced: row.namespaced } }
      : { is: 'not-served' };
  }

  async function versionsOf(group: string): Promise<Asked<readonly string[]>> {
    if (group === '') return { is: 'answered', value: ['v1'] };
    const asked = await ask(`/apis/${group}`, ApiGroup);
    if (asked.is === 'unknown') return asked;
    if (!asked.value) return { is: 'answered', value: undefined };
    const { preferredVersion, versions } = asked.value;
    const all = [...(preferredVersion ? [preferredVersion] : []), ...versions].map((one) => one.groupVersion);
    return { is: 'answered', value: [...new Set(all)] };
  }

  async function lookFor({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<Found> {
    const first = await lookIn(apiVersion, kind);
    if (first.is === 'served') return first;
    const versions = await versionsOf(groupOf(apiVersion));
    if (versions.is === 'unknown') return versions;
    let last: Found = first;
    for (const version of versions.value?.filter((one) => one !== apiVersion) ?? []) {
      const next = await lookIn(version, kind);
      if (next.is === 'served') return next;
      if (next.is === 'unknown') last = next;
    }
    return last;
  }

  /** Whether what was served and is not now may be again in a moment: an API server that starts does not know it at once. */
  function mayReturn(key: string, is: Found['is']): boolean {
    if (is === 'served' || (is === 'unknown' && served.has(key))) served.set(key, undefined);
    if (is !== 'not-served' || !served.has(key)) return false;
    const now = clock.now().getTime();
    const since = served.get(key) ?? now;
    served.set(key, since);
    if (now - since < GRACE) return true;
    served.delete(key);
    return false;
  }

  return {
    find(kind) {
      const now = clock.now().getTime();
      const known = found.get(keyOf(kind));
      if (known && now - known.at < DOUBT) return known.answer;
      const answer = lookFor(kind).then((said) => (mayReturn(keyOf(kind), said.is) ? AWAY : said));
      found.set(keyOf(kind), { at: now, answer });
      void answer.then((said) => {
        if (said.is === 'served') found.set(keyOf(kind), { at: Number.POSITIVE_INFINITY, answer });
        if (said.is === 'unknown') found.delete(keyOf(kind));
      });
      return answer;
    },
    async groupVersion(group) {
      const versions = await versionsOf(group);
      if (versions.is === 'unknown') return versions;
      const value = versions.value?.[0];
      return mayReturn(group, value === undefined ? 'not-served' : 'served') ? AWAY : { is: 'answered', value };
    },
    forget: (kind) => void found.delete(keyOf(kind)),
  };
}

async function request(send: Send, path: string): Promise<Asked<unknown>> {
  const answer = await send({ method: 'GET', path });
  if (answer.is !== 'answered') return { is: 'unknown', code: 0, because: because(answer) };
  if (answer.code === 200) return { is: 'answered', value: jsonOf(answer.body) ?? null };
  // The API server answers an unknown group with a plain-text 404, so no Status is asked for here.
  const isWebPage = answer.body.toString('utf8', 0, 64).trimStart().startsWith('<');
  if (isAbsent(answer) || (answer.code === 404 && !isWebPage)) return { is: 'answered', value: undefined };
  return { is: 'unknown', code: answer.code, because: because(answer) };
}

const strange = (path: string) => ({
  is: 'unknown' as const,
  code: 200,
  because: `${path} is not what a Kubernetes API server answers: check the server address`,
});

/** `/api/v1`, `/apis/apps/v1`: where a version's resources begin. */
const rootOf = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

/** The path of a kind's objects, in one namespace or everywhere, or of one object. */
export function pathOf({ apiVersion, plural, namespaced }: Served, namespace?: string, name?: string): string {
  const inside = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${rootOf(apiVersion)}${inside}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
