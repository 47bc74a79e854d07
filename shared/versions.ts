import type { Look, Versions } from './handler.ts';
import { Node, RancherSetting, Setting } from './kinds.ts';

/** A release number taken apart: `v1.4.2-rc1`, `v1.31.4+rke2r1`, `1.3.1-150600.5.9.1` (a SUSE build of 1.3.1). */
export interface Release {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `alpha8`, `rc1`; undefined for a release proper. */
  readonly pre?: { readonly stage: string; readonly number: number };
}

/** Reads a release number; undefined where there is none, as in `v2.11-head`. Anything behind it is ignored. */
export function release(text: string | undefined): Release | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-(alpha|beta|rc)\.?(\d+))?/.exec(text ?? '');
  if (!match) return undefined;
  const [, major, minor, patch, stage, number] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    ...(stage === undefined ? {} : { pre: { stage, number: Number(number) } }),
  };
}

/** Negative when `a` came before `b`, positive when after, 0 when equal; `alpha < beta < rc < release`. */
function compareReleases(a: Release, b: Release): number {
  const numbers = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (numbers !== 0) return numbers;
  const stage = (a.pre?.stage ?? 'z').localeCompare(b.pre?.stage ?? 'z');
  return stage || (a.pre?.number ?? 0) - (b.pre?.number ?? 0);
}

/** Whether `text` names a release before `limit`; undefined where either cannot be read. */
export function isBefore(text: string | undefined, limit: string): boolean | undefined {
  const [a, b] = [release(text), release(limit)];
  return a && b ? compareReleases(a, b) < 0 : undefined;
}

/** The releases that the objects of a picture tell: Rancher's and Harvester's settings, else the nodes. */
export async function versionsOf(look: Pick<Look, 'get' | 'list'>): Promise<Versions> {
  const [nodes, harvester, rancher] = await Promise.all([
    look.list(Node),
    look.get(Setting, { name: 'server-version' }),
    look.get(RancherSetting, { name: 'server-version' }),
  ]);
  const newest = (texts: readonly (string | undefined)[]) =>
    texts
      .filter((text) => release(text) !== undefined)
      .reduce<string | undefined>((best, text) => (best && isBefore(text, best) ? best : text), undefined);
  const osImages = nodes.map((node) => /v\d\S*/.exec(node.status?.nodeInfo?.osImage ?? '')?.[0]);
  return {
    kubernetes: newest(nodes.map((node) => node.status?.nodeInfo?.kubeletVersion)),
    harvester: harvester?.value || harvester?.default || newest(osImages),
    rancher: rancher?.value || rancher?.default,
  };
}
