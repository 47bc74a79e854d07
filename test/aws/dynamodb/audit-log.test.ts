import { expect, it } from 'vitest';
import { verifyChain } from '../../../shared/audit.ts';
import { dynamodbBed, freshTable, storeAt } from '../bed/dynamodb.ts';
import { AT, noise } from './samples.ts';

const line = (text: string) => ({ at: AT, kind: 'decision', text });

async function bedOf() {
  const bed = await dynamodbBed();
  const table = await freshTable(bed);
  return {
    endpoint: bed.endpoint,
    table,
    open: (chain?: string) => storeAt(bed.endpoint, table, chain === undefined ? {} : { chain }).store,
  };
}

it('Thirty functions that append at once leave one chain without gap or fork', async () => {
  const { open } = await bedOf();

  await Promise.all(
    Array.from({ length: 30 }, async (_each, who) => {
      const store = open();
      for (const what of ['looks', 'writes']) await store.append(line(`${who} ${what}`));
    }),
  );

  const lines = await open().audit(1, 1_000);
  expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 60 });
  expect(new Set(lines.map(({ text }) => text)).size).toBe(60);
});

it('A function goes on at the end of the log, however far others have carried it since', async () => {
  const { open } = await bedOf();
  const [one, other] = [open(), open()];
  await one.append(line('first'));
  for (let n = 0; n < 40; n++) await other.append(line(`${n}`));

  await one.append(line('last'));

  const lines = await one.audit(1, 100);
  expect(lines.at(-1)).toMatchObject({ sequence: 42, text: 'last' });
  expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 42 });
});

it('A line that cannot be kept whole is cut with a mark, and the chain holds', async () => {
  const store = (await bedOf()).open();
  const [large, vast] = [noise(450_000, 'large'), noise(900_000, 'vast')];

  for (const text of [large, vast, 'small']) await store.append(line(text));

  const lines = await store.audit(1, 10);
  expect(lines[0]?.text).toBe(large);
  expect(lines[1]?.text).toMatch(/… \(cut: it had 900000 characters\)$/);
  expect(vast.startsWith(lines[1]?.text.split('…')[0] ?? 'nothing')).toBe(true);
  expect(verifyChain(lines)).toMatchObject({ ok: true, lines: 3 });
});

it('Logs of other names are chains of their own', async () => {
  const { open } = await bedOf();

  await open().append(line('main'));
  await open('edge').append(line('edge'));

  expect(await open('edge').audit(1, 10)).toMatchObject([{ sequence: 1, text: 'edge' }]);
  expect(await open().audit(1, 10)).toMatchObject([{ sequence: 1, text: 'main' }]);
});

it('A page of the log of no line is empty', async () => {
  const store = (await bedOf()).open();
  await store.append(line('one'));

  expect(await store.audit(1, 0)).toEqual([]);
  expect(await store.audit(2, 5)).toEqual([]);
});
