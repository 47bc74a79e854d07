import * as z from 'zod';

const text = z.string().min(1);
const port = z.coerce.number().int().min(1).max(65_535);

/** The variables of a watcher's container, as the chart sets them. None holds a secret: those are files. */
const Variables = z
  .object({
    GLEANER_CLUSTER: text,
    GLEANER_INGEST_URL: text.optional(),
    GLEANER_INGEST_KEYS: text.optional(),
    GLEANER_BUS: text.optional(),
    GLEANER_PORT: port.default(8080),
    GLEANER_HOST: text.default('0.0.0.0'),
    GLEANER_LOG_LEVEL: z.enum(['info', 'warn', 'error']).default('info'),
    GLEANER_LEASE: text.default('gleaner-watcher'),
    GLEANER_KUBECONFIG: text.optional(),
    POD_NAME: text,
    POD_NAMESPACE: text,
    GLEANER_ACCOUNT: text.optional(),
    KUBERNETES_SERVICE_HOST: text.optional(),
    KUBERNETES_SERVICE_PORT: text.default('443'),
  })
  .check(({ value, issues }) => {
    const add = (path: string, message: string) =>
      void issues.push({ code: 'custom', input: value, path: [path], message });
    if (value.GLEANER_INGEST_URL === undefined && value.GLEANER_BUS === undefined)
      add('GLEANER_INGEST_URL', 'say where to send to: an ingest here, or an event bus in GLEANER_BUS');
    if (value.GLEANER_INGEST_URL !== undefined && value.GLEANER_BUS !== undefined)
      add('GLEANER_BUS', 'there is an ingest too: say one place to send to');
    if (value.GLEANER_INGEST_URL !== undefined && value.GLEANER_INGEST_KEYS === undefined)
      add('GLEANER_INGEST_KEYS', 'an ingest needs the file with the cluster’s keys');
    if (value.KUBERNETES_SERVICE_HOST === undefined && value.GLEANER_KUBECONFIG === undefined)
      add('KUBERNETES_SERVICE_HOST', 'this is no pod: name a kubeconfig in GLEANER_KUBECONFIG');
  });

/** Where a watcher sends to. */
export type Target =
  | { readonly is: 'ingest'; readonly url: string; readonly keys: string }
  | { readonly is: 'eventbridge'; readonly bus: string };

export interface WatcherSettings {
  readonly name: string;
  readonly target: Target;
  readonly serve: { readonly host: string; readonly port: number };
  readonly level: 'info' | 'warn' | 'error';
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly pod: string;
  /** Who it is in the cluster: the pod's account, or a kubeconfig. */
  readonly access:
    | { readonly host: string; readonly port: string; readonly folder?: string }
    | { readonly kubeconfig: string };
}

/** Reads a watcher's variables. Throws one Error that names every problem. */
export function watcherSettings(env: Readonly<Record<string, string | undefined>>): WatcherSettings {
  // What a chart leaves empty is not set.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const read = Variables.safeParse(set);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`The watcher cannot start:\n  ${problems.join('\n  ')}`);
  }
  const value = read.data;
  const { GLEANER_INGEST_URL: url, GLEANER_INGEST_KEYS: keys, GLEANER_KUBECONFIG: kubeconfig } = value;
  return {
    name: value.GLEANER_CLUSTER,
    target:
      url !== undefined && keys !== undefined
        ? { is: 'ingest', url, keys }
        : { is: 'eventbridge', bus: value.GLEANER_BUS ?? '' },
    serve: { host: value.GLEANER_HOST, port: value.GLEANER_PORT },
    ...{ level: value.GLEANER_LOG_LEVEL, pod: value.POD_NAME },
    lease: { namespace: value.POD_NAMESPACE, name: value.GLEANER_LEASE },
    access:
      kubeconfig !== undefined
        ? { kubeconfig }
        : {
            ...{ host: value.KUBERNETES_SERVICE_HOST ?? '', port: value.KUBERNETES_SERVICE_PORT },
            ...(value.GLEANER_ACCOUNT !== undefined && { folder: value.GLEANER_ACCOUNT }),
          },
  };
}
