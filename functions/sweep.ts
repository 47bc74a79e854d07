import { policed } from '../shared/worlds/aws/configuration.ts';
import { knowing } from '../shared/worlds/aws/modes.ts';
import { sweepFunction } from '../shared/worlds/aws/sweep.ts';

export const handler = sweepFunction(process.env, '1m', [knowing, policed]);
