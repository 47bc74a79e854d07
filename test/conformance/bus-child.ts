import { systemClock } from '../../shared/adapters/clock/system.ts';
import { inProcessBus } from '../../shared/adapters/inprocess/bus.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';

/** A process to be killed: each delivery publishes the next link of one endless chain. */
const database = openDatabase(process.argv[2] ?? ':memory:');
const bus = inProcessBus({ database, clock: systemClock, routes: { only: ['reminded'] } });
bus.consume('only', async (event) => {
  const link = 'proposal' in event ? Number(event.proposal) : 0;
  process.stdout.write(`${link}\n`);
  return [{ fact: { event: 'reminded', proposal: String(link + 1) } }];
});
const isNew = database.sql.prepare('SELECT count(*) AS n FROM audit').get()?.n === 0;
if (isNew) await bus.publish([{ fact: { event: 'reminded', proposal: '0' } }]);
bus.start();
setInterval(() => {}, 1_000);
