import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, because, retryAfterOf } from './answer.ts';

const answered = (code: number, body: string, headers = {}): Extract<Answer, { is: 'answered' }> => ({
  ...{ is: 'answered', code, headers },
  body: Buffer.from(body),
});

describe('Why there is no good answer', () => {
  it('is one short sentence, whatever the body is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.string({ maxLength: 2_000 }), (code, body) => {
        const said = because(answered(code, body));

        expect(said.length).toBeGreaterThan(0);
        expect(said.length).toBeLessThanOrEqual(340);
      }),
    );
  });

  it('never repeats a value that a validation error quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.constantFrom(400, 422, 500), (secret, code) => {
        const value = JSON.stringify(`canary${secret}canary`);
        const message = `Invalid value: ${value}: strict decoding error`;
        const status = { kind: 'Status', code, message, details: { causes: [{ field: 'patch', message }] } };

        expect(because(answered(code, JSON.stringify(status)))).not.toContain('canary');
      }),
      { numRuns: 500 },
    );
  });
});

describe('The pause that a server asks for', () => {
  it.each([
    [{ 'retry-after': '7' }, '', 7],
    [{}, '{"kind":"Status","details":{"retryAfterSeconds":3}}', 3],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, '', 5],
    [{}, '', 5],
  ])('is read from %j and %s', (headers, body, seconds) => {
    expect(retryAfterOf(answered(429, body, headers), 5)).toBe(seconds);
  });
});
