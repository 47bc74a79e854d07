import { parseDocument } from 'yaml';
import * as z from 'zod';

/** What a kubeconfig in a parameter may hold: everything inline. Unknown keys are refused, for one of them may run a program. */
const Kubeconfig = z.object({
  clusters: z
    .array(
      z.object({
        name: z.string(),
        cluster: z.strictObject({
          server: z.url({ protocol: /^https?$/ }),
          'certificate-authority-data': z.string().optional(),
          'tls-server-name': z.string().optional(),
          'disable-compression': z.boolean().optional(),
          extensions: z.unknown().optional(),
        }),
      }),
    )
    .min(1),
  users: z.array(
    z.object({
      name: z.string(),
      user: z.strictObject({
        token: z.string().optional(),
        'client-certificate-data': z.string().optional(),
        'client-key-data': z.string().optional(),
      }),
    }),
  ),
  contexts: z.array(z.unknown()).min(1),
  'current-context': z.string().min(1),
});

/**
 * A kubeconfig as it is, where it can be used away from the machine that it was made on: no files, no programs, no proxy,
 * and a certificate that is checked. Throws an Error of one line that names the key, and never a value.
 */
export function checked(text: string, cluster: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new Error(`The kubeconfig of ${cluster} is no YAML`);
  const read = Kubeconfig.safeParse(document.toJS());
  if (read.success) return text;
  const [issue] = read.error.issues;
  const key = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys : [])].join('.');
  throw new Error(
    `The kubeconfig of ${cluster} cannot be used from a function because of ${key || 'its shape'}: it must hold its certificates and its token itself, and need no program, file or proxy`,
  );
}
