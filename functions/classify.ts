import { classify } from '../shared/flow/classify.ts';
import { policed } from '../shared/worlds/aws/configuration.ts';
import { hopFunction } from '../shared/worlds/aws/hop.ts';
import { knowing } from '../shared/worlds/aws/modes.ts';
import { reaching } from '../shared/worlds/aws/reach.ts';

export const handler = hopFunction('classify', process.env, () => classify, [knowing, policed, reaching]);
