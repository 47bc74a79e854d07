/** What one stack has for clusters that work at their edge. */
export interface EdgeQueues {
  /** `arn:aws:sqs:<region>:<account>:<service>-<stage>-edge-`; a cluster's id follows. */
  readonly prefix: string;
  readonly deadLetters: string;
}

/** A cluster's id is a uid. Nothing that a policy or a name of SQS could take for something else may be in it. */
const CLUSTER = /^[0-9a-z][0-9a-z-]{0,45}$/;

/** The queue of one cluster, by what all of them begin with: a name or an ARN. Throws where the id could be no cluster's. */
export function queueNamed(prefix: string, cluster: string): string {
  if (!CLUSTER.test(cluster)) throw new Error(`"${cluster.slice(0, 60)}" is no id of a cluster`);
  return `${prefix}${cluster}`;
}

/**
 * What a session of one cluster's edge may do: take from its own queue, hold events of its own back there, and set aside
 * what it cannot handle. Nothing of the store, the bus or the keys: those it asks the relay for, which knows whose is what.
 */
export const edgePolicy = ({ prefix, deadLetters }: EdgeQueues, cluster: string) => {
  const queue = queueNamed(prefix, cluster);
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:SendMessage'],
        Resource: [queue],
      },
      { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: [deadLetters] },
    ],
  } as const;
};

/** What the role may do that sessions are cut from: the same for every cluster's queue. A session has what both allow. */
export const edgeRole = ({ prefix, deadLetters }: EdgeQueues) =>
  [
    {
      Effect: 'Allow',
      Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:SendMessage'],
      Resource: [`${prefix}*`],
    },
    { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: [deadLetters] },
  ] as const;
