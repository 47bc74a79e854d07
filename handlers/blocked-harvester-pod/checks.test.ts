import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine } from '../../shared/examine.ts';
import { type JsonObject, JsonValue, type ObjectRef } from '../../shared/handler.ts';
import handler from './handler.ts';

const cases = join(import.meta.dirname, 'cases');
const { objects } = z
  .object({ objects: z.array(z.record(z.string(), JsonValue)) })
  .parse(parse(readFileSync(join(cases, 'machines.yaml'), 'utf8')));
const { logs } = z
  .object({ logs: z.record(z.string(), z.array(z.string())) })
  .parse(parse(readFileSync(join(cases, 'storage-network.yaml'), 'utf8')));

const AT = new Date('2026-01-15T12:00:00Z');
const EMPTY = ['kubevirt.io/VirtualMachineInstanceMigration', 'harvesterhci.io/VirtualMachineBackup'];
const machine = (name: string, uid?: string): ObjectRef => ({
  ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace: 'default', name },
  ...(uid && { uid }),
});
const router = machine('router', 'v1');
const deployment: ObjectRef = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'harvester-system',
  name: 'harvester',
};
const setting: ObjectRef = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name: 'storage-network' };

/** The cluster of the cases, where nothing is known of the kind `hidden`. */
function picture(hidden?: string, more: readonly JsonObject[] = []) {
  const seen = objects.filter(({ kind }) => kind !== hidden);
  const empty = EMPTY.filter((one) => !one.endsWith(`/${hidden}`));
  return stillLife({ at: AT, objects: [...seen, ...more], empty, logs });
}

async function ask(check: string, target: ObjectRef, now = picture()) {
  const { faults } = await examine(handler, picture());
  return handler.checks[check]?.(now, faults[0]?.finding ?? null, target);
}

/** The picture with one object changed at its top level. */
function withChanged(kind: string, name: string, change: (object: JsonObject) => JsonObject) {
  const all = objects.map((one) => (one.kind === kind && Object(one.metadata).name === name ? change(one) : one));
  return stillLife({ at: AT, objects: all, empty: EMPTY, logs });
}

describe('a check', () => {
  it.each([
    ['stopped', 'VirtualMachineInstance', router],
    ['going-down', 'VirtualMachineInstance', router],
    ['settled', 'VirtualMachine', router],
    ['coming-up', 'VirtualMachineInstance', router],
    ['back', 'VirtualMachine', router],
    ['volumes-detached', 'Volume', deployment],
    ['setting-created', 'Setting', setting],
    ['stays-up', 'Pod', deployment],
  ])('%s is not answered while no %s can be read', async (check, hidden, target) => {
    expect(await ask(check, target, picture(hidden))).toMatchObject({ is: 'waiting' });
  });

  it('of a VM that is not part of the approval has failed', async () => {
    expect(await ask('stopped', machine('stranger'))).toMatchObject({ is: 'failed' });
  });

  it('of a VM that is gone has failed', async () => {
    const others = objects.filter(({ metadata }) => Object(metadata).uid !== 'v1');
    const now = stillLife({ at: AT, objects: others, empty: EMPTY, logs });

    expect(await ask('back', router, now)).toMatchObject({
      is: 'failed',
      because: expect.stringContaining('not there'),
    });
  });

  it('of a VM that was deleted and made again has failed', async () => {
    const now = withChanged('VirtualMachine', 'router', (vm) => ({
      ...vm,
      metadata: { ...Object(vm.metadata), uid: 'v99' },
    }));

    expect(await ask('back', router, now)).toMatchObject({
      is: 'failed',
      because: expect.stringContaining('made again'),
    });
  });
});

describe('a stop', () => {
  it('is allowed while everything is as it was approved', async () => {
    expect(await ask('may-stop', router)).toMatchObject({ is: 'fixed' });
  });

  it.each([
    'Volume',
    'VirtualMachineBackup',
    'VirtualMachineInstanceMigration',
    'VirtualMachineInstance',
    'VirtualMachine',
    'Setting',
    'Pod',
  ])('is forbidden while no %s can be read', async (hidden) => {
    expect((await ask('may-stop', router, picture(hidden)))?.is).toMatch(/waiting|failed/);
  });

  it('is forbidden once its VM has another run strategy', async () => {
    const now = withChanged('VirtualMachine', 'router', (vm) => ({
      ...vm,
      spec: { ...Object(vm.spec), runStrategy: 'Always' },
    }));

    expect((await ask('may-stop', router, now))?.because).toMatch(/is Always by now, and was RerunOnFailure/);
  });

  it('is forbidden once a volume of something else is attached', async () => {
    const status = { state: 'attached', kubernetesStatus: { namespace: 'shop', pvcName: 'cart' } };
    const volume = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Volume',
      metadata: { name: 'x', namespace: 'longhorn-system' },
    };

    expect((await ask('may-stop', router, picture(undefined, [{ ...volume, status }])))?.because).toMatch(/shop\/cart/);
  });

  it('is allowed while the volume of a VM that the run has stopped is still being detached', async () => {
    const now = withChanged('VirtualMachine', 'db', (vm) => ({
      ...vm,
      spec: { ...Object(vm.spec), runStrategy: 'Halted' },
      status: { printableStatus: 'Stopped' },
    }));

    expect(await ask('may-stop', router, now)).toMatchObject({ is: 'fixed' });
  });
});
