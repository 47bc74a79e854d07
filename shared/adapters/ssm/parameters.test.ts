import { afterEach, describe, expect, it } from 'vitest';
import { fakeSsm } from '../../../test/aws/journeys/fake-ssm.ts';
import { manualClock } from '../clock/manual.ts';
import { ssmClient } from './client.ts';
import { ssmParameters } from './parameters.ts';

const START = '2026-01-15T12:00:00.000Z';
const NAME = '/gleaner/test/slack-bot-token';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function begin() {
  const ssm = await fakeSsm();
  const client = ssmClient({
    ...{ endpoint: ssm.endpoint, region: 'eu-central-1', maxAttempts: 1 },
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
  });
  open.push(async () => {
    client.destroy();
    await ssm.close();
  });
  const clock = manualClock(START);
  return { ssm, clock, parameters: ssmParameters({ client, clock }) };
}

describe('A parameter', () => {
  it('is read decrypted, with its version', async () => {
    const { ssm, parameters } = await begin();
    ssm.put(NAME, 'xoxb-1');

    expect(await parameters.newest(NAME, 60_000)).toEqual({ is: 'there', value: 'xoxb-1', version: 1 });
  });

  it('is asked for once, however many want it, until what is known is too old', async () => {
    const { ssm, clock, parameters } = await begin();
    ssm.put(NAME, 'xoxb-1');
    await Promise.all([parameters.newest(NAME, 60_000), parameters.newest(NAME, 60_000)]);
    ssm.put(NAME, 'xoxb-2');

    clock.advance(60_000);
    expect(await parameters.newest(NAME, 60_000)).toMatchObject({ value: 'xoxb-1' });
    clock.advance(1);
    expect(await parameters.newest(NAME, 60_000)).toMatchObject({ value: 'xoxb-2', version: 2 });
    expect(ssm.asked).toEqual([NAME, NAME]);
  });

  it('has its former versions', async () => {
    const { ssm, parameters } = await begin();
    ssm.put(NAME, 'one');
    ssm.put(NAME, 'two');

    expect(await parameters.version(NAME, 1)).toEqual({ is: 'there', value: 'one', version: 1 });
    expect(await parameters.version(NAME, 3)).toMatchObject({ is: 'absent' });
  });

  it('that was not there is found once it is', async () => {
    const { ssm, parameters } = await begin();

    expect(await parameters.newest(NAME, 60_000)).toMatchObject({ is: 'absent' });
    ssm.put(NAME, 'xoxb-1');
    expect(await parameters.newest(NAME, 60_000)).toMatchObject({ is: 'there' });
  });

  it.each([
    ['AccessDeniedException', 'refused'],
    ['InvalidKeyId', 'refused'],
    ['ThrottlingException', 'unreadable'],
    ['InternalServerError', 'unreadable'],
    ['SomethingNew', 'unreadable'],
  ])('that SSM answers with %s is %s, by a sentence that names it', async (code, is) => {
    const { ssm, parameters } = await begin();
    ssm.put(NAME, 'xoxb-s3cr3t');
    ssm.refuse(code);

    const found = await parameters.newest(NAME, 60_000);

    expect(found).toMatchObject({ is, because: expect.stringContaining(NAME) });
    expect(JSON.stringify(found)).not.toContain('s3cr3t');
  });
});
