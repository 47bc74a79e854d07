/**
 * What AWS asks for what the stack uses: US dollars, us-east-1, on demand, without the free tier and without tax. Other
 * regions ask up to a quarter more. Look them up again before a promise is made of them.
 */
export const PRICES = {
  region: 'us-east-1',
  /** When they were written down. */
  asOf: '2025-11-21',
  sources: [
    'https://aws.amazon.com/lambda/pricing/',
    'https://aws.amazon.com/eventbridge/pricing/',
    'https://aws.amazon.com/sqs/pricing/',
    'https://aws.amazon.com/dynamodb/pricing/on-demand/',
    'https://aws.amazon.com/cloudwatch/pricing/',
    'https://aws.amazon.com/kms/pricing/',
  ],
  lambda: {
    /** For a request. */
    request: 0.2e-6,
    /** For a second of one GB on arm64. The start of a function is billed like its work. */
    gigabyteSecond: 0.0000133334,
  },
  eventbridge: {
    /** For each begun 64 KB of an event that is put on a bus of ours. A rule's delivery costs nothing. */
    event: 1e-6,
    chunk: 64 * 1024,
    /** For a GB that is put into the archive. */
    archivedGigabyte: 0.1,
  },
  sqs: {
    /** For each begun 64 KB of a request: a message is sent, received and deleted. */
    request: 0.4e-6,
  },
  dynamodb: {
    /** For a unit: 1 KB written, or 4 KB read consistently. */
    write: 0.625e-6,
    read: 0.125e-6,
    gigabyteMonth: 0.25,
    /** Of continuous backups. */
    backupGigabyteMonth: 0.2,
  },
  cloudwatch: { alarmMonth: 0.1, metricMonth: 0.3, dashboardMonth: 3, loggedGigabyte: 0.5 },
  kms: { keyMonth: 1, signature: 15e-6 },
} as const;
