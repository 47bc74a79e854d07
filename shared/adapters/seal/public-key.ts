import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** The longest base64 of a P-256 signature in DER, and some room. */
const LONGEST = 120;

/**
 * The public half of the key that decides, from PEM or from the base64 of its DER (as KMS gives it out). Throws an Error
 * of one line where it is no key on the curve P-256: a key of another kind would be believed on other terms.
 */
export function publicKey(text: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = text.includes('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    // OpenSSL's message may quote what was given.
  }
  // A private key's PEM gives its public half, too: who holds that here can decide.
  const isPublic = !text.includes('PRIVATE');
  if (isPublic && key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new Error('The key that decisions are verified by is no public key on P-256: take it from the stack’s outputs');
}

/** Verifies what KMS signs with ECDSA_SHA_256: DER, in base64. Any of the keys will do, so that keys can change. */
export function verifiesBy(keys: readonly KeyObject[]) {
  return (text: string, signature: string | undefined): boolean => {
    if (signature === undefined || signature.length > LONGEST) return false;
    const bytes = Buffer.from(signature, 'base64');
    return keys.some((key) => verify('sha256', Buffer.from(text), { key, dsaEncoding: 'der' }, bytes));
  };
}
