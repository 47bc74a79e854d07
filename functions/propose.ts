import { propose } from '../shared/flow/propose.ts';
import { policed } from '../shared/worlds/aws/configuration.ts';
import { hopFunction } from '../shared/worlds/aws/hop.ts';

export const handler = hopFunction('propose', process.env, () => propose, [policed]);
