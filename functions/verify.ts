import { verify } from '../shared/flow/verify.ts';
import { hopFunction } from '../shared/worlds/aws/hop.ts';
import { knowing } from '../shared/worlds/aws/modes.ts';
import { reaching } from '../shared/worlds/aws/reach.ts';

export const handler = hopFunction('verify', process.env, () => verify, [knowing, reaching]);
