import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bed, startBed } from './bed/start-bed.ts';
import { until } from './bed/until.ts';
import { arrangePreDrained, type PreDrained } from './scenarios/pre-drained.ts';
import { components } from './scenarios/pre-drained-objects.ts';
import { recordUpgrade } from './scenarios/upgrade-records.ts';
import { playVirtOperator } from './scenarios/virt-operator.ts';

const kubeVirt = '/apis/kubevirt.io/v1/namespaces/harvester-system/kubevirts/kubevirt';

let bed: Bed;
let incident: PreDrained;

beforeAll(async () => {
  bed = await startBed();
  await bed.installCrds();
  incident = await arrangePreDrained(bed);
  await recordUpgrade(bed);
});

afterAll(() => bed?.stop());

describe.each(components)('the drain of the only control-plane node, at %s', (component) => {
  it('leaves a replacement that no node accepts', async () => {
    const pods = await incident.pods(component);

    const waiting = pods.filter(({ node }) => node === undefined);

    expect(pods).toHaveLength(2);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.phase).toBe('Pending');
    expect(waiting[0]?.unschedulable).toContain('0/3 nodes are available: 1 node(s) were unschedulable');
    expect(waiting[0]?.unschedulable).toContain("2 node(s) didn't match Pod's node affinity/selector");
  });

  it('is refused by the budget', async () => {
    const [held] = (await incident.pods(component)).filter(({ node }) => node === incident.node);

    const { code, body } = await incident.evict(held?.name ?? '');

    expect(await incident.disruptionsAllowed(component)).toBe(0);
    expect(code).toBe(429);
    expect(body).toHaveProperty('message', "Cannot evict pod as it would violate the pod's disruption budget.");
  });
});

describe('the stuck drain', () => {
  it('does not end by itself', async () => {
    await expect(incident.drain(3000)).rejects.toThrow('n1 is drained');
  });

  it('ends once the KubeVirt object has an empty node placement', async () => {
    playVirtOperator(bed, incident);

    const { body } = await bed.request('PATCH', kubeVirt, { spec: { infra: { nodePlacement: {} } } });
    await incident.drain();

    const left = (await Promise.all(components.map(incident.pods))).flat();
    expect(body).toHaveProperty('spec.infra.nodePlacement', {});
    expect(left.filter(({ node }) => node === incident.node)).toEqual([]);
  });

  it('leaves both pods of each on the workers, and budgets that allow a disruption again', async () => {
    for (const component of components) {
      const places = await until(`${component} is whole again`, async () => {
        const running = (await incident.pods(component)).filter(({ phase }) => phase === 'Running');
        const whole = running.length === 2 && (await incident.disruptionsAllowed(component)) === 1;
        return whole ? running.map(({ node }) => node) : undefined;
      });

      expect(places).not.toContain(incident.node);
    }
  });
});
