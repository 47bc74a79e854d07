import * as fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { expect, it } from 'vitest';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine } from '../../shared/examine.ts';
import type { JsonObject, ObjectRef } from '../../shared/handler.ts';
import handler from './handler.ts';

const apiVersion = 'loadbalancer.harvesterhci.io/v1beta1';
const ref: ObjectRef = { apiVersion, kind: 'IPPool', name: 'pool1' };
const at = new Date('2026-01-15T12:00:00Z');
const created = '2026-01-01T12:00:00Z';

const poolWith = (status: JsonObject | undefined): JsonObject => ({
  apiVersion,
  kind: 'IPPool',
  metadata: { name: 'pool1', creationTimestamp: created },
  spec: { ranges: [{ subnet: '192.168.5.0/24', rangeStart: '192.168.5.10', rangeEnd: '192.168.5.40' }] },
  ...(status && { status }),
});

const loadBalancer = (host: number): JsonObject => ({
  apiVersion,
  kind: 'LoadBalancer',
  metadata: { name: `lb${host}`, namespace: `ns${host % 3}`, creationTimestamp: created },
  spec: { ipam: 'pool', ipPool: 'pool1' },
  status: { allocatedAddress: { ipPool: 'pool1', ip: `192.168.5.${host}` } },
});

const booked = (hosts: readonly number[]) =>
  Object.fromEntries(hosts.map((host) => [`192.168.5.${host}`, `ns${host % 3}/lb${host}`]));

const hosts = fc.uniqueArray(fc.integer({ min: 10, max: 40 }), { minLength: 1 });
const wipedAs = fc.constantFrom('absent', 'zeros', 'restarted');

const STATUSES: Readonly<Record<string, JsonObject | undefined>> = {
  absent: undefined,
  zeros: { total: 0, available: 0, lastAllocated: '' },
  restarted: { total: 31, available: 31, lastAllocated: '', conditions: [{ type: 'Ready', status: 'True' }] },
};

it('whatever was booked, the restored status adds up, books each address once, and nothing is found any more', async () => {
  await fc.assert(
    fc.asyncProperty(hosts, hosts, wipedAs, async (live, before, state) => {
      // After a restart what was kept must tell of a loss, else the pool looks as if nothing ever was.
      const known = state === 'restarted' ? live : before;
      const value = {
        total: 31,
        lastAllocated: '192.168.5.12',
        allocated: booked(known),
        allocatedHistory: booked(before),
      };
      const others = live.map(loadBalancer);
      const lastGood = [{ ref, at, value }];
      const pool = poolWith(STATUSES[state]);

      const { faults } = await examine(handler, stillLife({ at, objects: [pool, ...others], lastGood }));
      const step = faults[0]?.offer.plans[0]?.steps[0];
      if (step?.do !== 'patch' || step.patch.type !== 'json') throw new Error('no restore was offered');
      const restored = structuredClone(pool);
      applyPatch(restored, [...step.patch.operations]);

      const { total, available, allocated, allocatedHistory } = Object(restored.status);
      expect(allocated).toEqual(booked(live));
      expect([total, available]).toEqual([31, 31 - live.length]);
      expect(Object.keys(allocatedHistory).filter((ip) => ip in allocated)).toEqual([]);
      const again = await examine(handler, stillLife({ at, objects: [restored, ...others], lastGood }));
      expect(again.faults).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
