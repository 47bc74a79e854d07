import { describe, expect, it } from 'vitest';
import type { Event, Outgoing } from '../model.ts';
import type { Consumer } from '../ports/bus.ts';
import { ATTEMPTS, type LambdaContext, lambdaHop, lambdaTick } from './lambda.ts';
import { lambdaLog } from './lambda-log.ts';

const AT = '2026-01-15T12:00:00.000Z';
const NOW = () => new Date(AT);
const CONTEXT: LambdaContext = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 30_000 };
const told = (id: string): Event => ({ event: 'reminded', proposal: id, id, at: AT });

type Delivery = ReturnType<typeof good> | ReturnType<typeof bad> | ReturnType<typeof early>;
const good = (id: string, attempt = 1) => ({ id, attempt, read: { is: 'event' as const, event: told(id) } });
const bad = (id: string) => ({ id, attempt: 1, read: { is: 'poison' as const, because: 'it is no JSON' } });
const early = (id: string) => ({ id, attempt: 1, read: { is: 'early' as const, event: told(id), due: AT } });

/** A function over deliveries, and everything that it did, in order. */
function under(deliveries: readonly Delivery[], run: Consumer, broken: readonly string[] = [], context = CONTEXT) {
  const did: string[] = [];
  const lines: object[] = [];
  const act = async (what: string) => {
    if (broken.some((one) => what.startsWith(one))) throw new Error(`cannot ${what}`);
    did.push(what);
  };
  const hop = lambdaHop<Delivery>({
    hop: 'classify',
    log: lambdaLog(NOW, (line) => void lines.push(JSON.parse(line))),
    open: async () => ({
      run,
      bus: {
        endOf: ({ hop: name, event }) => ({
          publish: (outgoing) => act(`publish ${outgoing.length} at the end of ${event.id} at ${name}`),
        }),
      },
      inbox: {
        open: () => deliveries,
        setAside: ({ id }, because) => act(`set ${id} aside: ${because}`),
        postpone: ({ id }) => act(`postpone ${id}`),
        hold: ({ id }) => act(`hold ${id}`),
      },
    }),
  });
  return {
    did,
    lines,
    answer: async () => (await hop({}, context)).batchItemFailures.map((one) => one.itemIdentifier),
  };
}

const SAYS: readonly Outgoing[] = [{ fact: { event: 'expired', proposal: 'p' } }];

describe('A hop as a function', () => {
  it('publishes what it says, and lets Lambda end the delivery', async () => {
    const { did, answer } = under([good('a')], async () => SAYS);

    expect(await answer()).toEqual([]);
    expect(did).toEqual(['publish 1 at the end of a at classify']);
  });

  it('sets one poisoned message of ten aside with its reason, and does the other nine', async () => {
    const nine = Array.from({ length: 9 }, (_each, n) => good(`g${n}`));
    const { did, lines, answer } = under([...nine.slice(0, 4), bad('poison'), ...nine.slice(4)], async () => []);

    expect(await answer()).toEqual([]);
    expect(did.filter((what) => what.startsWith('publish'))).toHaveLength(9);
    expect(did.filter((what) => !what.startsWith('publish'))).toEqual(['set poison aside: it is no JSON']);
    expect(lines).toEqual([
      {
        ...{ hop: 'classify', message: 'poison', attempt: 1, request: 'request-1', because: 'it is no JSON' },
        ...{ level: 'error', time: AT, msg: 'a message was set aside' },
      },
    ]);
  });

  it('reports only what threw, after it has put it off', async () => {
    const { did, answer } = under([good('a'), good('b'), good('c')], async ({ id }) => {
      if (id === 'b') throw new Error('not now');
      return [];
    });

    expect(await answer()).toEqual(['b']);
    expect(did).toContain('postpone b');
    expect(did).not.toContain('publish 0 at the end of b at classify');
  });

  it('reports a delivery whose words could not be published', async () => {
    const { did, answer } = under([good('a'), good('b')], async () => SAYS, ['publish 1 at the end of a']);

    expect(await answer()).toEqual(['a']);
    expect(did).toContain('postpone a');
  });

  it('holds back what is early, and does not run it', async () => {
    const { did, answer } = under([early('a')], async () => SAYS);

    expect(await answer()).toEqual([]);
    expect(did).toEqual(['hold a']);
  });

  it.each([
    ['set aside', bad('a'), 'set a'],
    ['held back', early('a'), 'hold a'],
  ])('reports what could not be %s: it is still on its queue', async (_what, delivery, broken) => {
    const { answer, lines } = under([delivery], async () => [], [broken]);

    expect(await answer()).toEqual(['a']);
    expect(lines.at(-1)).toMatchObject({ level: 'error', msg: 'the queue did not do as told' });
  });

  it('reports what could not even be put off', async () => {
    const fails: Consumer = async () => Promise.reject(new Error('not now'));

    expect(await under([good('a')], fails, ['postpone']).answer()).toEqual(['a']);
  });

  it('sets aside what has failed for ever, with its last reason', async () => {
    const fails: Consumer = async () => Promise.reject(new Error('the disk is on fire'));
    const last = under([good('a', ATTEMPTS)], fails);
    const before = under([good('a', ATTEMPTS - 1)], fails);

    expect(await before.answer()).toEqual(['a']);
    expect(await last.answer()).toEqual([]);
    expect(last.did).toEqual(['set a aside: it failed 50 times, at last with: Error: the disk is on fire']);
  });

  it('begins nothing that it might not end: the rest comes again', async () => {
    let left = 30_000;
    const context = { ...CONTEXT, getRemainingTimeInMillis: () => left };
    const seen: string[] = [];
    const slow: Consumer = async ({ id }) => {
      seen.push(id);
      await undefined;
      left = 4_000;
      return [];
    };
    const twenty = Array.from({ length: 20 }, (_each, n) => good(`${n}`));
    const { did, answer } = under(twenty, slow, [], context);

    const failed = await answer();

    expect(seen).toEqual(['0', '1', '2', '3', '4']);
    expect(failed).toEqual(twenty.slice(5).map(({ id }) => id));
    expect(did.filter((what) => what.startsWith('postpone'))).toHaveLength(15);
  });

  it('has at most five of a batch under way', async () => {
    let [now, most] = [0, 0];
    const { answer } = under(
      Array.from({ length: 30 }, (_each, n) => good(`${n}`)),
      async () => {
        now += 1;
        most = Math.max(most, now);
        for (let turn = 0; turn < 10; turn++) await undefined;
        now -= 1;
        return [];
      },
    );

    await answer();

    expect(most).toBe(5);
  });

  it('opens its world once, and anew where that failed', async () => {
    let opened = 0;
    const hop = lambdaHop({
      ...{ hop: 'classify', log: lambdaLog(NOW, () => {}) },
      async open() {
        opened += 1;
        if (opened === 1) throw new Error('no configuration');
        const inbox = { open: () => [], setAside: async () => {}, postpone: async () => {}, hold: async () => {} };
        return { run: async () => [], bus: { endOf: () => ({ publish: async () => {} }) }, inbox };
      },
    });

    await expect(hop({}, CONTEXT)).rejects.toThrow('no configuration');
    await hop({}, CONTEXT);
    await hop({}, CONTEXT);

    expect(opened).toBe(2);
  });
});

describe('The tick as a function', () => {
  const SCHEDULED = {
    version: '0',
    source: 'aws.events',
    'detail-type': 'Scheduled Event',
    id: 's-1',
    time: '2026-01-15T12:00:00Z',
  };
  function tick(run: Consumer) {
    const published: [string, readonly Outgoing[]][] = [];
    const handler = lambdaTick({
      ...{ every: '60s', log: lambdaLog(NOW, () => {}) },
      open: async () => ({
        run,
        bus: { endOf: ({ event }) => ({ publish: async (outgoing) => void published.push([event.id, outgoing]) }) },
      }),
    });
    return { handler, published };
  }

  it('sweeps from the former tick to this one, and publishes what the sweep says', async () => {
    const seen: Event[] = [];
    const { handler, published } = tick(async (event) => {
      seen.push(event);
      return SAYS;
    });

    await handler(SCHEDULED, CONTEXT);

    expect(seen).toEqual([{ event: 'ticked', since: '2026-01-15T11:59:00.000Z', id: 's-1', at: AT }]);
    expect(published).toEqual([['s-1', SAYS]]);
  });

  it('throws where the sweep must run again, so that Lambda does', async () => {
    await expect(tick(async () => Promise.reject(new Error('not now'))).handler(SCHEDULED, CONTEXT)).rejects.toThrow(
      'not now',
    );
  });

  it.each([{}, null, { ...SCHEDULED, source: 'gleaner' }, { ...SCHEDULED, time: 'noon' }])(
    'takes nothing but a schedule (%j)',
    async (input) => {
      await expect(tick(async () => []).handler(input, CONTEXT)).rejects.toThrow(/check its event source/);
    },
  );
});

describe("A function's log", () => {
  const logged = (fields: object) => {
    const lines: string[] = [];
    lambdaLog(NOW, (line) => void lines.push(line)).warn(fields, 'said');
    return lines;
  };

  it('is one line of JSON', () => {
    expect(logged({ hop: 'apply', because: 'two\nlines' })).toEqual([
      '{"hop":"apply","because":"two\\nlines","level":"warn","time":"2026-01-15T12:00:00.000Z","msg":"said"}',
    ]);
  });

  it('never tells what may be a credential, at any depth', () => {
    const secrets = {
      token: 's3cr3t',
      nested: { authorization: 's3cr3t', deep: [{ password: 's3cr3t', data: { a: 's3cr3t' } }] },
    };

    expect(logged({ ...secrets, kubeconfig: 's3cr3t' }).join()).not.toContain('s3cr3t');
  });

  it('cannot be made to tell another level or time', () => {
    expect(JSON.parse(logged({ level: 'info', time: 'never', msg: 'nothing' })[0] ?? '')).toEqual({
      level: 'warn',
      time: AT,
      msg: 'said',
    });
  });

  it('cuts a line that nobody can read', () => {
    expect(logged({ because: 'x'.repeat(100_000) })[0]?.length).toBeLessThan(200);
  });
});
