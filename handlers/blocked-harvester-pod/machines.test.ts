import { describe, expect, it } from 'vitest';
import { isBack } from './checks.ts';
import { VirtualMachine, VirtualMachineInstance } from './kinds.ts';
import { isBlocking, isComingUp, isGoingDown, machineOf, type Pair, strategyOf } from './machines.ts';

const meta = (more: object = {}) => ({ name: 'vm1', namespace: 'default', ...more });

interface Told {
  readonly spec?: object;
  readonly printable?: string;
  readonly requests?: readonly string[];
  readonly phase?: string;
  readonly isLeaving?: boolean;
}

/** A machine with its instance, where `phase` says that it has one. */
function pair({
  spec = { runStrategy: 'RerunOnFailure' },
  printable = 'Running',
  requests,
  phase,
  isLeaving,
}: Told): Pair {
  const stateChangeRequests = requests?.map((action) => ({ action }));
  const vm = VirtualMachine.schema.parse({
    ...{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: meta(), spec },
    status: { printableStatus: printable, stateChangeRequests },
  });
  if (phase === undefined) return { vm, vmi: undefined };
  const metadata = meta(isLeaving ? { deletionTimestamp: '2026-01-15T12:00:00Z' } : {});
  const vmi = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', metadata, status: { phase } };
  return { vm, vmi: VirtualMachineInstance.schema.parse(vmi) };
}

const Always = { runStrategy: 'Always' };
const Halted = { runStrategy: 'Halted' };
const Manual = { runStrategy: 'Manual' };

describe('a virtual machine', () => {
  it.each([
    ['Running', true],
    ['Starting', true],
    ['Provisioning', true],
    ['Paused', true],
    ['ErrorUnschedulable', true],
    ['', true],
    ['Stopped', false],
  ])('that says "%s" and has no instance blocks: %s', (printable, blocks) => {
    expect(isBlocking(pair({ printable }))).toBe(blocks);
  });

  it('that says Stopped blocks while its instance lives, unless it is halted', () => {
    expect(isBlocking(pair({ printable: 'Stopped', phase: 'Running' }))).toBe(true);
    expect(isBlocking(pair({ printable: 'Stopped', phase: 'Succeeded' }))).toBe(false);
    expect(isBlocking(pair({ printable: 'Stopped', phase: 'Running', spec: Halted }))).toBe(false);
  });

  it.each([
    [{ running: true }, 'Always'],
    [{ running: false }, 'Halted'],
    [{}, 'Halted'],
    [Manual, 'Manual'],
    [{ running: true, runStrategy: 'Always' }, undefined],
    [{ runStrategy: 'Sometimes' }, undefined],
  ])('of the spec %j has the strategy %s', (spec, wanted) => {
    expect(strategyOf(pair({ spec }).vm)).toBe(wanted);
  });

  it.each([
    ['RerunOnFailure with an instance is stopped by virt-api', { phase: 'Running' }, 'call'],
    ['Manual with an instance is stopped by virt-api', { spec: Manual, phase: 'Running' }, 'call'],
    ['RerunOnFailure without one is patched, for stop would answer 409', { printable: 'Provisioning' }, 'patch'],
    ['Always is patched', { spec: Always, phase: 'Running' }, 'patch'],
    ['running: true is patched', { spec: { running: true }, phase: 'Running' }, 'patch'],
    ['Always whose instance is restarting is patched', { spec: Always, phase: 'Running', isLeaving: true }, 'patch'],
    ['Halted is waited for', { spec: Halted, phase: 'Running', printable: 'Stopping' }, 'wait'],
    ['told to stop is waited for', { phase: 'Running', requests: ['Stop'] }, 'wait'],
  ] as const)('%s', (_title, told, how) => {
    expect(machineOf(pair(told), 'v1.5.0')?.how).toBe(how);
  });

  it.each([
    ['v1.4.0', true],
    ['v1.4.1', true],
    ['v1.4.2', false],
    ['v1.5.0', false],
  ])('of Harvester %s that is patched back needs a start request: %s', (version, needsStart) => {
    expect(machineOf(pair({ printable: 'Provisioning' }), version)?.needsStart).toBe(needsStart);
  });

  it('is given 120 seconds where its template says nothing', () => {
    expect(machineOf(pair({ phase: 'Running' }), 'v1.5.0')?.grace).toBe(120);
  });

  it('that runs and was told to stop is going down, not up', () => {
    const told = pair({ phase: 'Running', requests: ['Stop'] });

    expect([isGoingDown(told), isComingUp(told)]).toEqual([true, false]);
  });

  it('is back only with its strategy and, where it ran, with an instance that runs and stays', () => {
    const before = pair({ phase: 'Running' });
    const machine = machineOf(before, 'v1.5.0');
    if (!machine) throw new Error('a machine was expected');
    const backs = [before, pair({ phase: 'Scheduling' }), pair({ phase: 'Running', requests: ['Stop'] }), pair({})];

    expect(backs.map((one) => isBack(one, machine).is)).toEqual(['fixed', 'waiting', 'waiting', 'waiting']);
    expect(isBack(pair({ phase: 'Running', spec: Manual }), machine).because).toMatch(
      /is Manual, and was RerunOnFailure/,
    );
  });
});
