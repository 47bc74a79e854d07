import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine } from '../../shared/examine.ts';
import type { JsonObject, ObjectRef } from '../../shared/handler.ts';
import handler from './handler.ts';

const at = new Date('2025-02-18T12:00:00Z');
const base: readonly JsonObject[] = parse(
  readFileSync(join(import.meta.dirname, 'cases', 'one-control-plane-base.yaml'), 'utf8'),
).objects;

/** The base with some of its objects changed. */
const world = (change: (object: JsonObject) => JsonObject) => base.map((object) => change(structuredClone(object)));

const asIs = () => world((object) => object);
const placed = () =>
  world((object) => (object.kind === 'KubeVirt' ? { ...object, spec: { infra: { nodePlacement: {} } } } : object));

async function finding() {
  const [fault] = (await examine(handler, stillLife({ at, objects: asIs() }))).faults;
  if (!fault) throw new Error('no fault was found');
  return fault.finding;
}

const budget: ObjectRef = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  namespace: 'harvester-system',
  name: 'virt-api-pdb',
};
const ask = async (check: string, objects: readonly JsonObject[], empty: readonly string[] = []) =>
  handler.checks[check]?.(stillLife({ at, objects, empty }), await finding(), budget);

describe('the guard of a deleted budget', () => {
  it('lets a budget go that still blocks although the placement is set', async () => {
    expect(await ask('budget-still-blocks', placed())).toMatchObject({ is: 'fixed' });
  });

  it('holds it where the placement is not set, is set to something, or the Deployment is free', async () => {
    const chosen = world((object) =>
      object.kind === 'KubeVirt'
        ? { ...object, spec: { infra: { nodePlacement: { nodeSelector: { a: 'b' } } } } }
        : object,
    );
    const free = placed().map((object) =>
      Object(object.metadata).name === 'virt-api' ? { ...object, spec: { replicas: 2 } } : object,
    );

    expect(await ask('budget-still-blocks', asIs())).toMatchObject({ is: 'failed' });
    expect(await ask('budget-still-blocks', chosen)).toMatchObject({ is: 'failed' });
    expect(await ask('budget-still-blocks', free)).toMatchObject({ is: 'failed' });
  });

  it('holds it where evictions pass again, and where the node has moved on', async () => {
    const allowed = placed().map((object) =>
      object.kind === 'PodDisruptionBudget' ? { ...object, status: { disruptionsAllowed: 1 } } : object,
    );
    const further = placed().map((object) =>
      object.kind === 'Upgrade'
        ? { ...object, status: { nodeStatuses: { node1: { state: 'Post-draining' } } } }
        : object,
    );

    expect(await ask('budget-still-blocks', allowed)).toMatchObject({ is: 'failed' });
    expect(await ask('budget-still-blocks', further)).toMatchObject({ is: 'failed' });
  });
});

describe('what cannot be read', () => {
  const nothing: readonly JsonObject[] = [];

  it.each(['deployments-rolled-over', 'drain-allowed', 'drain-moved-on', 'node-moved-on', 'upgrade-ended'])(
    'is waited for by %s',
    async (check) => {
      expect(await ask(check, nothing)).toMatchObject({ is: 'waiting' });
    },
  );

  it('is over for good where the Upgrade is known to be gone', async () => {
    const empty = ['harvesterhci.io/Upgrade'];

    expect(await ask('node-moved-on', nothing, empty)).toMatchObject({ is: 'failed' });
    expect(await ask('upgrade-ended', nothing, empty)).toMatchObject({ is: 'fixed' });
  });
});

describe('the verification', () => {
  const withState = (state: string) =>
    asIs().map((object) =>
      object.kind === 'Upgrade' ? { ...object, status: { nodeStatuses: { node1: { state } } } } : object,
    );
  const verified = async (objects: readonly JsonObject[]) =>
    handler.verify(stillLife({ at, objects }), await finding());

  it.each([
    ['Pre-drained', 'waiting'],
    ['Post-draining', 'fixed'],
    ['Waiting Reboot', 'fixed'],
    ['Succeeded', 'fixed'],
    ['Failed', 'failed'],
  ])('of a node that is %s is %s', async (state, is) => {
    expect(await verified(withState(state))).toMatchObject({ is });
  });

  it('waits while Fleet complains of the changed KubeVirt', async () => {
    const message = 'kubevirt.kubevirt.io harvester-system/kubevirt modified {"spec":{"infra":{"nodePlacement":{}}}}';
    const chart = {
      apiVersion: 'management.cattle.io/v3',
      kind: 'ManagedChart',
      metadata: { name: 'harvester', namespace: 'fleet-local' },
      status: { conditions: [{ type: 'Ready', status: 'False', message }] },
    };

    expect(await verified([...withState('Post-draining'), chart])).toMatchObject({ is: 'waiting' });
  });
});
