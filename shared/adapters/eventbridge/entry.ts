import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { Event } from '../../model.ts';
import { detailOf, SOURCE } from '../sqs/wire.ts';

/** One event as PutEvents takes it. */
export interface Entry extends PutEventsRequestEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly Time: Date;
}

/** What EventBridge counts for a `Time`, whatever it is. */
const TIME = 14;

export const entryOf = (event: Event, bus: string): Entry => ({
  ...{ EventBusName: bus, Source: SOURCE, DetailType: event.event, Detail: detailOf(event), Time: new Date(event.at) },
});

/** The bytes that EventBridge counts: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html#eb-putevent-size */
export const sizeOf = ({ Time, Source, DetailType, Detail, Resources = [] }: PutEventsRequestEntry): number =>
  (Time ? TIME : 0) +
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
