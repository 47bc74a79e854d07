import { modes } from '../../../handlers/index.ts';

/** Every failure mode, for the hops that ask them. */
export const knowing = () => async () => ({ modes });
