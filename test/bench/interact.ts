import { acknowledge } from './acknowledge.ts';
import { coldStart } from './cold-start.ts';
import type { Row } from './table.ts';

/** What receives from Slack: how fast it acknowledges, and how its function starts. */
export const interact = async (): Promise<Row[]> => [...(await acknowledge()), ...(await coldStart())];
