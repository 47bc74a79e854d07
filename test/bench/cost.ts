import { modes } from '../../handlers/index.ts';
import { alarms } from '../../infra/aws/alarms.ts';
import { PRICES } from '../../infra/aws/prices.ts';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { stillLife } from '../../shared/adapters/stilllife/look.ts';
import { examine } from '../../shared/examine.ts';
import { milliseconds } from '../../shared/handler.ts';
import { harvesterBase } from '../../shared/playground/base/harvester.ts';
import { dynamodbLocal } from '../aws/bed/dynamodb-local.ts';
import { type Measured, measured } from './cost-run.ts';
import { add, nothing, times, type Usage } from './metered.ts';
import type { Row } from './table.ts';

const SIZES = [1, 100, 10_000] as const;
const MONTH = 30;

/**
 * What cannot be measured here, in milliseconds of a function's time, one request after the other: within a region, to a
 * cluster over the internet, to Slack; and the start of a function of 512 MB, which is billed too.
 */
const TAKES = { store: 6, bus: 15, queue: 8, cluster: 40, slack: 250, start: 900 } as const;
/** A function has the share of a processor that its memory is of this, and no more than one of its own. */
const [MEMORY, WHOLE] = [512, 1_769];
/** A function that was not asked for so long starts anew: between five minutes and an hour, says nobody officially. */
const WARM_FOR = milliseconds('10m');

const BEATS = 24 * 12;
/** Of a cluster in a day, of what five modes know. */
const INCIDENTS = 2 / 30;
/** For how many seconds a function keeps which clusters there are. */
const REGISTRY_KEPT = 30;
/** How often a mode looks where nothing of it is open: as its own `again` says, and at the pace of a stack. */
const PACES = ['as each mode asks', '30m', '1h'] as const;
const HARVESTER = modes.filter(({ on }) => on === 'harvester');

interface Cost {
  readonly dollars: number;
  readonly lambda: number;
}

/** Billed milliseconds, and dollars. `starts`: for how many of the deliveries a function starts. */
function costOf(usage: Usage, starts: number): Cost {
  const { lambda, eventbridge, sqs, dynamodb } = PRICES;
  const waits =
    usage.storeRequests * TAKES.store +
    usage.events * TAKES.bus +
    usage.clusterRequests * TAKES.cluster +
    usage.slackRequests * TAKES.slack;
  const ms = (usage.cpu * WHOLE) / MEMORY + waits + starts * usage.deliveries * TAKES.start;
  const dollars =
    usage.deliveries * lambda.request +
    (ms / 1_000) * (MEMORY / 1_024) * lambda.gigabyteSecond +
    usage.events * eventbridge.event +
    usage.messages * sqs.request +
    usage.reads * dynamodb.read +
    usage.writes * dynamodb.write;
  return { dollars, lambda: ms };
}

/** `npm run bench -- cost`: what an incident and an idle cluster cost on AWS, from a measured run and the price list. */
export async function cost(): Promise<Row[]> {
  const { endpoint, engine, end } = await dynamodbLocal((line) => console.error(line));
  try {
    const requests = await requestsOfLook();
    const runs: Measured[] = [];
    for (const size of SIZES) runs.push(await measured(endpoint, size));
    console.error(
      `A look asks a cluster ${requests.toFixed(1)} times. Units as ${engine} bills them; prices of ${PRICES.region}, ${PRICES.asOf}, without a free tier.`,
    );
    return [...runs.flatMap((run) => rowsOf(run, requests)), fixed()];
  } finally {
    await end();
  }
}

/** The share of the deliveries for which a function starts, where so many come in a day, evenly. */
const startsAt = (aDay: number) => Math.max(0, 1 - (aDay * WARM_FOR) / milliseconds('24h'));

function rowsOf({ clusters, incident, beat, look, tick, registry }: Measured, requests: number): Row[] {
  const whole = nothing();
  for (const each of incident.values()) add(whole, each);
  /** How many deliveries of incidents a function has in a day. */
  const aDay = (clusters * INCIDENTS * whole.deliveries) / incident.size;
  // Whoever was not asked for half a minute reads the registry anew.
  add(whole, times(registry, whole.deliveries * Math.min(1, 86_400 / aDay / REGISTRY_KEPT)));
  // On a lonely stack every function starts anew.
  const ofIncident = costOf(whole, startsAt(aDay));
  const said = told(clusters);
  const looks = (pace: (typeof PACES)[number]) =>
    HARVESTER.reduce((sum, { again }) => sum + milliseconds('24h') / Math.max(milliseconds(again), paceOf(pace)), 0);
  return [
    {
      what: said('incident'),
      measured: `$${ofIncident.dollars.toFixed(6)}`,
      beside: `${units(whole)}, ${Math.round(ofIncident.lambda)} ms of Lambda`,
      ...{ aim: '< $0.001', holds: ofIncident.dollars < 0.001 },
    },
    ...PACES.map((pace) => idle(said(`idle cluster-month, looks ${pace}`), looks(pace))),
    clockRow(),
  ];

  function idle(what: string, looksADay: number): Row {
    const day = times(beat, BEATS);
    // A watcher's beat comes over the bus.
    add(day, { ...nothing(), events: BEATS });
    // The sweep publishes each look, with its line in the audit log.
    const asked = { ...look, events: 1, writes: look.writes + 1, storeRequests: look.storeRequests + 1 };
    add(day, times({ ...asked, clusterRequests: requests }, looksADay));
    add(day, times(registry, registryReads(looksADay) / clusters));
    const { dollars, lambda } = costOf(day, startsAt(clusters * (looksADay + BEATS)));
    const month = dollars * MONTH;
    return {
      ...{ what, measured: `$${month.toFixed(4)}`, aim: '< $0.05', holds: month < 0.05 },
      beside: `a day: ${units(day)}, ${Math.round(lambda)} ms of Lambda, ${Math.round(looksADay)} looks`,
    };
  }

  /** Every function that is warm reads the registry twice a minute, if it is asked that often. */
  function registryReads(looksADay: number): number {
    const busy = ((looksADay * clusters) / 86_400) * (costOf({ ...look, clusterRequests: requests }, 0).lambda / 1_000);
    const containers = Math.ceil(busy) + Math.ceil((BEATS * clusters) / 86_400 / 20);
    return Math.min((containers * 86_400) / REGISTRY_KEPT, (looksADay + BEATS) * clusters);
  }

  function clockRow(): Row {
    const { dollars, lambda } = costOf(times(tick, 1_440), 0);
    const each = (dollars * MONTH) / clusters;
    return {
      ...{ what: said('the clock, for the whole stack a month'), measured: `$${(dollars * MONTH).toFixed(2)}` },
      beside: `a tick: ${units(tick)}, ${Math.round(lambda / 1_440)} ms; $${each.toFixed(4)} a cluster`,
      ...{ aim: clusters === 1 ? '-' : '< $0.01 a cluster', holds: clusters === 1 || each < 0.01 },
    };
  }
}

/** What a real mode asks of a well cluster's API server at one look, on an average: the same question is asked once. */
async function requestsOfLook(): Promise<number> {
  let asked = 0;
  for (const mode of HARVESTER) {
    const life = stillLife({ at: systemClock.now(), objects: [...harvesterBase('10.0.0.10')] });
    const questions = new Set<string>();
    const look = new Proxy(life, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...given: readonly unknown[]) => {
          if (name !== 'captured' && name !== 'lastGood') questions.add(`${String(name)} ${JSON.stringify(given)}`);
          return Reflect.apply(method, target, given);
        };
      },
    });
    await examine(mode, look);
    asked += questions.size;
  }
  return asked / HARVESTER.length;
}

const paceOf = (pace: (typeof PACES)[number]) => (pace === 'as each mode asks' ? 0 : milliseconds(pace));
const told = (clusters: number) => (what: string) => `${what}, at ${clusters.toLocaleString('en')}`;
const units = (usage: Usage) =>
  [
    `${amount(usage.deliveries)} deliveries`,
    `${amount(usage.events)} events`,
    `${amount(usage.reads)} reads`,
    `${amount(usage.writes)} writes`,
  ].join(', ');
const amount = (number: number) => (number < 10 ? number.toFixed(1) : Math.round(number).toLocaleString('en'));

/** What the stack costs when nothing happens: alarms, its dashboard, its key, and Lambda's pollers of the queues. */
function fixed(): Row {
  const { cloudwatch, kms, sqs } = PRICES;
  const count = Object.values(alarms()).filter((part) => Object(part).Type === 'AWS::CloudWatch::Alarm').length;
  // Lambda keeps five pollers on a queue, each waiting up to 20 seconds: AWS' own figure is 15 requests a minute.
  const polls = QUEUES * 15 * 60 * 24 * MONTH * sqs.request;
  const dollars = count * cloudwatch.alarmMonth + cloudwatch.dashboardMonth + kms.keyMonth + polls;
  return {
    ...{ what: 'the stack itself, a month', measured: `$${dollars.toFixed(2)}`, aim: '-', holds: true },
    beside: `${count} alarms $${(count * cloudwatch.alarmMonth).toFixed(2)}, polling $${polls.toFixed(2)}, dashboard $3, key $1`,
  };
}
const QUEUES = 7;
