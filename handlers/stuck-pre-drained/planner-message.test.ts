import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machinesIn, messageOf, waitingOf } from './planner-message.ts';

const name = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,5})?$/);
const SEED = 7647;

describe("what is read of the planner's messages", () => {
  it.each([
    ['draining node', 'drain'],
    [
      'error draining machine custom-a: [error when evicting pods/"x" -n "y": global timeout reached: 10m0s]',
      'drain-error',
    ],
    ['drain completed', 'drained'],
    ['waiting for plan to be applied', 'plan'],
    ['failure while applying plan', 'plan-failed'],
    ['waiting for probes: etcd, kubelet', 'probes'],
    ['waiting for kubelet to update', 'kubelet'],
    ['waiting for cluster agent to connect', 'agent'],
    ['waiting for uncordon to finish', 'uncordon'],
    ['draining bootstrap node(s) custom-a,custom-b: draining node', 'drain'],
    ['configuring etcd node(s) custom-a: waiting for probes: kubelet', 'probes'],
  ])('%s', (message, wanted) => {
    expect(waitingOf(message)?.for).toBe(wanted);
  });

  it('finds every probe, machine and pod that a message names, whatever they are called', () => {
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 5 }),
        fc.array(name, { minLength: 1, maxLength: 3 }),
        (parts, machines) => {
          const errors = parts.map(
            (part) => `error when evicting pods/"${part}-x" -n "ns-${part}": global timeout reached: 10m0s`,
          );

          const probes = waitingOf(
            `configuring etcd node(s) ${machines.join(',')}: waiting for probes: ${parts.join(', ')}`,
          );
          const drain = waitingOf(`error draining machine ${machines[0]}: [${errors.join(', ')}]`);

          expect(probes).toMatchObject({ for: 'probes', probes: parts, pods: [] });
          expect(drain?.pods).toEqual(parts.map((part) => `ns-${part}/${part}-x`));
          expect(machinesIn(`draining worker node(s) ${machines.join(',')}: draining node`)).toEqual(machines);
        },
      ),
      { seed: SEED },
    );
  });

  it('passes over conditions that are True, and messages of somebody else', () => {
    const told = messageOf(
      [
        { type: 'Updated', status: 'True', message: 'draining node' },
        { type: 'Ready', status: 'Unknown', message: 'CAPI cluster or RKEControlPlane is paused' },
        { type: 'Provisioned', status: 'Unknown', message: 'waiting for kubelet to update' },
      ].map((one) => ({ reason: undefined, lastTransitionTime: undefined, ...one })),
      ...['Updated', 'Ready', 'Provisioned'],
    );

    expect(told).toBe('waiting for kubelet to update');
    expect(waitingOf('CAPI cluster or RKEControlPlane is paused')).toBeUndefined();
  });
});
