import { systemClock } from '../../shared/adapters/clock/system.ts';
import { inProcessBus } from '../../shared/adapters/inprocess/bus.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';

/**
 * A process to be killed. `chain`: each delivery publishes the next link of one endless chain. `burst`: publishes pairs
 * of events, and prints the number of each pair once that is durable.
 */
const [, , file = ':memory:', task] = process.argv;
const database = openDatabase(file);
const bus = inProcessBus({ database, clock: systemClock, routes: { only: ['reminded', 'expired'] } });

if (task === 'burst') {
  for (let pair = 0; pair < 500; pair++) {
    const proposal = String(pair);
    await bus.publish([{ fact: { event: 'reminded', proposal } }, { fact: { event: 'expired', proposal } }]);
    process.stdout.write(`${pair}\n`);
  }
} else {
  bus.consume('only', async (event) => {
    const link = 'proposal' in event ? Number(event.proposal) : 0;
    process.stdout.write(`${link}\n`);
    return [{ fact: { event: 'reminded', proposal: String(link + 1) } }];
  });
  const isNew = database.sql.prepare('SELECT count(*) AS n FROM audit').get()?.n === 0;
  if (isNew) await bus.publish([{ fact: { event: 'reminded', proposal: '0' } }]);
  bus.start();
  setInterval(() => {}, 1_000);
}
