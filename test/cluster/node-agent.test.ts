import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create } from './bed/create.ts';
import { type NodeAgent, startNodeAgent } from './bed/node-agent.ts';
import { type Bed, startBed } from './bed/start-bed.ts';
import { until } from './bed/until.ts';

const pods = '/api/v1/namespaces/default/pods';
const patience = { withinMs: 60_000 };

let bed: Bed;
let agent: NodeAgent;

beforeAll(async () => {
  bed = await startBed({ nodeLifecycle: true });
  agent = await startNodeAgent(bed, [{ name: 'n1', labels: { role: 'talks' } }, { name: 'n2' }]);
  await create(bed.request, pods, pod('web', 'n1'));
  await running('web');
});

afterAll(() => bed?.stop());

describe('the agents of the nodes', () => {
  it('start the pods that the scheduler gives them, and say so', async () => {
    const { body } = await bed.request('GET', `${pods}/web`);

    expect(body).toHaveProperty('spec.nodeName', 'n1');
    expect(body).toHaveProperty('status.containerStatuses[0].ready', true);
  });

  it('hand out the log of a container, its last lines, and that of its predecessor', async () => {
    agent.logs.set('default/web/main', { current: ['one', 'two', 'three'], previous: ['level=fatal'] });

    const whole = await bed.request('GET', `${pods}/web/log?container=main`);
    const tail = await bed.request('GET', `${pods}/web/log?tailLines=2`);
    const previous = await bed.request('GET', `${pods}/web/log?previous=true&tailLines=100`);

    expect(whole).toMatchObject({ code: 200, body: 'one\ntwo\nthree\n' });
    expect(tail.body).toBe('two\nthree\n');
    expect(previous.body).toBe('level=fatal\n');
  });

  it('refuse the log of a predecessor that never was', async () => {
    agent.logs.set('default/web/main', { current: ['one'] });

    const { code, body } = await bed.request('GET', `${pods}/web/log?previous=true`);

    expect(code).toBe(400);
    expect(body).toHaveProperty('message', expect.stringContaining('previous terminated container'));
  });

  it('end the pods that are deleted', async () => {
    await create(bed.request, pods, pod('brief', 'n1'));
    await running('brief');

    await bed.request('DELETE', `${pods}/brief`);

    await until('the pod is gone', async () => (await bed.request('GET', `${pods}/brief`)).code === 404 || undefined);
  });

  it('let their node turn Unknown when they fall silent, and Ready again when they wake', async () => {
    agent.silence('n2');
    await ready('n2', 'Unknown');

    await agent.wake('n2');

    await ready('n2', 'True');
    await ready('n1', 'True');
  });
});

function pod(name: string, node: string): object {
  const spec = { nodeSelector: { 'kubernetes.io/hostname': node }, containers: [{ name: 'main', image: 'none' }] };
  return { metadata: { name }, spec };
}

async function running(name: string): Promise<void> {
  await until(`pod ${name} runs`, async () => {
    const { body } = await bed.request('GET', `${pods}/${name}`);
    return expect(body).toHaveProperty('status.phase', 'Running') ?? true;
  });
}

async function ready(node: string, status: string): Promise<void> {
  const seen = async () => {
    const { body } = await bed.request('GET', `/api/v1/nodes/${node}`);
    const condition = expect.objectContaining({ type: 'Ready', status });
    return expect(body).toHaveProperty('status.conditions', expect.arrayContaining([condition])) ?? true;
  };
  await until(`node ${node} is ${status}`, seen, patience);
}
