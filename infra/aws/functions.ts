import type { HopName } from '../../shared/flow/routes.ts';
import type { Table } from '../../shared/model.ts';

/** What one function is allowed and given, beside its own queue. Its roles and its alarms are made from this. */
export interface FunctionGrant {
  /** Seconds, as in serverless.yml: what its queue hides a delivery for follows from it. */
  readonly timeout: number;
  /** The hops whose queues it holds events back on. */
  readonly delays: readonly HopName[];
  /** The tables of the store that it writes. It reads all of them. */
  readonly writes: readonly Table[];
  /** The parameters that it reads, below `/gleaner/<stage>/`. A `*` stands for the names of clusters. */
  readonly parameters: readonly string[];
}

const CONFIG = 'gleaner.yaml';
const TOKEN = 'slack-bot-token';
const KUBECONFIGS = 'clusters/*';

/** Every function of the stack. Those behind a queue have the name of their hop. */
export const FUNCTIONS = {
  classify: {
    timeout: 60,
    delays: ['classify'],
    writes: ['incident', 'proposal', 'lastGood', 'receipt'],
    parameters: [CONFIG, KUBECONFIGS],
  },
  propose: { timeout: 30, delays: [], writes: ['incident', 'proposal'], parameters: [CONFIG] },
  notify: { timeout: 60, delays: ['notify'], writes: ['post', 'lane', 'receipt'], parameters: [CONFIG, TOKEN] },
  decide: {
    timeout: 30,
    delays: [],
    writes: ['proposal', 'switch', 'silence', 'receipt'],
    parameters: [CONFIG, TOKEN],
  },
  apply: {
    timeout: 120,
    // A run that goes on later is shown to wait: `applying` is for both.
    delays: ['apply', 'notify'],
    writes: ['proposal', 'image'],
    parameters: [CONFIG, TOKEN, KUBECONFIGS],
  },
  verify: { timeout: 60, delays: ['verify'], writes: ['proposal', 'incident'], parameters: [KUBECONFIGS] },
  sweep: { timeout: 50, delays: [], writes: ['proposal', 'policy', 'cluster'], parameters: [CONFIG] },
  interact: {
    timeout: 10,
    delays: ['notify'],
    writes: ['receipt'],
    parameters: [CONFIG, TOKEN, 'slack-signing-secret', 'slack-signing-secret-former'],
  },
  ingest: { timeout: 10, delays: [], writes: ['receipt'], parameters: ['watcher-keys/*'] },
} as const satisfies Readonly<Record<HopName | 'interact' | 'ingest', FunctionGrant>>;
export type FunctionName = keyof typeof FUNCTIONS;

/** The hops, each behind a queue. The clock's tick alone comes to its function directly, from a schedule. */
export const QUEUED = [
  'classify',
  'propose',
  'notify',
  'decide',
  'apply',
  'verify',
  'sweep',
] as const satisfies readonly HopName[];
