import { apply } from '../shared/flow/apply.ts';
import { policed } from '../shared/worlds/aws/configuration.ts';
import { hopFunction } from '../shared/worlds/aws/hop.ts';
import { knowing } from '../shared/worlds/aws/modes.ts';
import { reaching } from '../shared/worlds/aws/reach.ts';
import { sealed } from '../shared/worlds/aws/sealed.ts';
import { peopled } from '../shared/worlds/aws/slack.ts';

export const handler = hopFunction('apply', process.env, () => apply, [knowing, policed, peopled, reaching, sealed]);
