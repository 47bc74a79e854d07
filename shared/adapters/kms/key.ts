import { createHash } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import * as z from 'zod';

/** An asymmetric key of KMS, of the spec ECC_NIST_P256 and for SIGN_VERIFY, by its id, ARN or alias. */
export interface Key {
  readonly client: Pick<KMSClient, 'send'>;
  readonly id: string;
}

/** Of all algorithms the only one that such a key signs with. */
const ALGORITHM = 'ECDSA_SHA_256';

/**
 * Signs texts with the key: DER in base64. The digest is sent and not the text, of which KMS takes 4096 bytes
 * (https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html). Throws an Error of one line where it is not signed.
 */
export function signingBy({ client, id }: Key): (text: string) => Promise<string> {
  return async (text) => {
    const Message = createHash('sha256').update(text).digest();
    const command = new SignCommand({ KeyId: id, Message, MessageType: 'DIGEST', SigningAlgorithm: ALGORITHM });
    const { Signature } = await client.send(command).catch((error: unknown) => {
      throw failure(error, id, 'sign a decision with');
    });
    if (Signature) return Buffer.from(Signature).toString('base64');
    throw new Error(`KMS answered without a signature of the key ${id}`);
  };
}

/** The public half of the key, as the base64 of its DER. Throws an Error of one line where it cannot be had. */
export async function publicHalfOf({ client, id }: Key): Promise<string> {
  const { PublicKey, KeySpec, KeyUsage } = await client
    .send(new GetPublicKeyCommand({ KeyId: id }))
    .catch((error: unknown) => {
      throw failure(error, id, 'read the public half of');
    });
  if (PublicKey && KeySpec === 'ECC_NIST_P256' && KeyUsage === 'SIGN_VERIFY')
    return Buffer.from(PublicKey).toString('base64');
  throw new Error(
    `The key ${id} is for ${KeyUsage ?? 'nothing'} of ${KeySpec ?? 'no kind'}: decisions need SIGN_VERIFY of ECC_NIST_P256`,
  );
}

const Thrown = z.object({ name: z.string() });

/** https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html#API_Sign_Errors */
const MENDS: Readonly<Record<string, string>> = {
  AccessDeniedException: 'the role may not: only that of decide may sign',
  NotFoundException: 'there is no such key in this region',
  DisabledException: 'the key is disabled: enable it',
  KMSInvalidStateException: 'the key is about to be deleted, or is not ready',
  InvalidKeyUsageException: 'the key is for something else',
};

/** By the error's name alone: its message may quote what was asked. */
function failure(error: unknown, id: string, what: string): Error {
  const { name = 'Error' } = Thrown.safeParse(error).data ?? {};
  return new Error(`Could not ${what} the key ${id}: ${MENDS[name] ?? 'KMS may be away, it is tried again'} (${name})`);
}
