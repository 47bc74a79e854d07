import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { TABLES } from '../../model.ts';
import { attributesOf, bodyOf, LARGEST, unpacked } from './body.ts';

it.each([
  ['short', '{"a":"ü"}', 'json'],
  ['long', JSON.stringify({ a: 'x'.repeat(20_000) }), 'packed'],
  ['vast', JSON.stringify({ a: randomBytes(LARGEST).toString('base64').repeat(3) }), 'parts'],
])('An item that is %s stands in a row as it fits there', (_what, json, is) => {
  const body = bodyOf(json);

  expect(body.is).toBe(is);
  expect(Object.values(attributesOf(body)).filter((each) => each !== undefined)).toHaveLength(1);
  if (body.is === 'packed') expect(unpacked(body.packed)).toBe(json);
  if (body.is === 'parts') {
    expect(unpacked(Buffer.concat(body.parts))).toBe(json);
    expect(Math.max(...body.parts.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(LARGEST);
  }
});

it("What cannot have been packed by Gleaner is not unpacked: it would take the machine's memory", () => {
  const bomb = bodyOf('x'.repeat(65 * 1024 * 1024));

  expect(bomb.is).toBe('packed');
  expect(() => (bomb.is === 'packed' ? unpacked(bomb.packed) : '')).toThrow(/larger than/);
});

it('The schemas of the tables change nothing of what they read: rows are kept as they were', () => {
  // A default, a transform or a catch would show here, and the row's reader could not give back the row itself.
  for (const [table, schema] of Object.entries(TABLES)) {
    expect(JSON.stringify(schema.toJSONSchema({ io: 'input' })), table).toBe(
      JSON.stringify(schema.toJSONSchema({ io: 'output' })).replaceAll(',"additionalProperties":false', ''),
    );
  }
});
