import { interactFunction } from '../shared/worlds/aws/interact.ts';

export const handler = interactFunction(process.env);
