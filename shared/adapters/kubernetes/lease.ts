import * as z from 'zod';
import type { JsonObject } from '../../objects.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Lease, LeaseRead, LeaseRecord, LeaseWish, LeaseWritten } from '../../ports/lease.ts';
import { type Access, box } from './access.ts';
import { type Answer, because, isAbsent, jsonOf, type Request } from './answer.ts';
import { addressOf } from './introduce.ts';
import { transport } from './transport.ts';

/** Where a holder notes what the next one needs. */
const NOTE = 'gleaner.dev/cursor';

const LeaseObject = z.object({
  metadata: z.object({
    uid: z.string(),
    resourceVersion: z.string(),
    annotations: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z
    .object({
      holderIdentity: z.string().nullish(),
      leaseTransitions: z.number().nullish(),
      acquireTime: z.string().nullish(),
      renewTime: z.string().nullish(),
    })
    .nullish(),
});

export interface LeaseOptions {
  readonly access: Access;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  /** How long one request may take, in milliseconds. */
  readonly within: number;
}

/** A Lease of coordination.k8s.io/v1, over connections of its own: a busy watch does not hold up its renewal. */
export function kubernetesLease({ access, namespace, name, clock, within }: LeaseOptions): Lease & { close(): void } {
  const way = transport({ servers: [addressOf(access.server)], box: box(access, clock), wall: clock });
  const all = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${all}/${encodeURIComponent(name)}`;
  const send = (request: Request) => way.send({ ...request, within });

  async function write(wish: LeaseWish, over: Parameters<Lease['write']>[1]): Promise<LeaseWritten> {
    if (!over) {
      const metadata = { name, namespace, ...noteOf(wish) };
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: specOf(wish) };
      return writtenBy(await send({ method: 'POST', path: all, body }));
    }
    // A resourceVersion in a merge patch is an optimistic lock: 409 where the object has another by now.
    const metadata = { uid: over.uid, resourceVersion: over.version, ...noteOf(wish) };
    const contentType = 'application/merge-patch+json';
    return writtenBy(await send({ method: 'PATCH', path, contentType, body: { metadata, spec: specOf(wish) } }));
  }

  return {
    read: async () => readBy(await send({ method: 'GET', path })),
    write,
    close: way.close,
  };
}

const noteOf = ({ note }: LeaseWish): JsonObject => (note === undefined ? {} : { annotations: { [NOTE]: note } });

const specOf = ({ holder, seconds, renewedAt, acquiredAt, transitions }: LeaseWish): JsonObject => ({
  ...{ holderIdentity: holder, leaseDurationSeconds: seconds, leaseTransitions: transitions },
  renewTime: microTime(renewedAt),
  ...(acquiredAt && { acquireTime: microTime(acquiredAt) }),
});

/** k8s.io/apimachinery meta/v1 MicroTime is read with six digits behind the point, no fewer. */
const microTime = (at: Date) => at.toISOString().replace('Z', '000Z');

function readBy(answer: Answer): LeaseRead {
  if (answer.is === 'answered' && isAbsent(answer)) return { is: 'absent' };
  const record = recordIn(answer);
  return record ? { is: 'there', record } : { is: 'unreadable', because: because(answer) };
}

function writtenBy(answer: Answer): LeaseWritten {
  const record = recordIn(answer);
  if (record) return { is: 'written', record };
  const why = because(answer);
  if (answer.is !== 'answered') return { is: 'unknown', because: why };
  const { code } = answer;
  // Gone, or another one by now: both are for the next read to tell.
  if (code === 409 || (code === 404 && isAbsent(answer))) return { is: 'beaten' };
  const isRefusal = code >= 400 && code < 500 && code !== 408;
  return isRefusal ? { is: 'refused', because: `HTTP ${code}: ${why}` } : { is: 'unknown', because: why };
}

function recordIn(answer: Answer): LeaseRecord | undefined {
  if (answer.is !== 'answered' || answer.code >= 300) return undefined;
  const read = LeaseObject.safeParse(jsonOf(answer.body)).data;
  if (!read) return undefined;
  const { uid, resourceVersion: version, annotations } = read.metadata;
  return {
    ...{ uid, version, holder: read.spec?.holderIdentity ?? '', transitions: read.spec?.leaseTransitions ?? 0 },
    ...{ acquiredAt: read.spec?.acquireTime ?? undefined },
    ...{ renewedAt: read.spec?.renewTime ?? undefined, note: annotations?.[NOTE] },
  };
}
