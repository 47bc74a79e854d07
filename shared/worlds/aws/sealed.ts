import { processSeal } from '../../adapters/seal/process.ts';

/**
 * How a decision is proven to the function that applies it. The functions believe the table here as one process believes
 * its state file: whoever may write proposals may have them applied.
 */
export const sealed = () => async () => ({ seal: processSeal });
