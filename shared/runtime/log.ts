import { pino } from 'pino';

/** Structured log lines on a stream: one JSON object each, with `level`, `time`, `msg` and the fields given. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Fields that may carry a credential never reach the stream, whatever an error drags along. */
const REDACTED = [
  'token',
  'authorization',
  'password',
  'kubeconfig',
  'data',
  '*.token',
  '*.authorization',
  '*.password',
  '*.data',
];

export const streamLog = (stream: { write(line: string): void }, level = 'info'): Log =>
  pino({ level, base: null, redact: REDACTED, timestamp: pino.stdTimeFunctions.isoTime }, stream);
