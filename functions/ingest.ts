import { ingestFunction } from '../shared/worlds/ingest.ts';

export const handler = ingestFunction(process.env);
