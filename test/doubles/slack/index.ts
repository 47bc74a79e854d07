/**
 * Slack on loopback, for tests: the unmodified SDKs talk to it over HTTP and Socket Mode. It keeps Slack's published
 * limits strictly (`limits.ts`), forgets nothing that was said, and goes wrong as the test says (`faults.ts`).
 * What needs no server stands apart: `blocks/check.ts` reads a message or a modal as Slack does, `entities.ts` finds
 * what it brings to life.
 */
export { type SlackDouble, startSlack } from './double.ts';
export type { Fault } from './faults.ts';
export { type Forge, lambdaEvent, signatureOf } from './signed-request.ts';
export type { Message } from './state.ts';
export { ADA, BOB, CHANNEL, GROUP, TEAM } from './world.ts';
