import * as z from 'zod';
import { Setting } from '../../kinds.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { type Answer, because, jsonOf, type Send } from './answer.ts';
import type { Discovery } from './discovery.ts';

/** The object whose uid is the cluster's id. */
export const SELF = '/api/v1/namespaces/kube-system';

const Uid = z.object({ metadata: z.object({ uid: z.string() }) });
const Version = z.object({ gitVersion: z.string(), minor: z.string() });

/** Who a cluster is. `minor` is Kubernetes' minor version, 0 where it is not told. */
export interface Self {
  readonly id: string;
  readonly flavour: Cluster['flavour'];
  readonly minor: number;
}

/** The cluster's id in an answer to `SELF`. */
export const idIn = (answer: Answer) =>
  answer.is === 'answered' ? Uid.safeParse(jsonOf(answer.body)).data?.metadata.uid : undefined;

export const versionIn = (answer: Answer) =>
  answer.is === 'answered' ? Version.safeParse(jsonOf(answer.body)).data : undefined;

/** Asks a cluster who it is. A Harvester embeds a Rancher, so its own API decides. Throws an Error of one line. */
export async function introduce(send: Send, find: Discovery, where: string): Promise<Self> {
  const answer = await send({ method: 'GET', path: SELF });
  const id = idIn(answer);
  if (id === undefined) throw new Error(`${where}: namespace kube-system cannot be read: ${because(answer)}`);
  const version = versionIn(await send({ method: 'GET', path: '/version' }));
  const [harvester, rancher] = await Promise.all([
    find.find(Setting),
    find.find({ apiVersion: 'management.cattle.io/v3', kind: 'NodeDriver' }),
  ]);
  const unknown = [harvester, rancher].find(({ is }) => is === 'unknown');
  if (unknown?.is === 'unknown') throw new Error(`${where}: its APIs cannot be listed: ${unknown.because}`);
  const isRancher = harvester.is !== 'served' && rancher.is === 'served';
  // Some providers write `32+`.
  return { id, flavour: isRancher ? 'rancher' : 'harvester', minor: Number.parseInt(version?.minor ?? '0', 10) };
}

/** A server's address. Plain HTTP would send the token in clear, and is only for this machine. Throws an Error of one line. */
export function addressOf(server: string): URL {
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error(`"${server}" is no server address: write https://HOST:6443`);
  }
  const isHere = url.hostname === 'localhost' || url.hostname === '[::1]' || url.hostname.startsWith('127.');
  if (url.protocol === 'http:' && !isHere) {
    throw new Error(`${server} is plain HTTP: credentials are sent over https:// alone, except to this machine`);
  }
  return url;
}
