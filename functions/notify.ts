import { policed } from '../shared/worlds/aws/configuration.ts';
import { hopFunction } from '../shared/worlds/aws/hop.ts';
import { knowing } from '../shared/worlds/aws/modes.ts';
import { telling } from '../shared/worlds/aws/talk.ts';

export const handler = hopFunction('notify', process.env, telling, [knowing, policed]);
