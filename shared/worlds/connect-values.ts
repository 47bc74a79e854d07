import { stringify } from 'yaml';
import type { Left } from '../cli/connect.ts';
import type { Registered } from '../model.ts';
import { KEYS } from './connect-keys.ts';
import { HOME } from './connect-rights.ts';

/** The Secret that somebody makes who has an AWS key for the watcher. */
const AWS_SECRET = 'gleaner-aws';

/** How a watcher sends. */
export type Send =
  | { readonly via: 'ingest'; readonly url: string }
  | { readonly via: 'eventbridge'; readonly bus: string; readonly region: string };

/** The values of the watcher's chart for one cluster, and the commands that remain. */
export function valuesFor({ name, flavour }: Pick<Registered, 'name' | 'flavour'>, send: Send, options: string): Left {
  const values = { flavour, cluster: { name }, send: sendOf(send) };
  const file = `${name}.values.yaml`;
  return {
    out: [
      `# The watcher of ${name}: values of the chart infra/watcher. Nothing here is secret.`,
      '# image.repository: where you pushed the image (docs/deploy-aws.md).',
      stringify(values, { lineWidth: 0 }),
    ].join('\n'),
    next: [
      ...(send.via === 'eventbridge'
        ? [`kubectl create secret generic ${AWS_SECRET} -n ${HOME} --from-file=credentials=FILE`]
        : []),
      `helm upgrade --install gleaner infra/watcher -n ${HOME} -f ${file} --set image.repository=REGISTRY/gleaner-watcher`,
      `gleaner clusters ${options}   # it is heard within five minutes`,
    ],
  };
}

function sendOf(send: Send): object {
  switch (send.via) {
    case 'ingest':
      return { ingest: { url: send.url, existingSecret: KEYS } };
    case 'eventbridge':
      return { eventBridge: { bus: send.bus, region: send.region, existingSecret: AWS_SECRET } };
  }
}
