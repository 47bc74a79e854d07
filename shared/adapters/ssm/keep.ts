import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import * as z from 'zod';

/** Parameters as a person who sets Gleaner up reads and writes them. Each method throws an Error of one line without values in it. */
export interface ParameterKeeper {
  /** The value, decrypted; undefined: there is none of that name. */
  get(name: string): Promise<string | undefined>;
  /** Writes a SecureString, encrypted with the account's own key for SSM, over what was there. */
  put(name: string, value: string, description: string): Promise<void>;
  /** Whether there was one to remove. SSM removes all its versions. */
  remove(name: string): Promise<boolean>;
}

export function parameterKeeper(client: Pick<SSMClient, 'send'>): ParameterKeeper {
  return {
    async get(name) {
      try {
        const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
        return Parameter?.Value;
      } catch (error) {
        if (error instanceof ParameterNotFound) return undefined;
        throw failure('read', name, error);
      }
    },
    async put(name, value, description) {
      try {
        await client.send(
          new PutParameterCommand({
            ...{ Name: name, Value: value, Description: description, Type: 'SecureString', Overwrite: true },
            // A standard parameter holds 4 KB; a kubeconfig with a chain of certificates may need an advanced one.
            Tier: 'Intelligent-Tiering',
          }),
        );
      } catch (error) {
        throw failure('written', name, error);
      }
    },
    async remove(name) {
      try {
        await client.send(new DeleteParameterCommand({ Name: name }));
        return true;
      } catch (error) {
        if (error instanceof ParameterNotFound) return false;
        throw failure('removed', name, error);
      }
    },
  };
}

const RIGHTS = { read: 'ssm:GetParameter', written: 'ssm:PutParameter', removed: 'ssm:DeleteParameter' } as const;

const CAUSES: Readonly<Record<string, string>> = {
  CredentialsProviderError: 'no AWS credentials were found: log in, or set AWS_PROFILE',
  ExpiredTokenException: 'your AWS session is over: log in again',
  UnrecognizedClientException: 'AWS does not know these credentials',
  InvalidKeyId: 'its KMS key cannot be used',
  TooManyUpdates: 'somebody else writes it at the same time: run it again',
  ParameterMaxVersionLimitExceeded: 'a labelled version is in the way: remove the label',
  ParameterLimitExceeded: 'the account has as many parameters as it may have',
  // The SDK's word for "no region", among others.
  Error: 'the SDK was not set up: say --region, or set AWS_REGION',
};

/** By the error's name alone: its message may quote the value. */
function failure(what: keyof typeof RIGHTS, parameter: string, error: unknown): Error {
  const { name } = z.object({ name: z.string() }).catch({ name: 'Error' }).parse(error);
  const known = name === 'AccessDeniedException' ? `you need the right ${RIGHTS[what]} on it` : CAUSES[name];
  return new Error(`The parameter ${parameter} cannot be ${what}: ${known ?? 'AWS did not do it'} (${name})`);
}
