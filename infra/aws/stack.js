/** What serverless.yml takes from TypeScript, by name: osls reads files of JavaScript alone. */
import { alarms } from './alarms.ts';
import { dashboard } from './dashboard.ts';
import { queues } from './queues.ts';
import { roles } from './roles.ts';
import { table } from './table.ts';

const resources = (parts) => ({ Resources: parts });

export const store = resources(table());
export const bus = resources(queues());
export const rights = resources(roles());
export const watching = resources({ ...alarms(), ...dashboard() });
