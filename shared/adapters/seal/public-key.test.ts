import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signer } from '../../../test/edge/sealed.ts';
import { publicKey, verifiesBy } from './public-key.ts';

const SEED = 20_260_115;

describe('The public half of the key that decides', () => {
  it('verifies what its private half signed, from PEM and as KMS gives it out', async () => {
    const { pem, der, sign } = signer();
    const signature = await sign('text');
    for (const text of [pem, der]) expect(verifiesBy([publicKey(text)])('text', signature)).toBe(true);
  });

  it('verifies while keys change, and not after', async () => {
    const [former, current] = [signer(), signer()];
    const signature = await former.sign('text');
    expect(verifiesBy([publicKey(current.pem), publicKey(former.pem)])('text', signature)).toBe(true);
    expect(verifiesBy([publicKey(current.pem)])('text', signature)).toBe(false);
    expect(verifiesBy([])('text', signature)).toBe(false);
  });

  it('verifies no other text and no other signature, and throws for none', async () => {
    const { pem, sign } = signer();
    const signature = await sign('text');
    const verify = verifiesBy([publicKey(pem)]);
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.base64String(), fc.constant(undefined)), (text, other) => {
        expect(verify(text, signature)).toBe(text === 'text');
        expect(verify('text', other)).toBe(false);
      }),
      { seed: SEED },
    );
  });

  it.each([
    ['another curve', () => generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).publicKey],
    ['another kind', () => generateKeyPairSync('ed25519').publicKey],
  ])('is no key of %s', (_what, make) => {
    expect(() => publicKey(make().export({ type: 'spki', format: 'pem' }).toString())).toThrow(
      'no public key on P-256',
    );
  });

  it('is not the private half, and no text at all, which the error does not quote', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const text of [pem, 'swordfish', '']) {
      expect(() => publicKey(text)).toThrow('no public key on P-256');
      expect(() => publicKey(text)).not.toThrow(/swordfish|BEGIN/);
    }
  });
});
