import { decide } from '../shared/flow/decide.ts';
import { policed } from '../shared/worlds/aws/configuration.ts';
import { hopFunction } from '../shared/worlds/aws/hop.ts';
import { knowing } from '../shared/worlds/aws/modes.ts';
import { sealed } from '../shared/worlds/aws/sealed.ts';
import { peopled } from '../shared/worlds/aws/slack.ts';

export const handler = hopFunction('decide', process.env, () => decide, [knowing, policed, peopled, sealed]);
