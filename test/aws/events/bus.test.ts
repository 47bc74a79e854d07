import { afterAll } from 'vitest';
import { manualClock } from '../../../shared/adapters/clock/manual.ts';
import { busConformance } from '../../conformance/bus.ts';
import { chance } from '../../conformance/chance.ts';
import type { FakeBus } from './fake-bus.ts';
import { conformingFake, START, stackOn } from './under-test.ts';

const opened: FakeBus[] = [];
afterAll(async () => {
  await Promise.all(opened.map((fake) => fake.close()));
});

async function open(luck?: () => number) {
  const clock = manualClock(START);
  const fake = await conformingFake(clock.now, luck);
  opened.push(fake);
  return stackOn(fake, clock);
}

busConformance('EventBridge and SQS', () => open());

for (const seed of [1, 2, 3]) {
  busConformance(`EventBridge and SQS, at their worst (seed ${seed})`, () => open(chance(seed)));
}
