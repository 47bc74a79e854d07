import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicKey, verifiesBy } from '../seal/public-key.ts';
import { kmsClient } from './client.ts';
import { publicHalfOf, signingBy } from './key.ts';

const KEYS = Object.fromEntries(
  ['prime256v1', 'secp384r1'].map((namedCurve) => [namedCurve, generateKeyPairSync('ec', { namedCurve })]),
);
const asked: { target: string; body: unknown }[] = [];
let refusal: { code: number; name: string } | undefined;

/** KMS' JSON protocol, as far as a key is asked. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const target = String(request.headers['x-amz-target']);
    asked.push({ target, body });
    const { code, name } = refusal ?? { code: 200, name: '' };
    response.writeHead(code, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(refusal ? { __type: name, message: 'swordfish' } : answered(target, body)));
  });
});

function answered(target: string, { KeyId, Message }: { KeyId: string; Message?: string }) {
  const pair = KEYS[KeyId === 'other' ? 'secp384r1' : 'prime256v1'];
  if (!pair) throw new Error('no such key');
  if (target === 'TrentService.GetPublicKey') {
    const PublicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    return {
      KeyId,
      PublicKey,
      KeyUsage: 'SIGN_VERIFY',
      KeySpec: KeyId === 'other' ? 'ECC_NIST_P384' : 'ECC_NIST_P256',
    };
  }
  const digest = Buffer.from(Message ?? '', 'base64');
  expect(digest).toHaveLength(32);
  return {
    KeyId,
    Signature: signed(digest, pair.privateKey).toString('base64'),
    SigningAlgorithm: 'ECDSA_SHA_256',
  };
}

/** Signs a digest as it is, which KMS does and Node has no function for. */
function signed(digest: Buffer, key: KeyObject): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-kms-'));
  try {
    const file = join(folder, 'key.pem');
    writeFileSync(file, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    return execFileSync('openssl', ['pkeyutl', '-sign', '-inkey', file], { input: digest });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let client: ReturnType<typeof kmsClient>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = Object(server.address());
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  client = kmsClient({ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials, maxAttempts: 1 });
});
afterAll(() => {
  client.destroy();
  server.close();
});

describe('The key that decides, in KMS', () => {
  it('signs what its public half verifies, of any length', async () => {
    const verify = verifiesBy([publicKey(await publicHalfOf({ client, id: 'key' }))]);
    for (const text of ['text', 'x'.repeat(100_000), 'Grüße']) {
      const signature = await signingBy({ client, id: 'key' })(text);
      expect(verify(text, signature)).toBe(true);
      expect(verify(`${text}.`, signature)).toBe(false);
    }
    expect(asked.at(-1)).toMatchObject({
      target: 'TrentService.Sign',
      body: { KeyId: 'key', MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' },
    });
  });

  it('is not one of another curve', async () => {
    await expect(publicHalfOf({ client, id: 'other' })).rejects.toThrow(/ECC_NIST_P384: decisions need SIGN_VERIFY/);
  });

  it.each([
    [400, 'AccessDeniedException', /only that of decide may sign/],
    [400, 'DisabledException', /enable it/],
    [500, 'KMSInternalException', /tried again/],
  ])('says why it does not sign: %i %s', async (code, name, because) => {
    refusal = { code, name };
    const signing = signingBy({ client, id: 'key' })('text');
    await expect(signing).rejects.toThrow(because);
    await expect(signing).rejects.not.toThrow(/swordfish/);
    refusal = undefined;
  });
});
