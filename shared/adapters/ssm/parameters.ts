import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import type { Clock } from '../../ports/clock.ts';

/**
 * What a parameter holds, or why it was not read. `absent`: there is none of that name, or of that version of it.
 * `refused`: somebody must mend a right or a key. `unreadable`: it may be read later. No `because` holds a value.
 */
export type Parameter =
  | { readonly is: 'there'; readonly value: string; readonly version: number }
  | { readonly is: 'absent'; readonly because: string }
  | { readonly is: 'refused'; readonly because: string }
  | { readonly is: 'unreadable'; readonly because: string };

/** Parameters by name, decrypted. */
export interface Parameters {
  /** The newest version, as it was `within` milliseconds ago or later. */
  newest(name: string, within: number): Promise<Parameter>;
  /** A version by its number. It never changes, and SSM keeps the last hundred. */
  version(name: string, version: number): Promise<Parameter>;
}

export interface ParametersOptions {
  readonly client: Pick<SSMClient, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Kept {
  readonly parameter: Promise<Parameter>;
  readonly at: number;
}

/** More than a function ever asks for: one text per cluster, and a few secrets. */
const MOST = 500;

/** Parameters of SSM. What was read is kept in memory alone; what could not be read is asked again each time. */
export function ssmParameters({ client, clock }: ParametersOptions): Parameters {
  const kept = new Map<string, Kept>();

  async function ask(selector: string): Promise<Parameter> {
    try {
      const { Parameter: found } = await client.send(new GetParameterCommand({ Name: selector, WithDecryption: true }));
      if (found?.Value === undefined || found.Version === undefined)
        return { is: 'unreadable', because: `SSM answered without the value of ${selector}` };
      return { is: 'there', value: found.Value, version: found.Version };
    } catch (error) {
      return failure(selector, error);
    }
  }

  async function read(selector: string, within: number): Promise<Parameter> {
    const now = clock.now().getTime();
    const known = kept.get(selector);
    if (known && now - known.at <= within) return known.parameter;
    const parameter = ask(selector);
    const mine: Kept = { parameter, at: now };
    kept.set(selector, mine);
    if (kept.size > MOST) forget(kept, MOST);
    const answer = await parameter;
    if (answer.is !== 'there' && kept.get(selector) === mine) kept.delete(selector);
    return answer;
  }

  return {
    newest: (name, within) => read(name, within),
    version: (name, version) => read(`${name}:${version}`, Number.POSITIVE_INFINITY),
  };
}

function forget(kept: Map<string, Kept>, most: number): void {
  for (const selector of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(selector);
  }
}

const Thrown = z.object({
  name: z.string(),
  $metadata: z
    .object({ httpStatusCode: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html#API_GetParameter_Errors */
const ABSENT = new Set(['ParameterNotFound', 'ParameterVersionNotFound']);
const REFUSED: Readonly<Record<string, string>> = {
  AccessDeniedException: "the function's role may not read it",
  InvalidKeyId: 'the key that it is encrypted with cannot be used',
  ValidationException: 'it is no name of a parameter',
  UnrecognizedClientException: 'the credentials are not known to AWS',
};

/** By the error's name alone: its message may quote what was asked. */
function failure(selector: string, error: unknown): Exclude<Parameter, { is: 'there' }> {
  const { name = 'Error', $metadata } = Thrown.safeParse(error).data ?? {};
  if (ABSENT.has(name)) return { is: 'absent', because: `there is no parameter ${selector}` };
  const refusal = REFUSED[name];
  if (refusal !== undefined)
    return { is: 'refused', because: `the parameter ${selector} cannot be read: ${refusal} (${name})` };
  const status = $metadata?.httpStatusCode === undefined ? '' : ` ${$metadata.httpStatusCode}`;
  return { is: 'unreadable', because: `the parameter ${selector} could not be read for now (${name}${status})` };
}
