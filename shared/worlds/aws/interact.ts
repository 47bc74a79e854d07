import { Interactions } from '../../adapters/slack/app.ts';
import { slackReceiver } from '../../adapters/slack/receiver.ts';
import { refusalLog } from '../../adapters/slack/refused.ts';
import type { Card } from '../../card.ts';
import { lambdaInteract, type Receiver } from '../../runtime/interact.ts';
import { type Base, openBase } from './base.ts';
import { type Env, setting } from './environment.ts';
import { counted } from './metric.ts';
import { secret, slack, type Workspace } from './slack.ts';
import { busOf } from './world.ts';

/** Slack's way in, as the handler of a Lambda function behind an HTTP API. */
export function interactFunction(env: Env) {
  const base = openBase(env);
  const open = opener(base);
  return lambdaInteract(async () => ({ receive: async (request) => (await open()).receive(request) }), base.log);
}

interface Open {
  readonly from: string;
  readonly receiver: Receiver;
}

/** The receiver for the secrets and the workspace as they stand now; the same one while those do not change. */
function opener(base: Base): () => Promise<Receiver> {
  const { env, log, machine, store } = base;
  const [{ bus }, workspace, card] = [busOf(base), slack(base), lazily(base)];
  const warn = (because: string) => log.warn({ because }, 'Slack');
  const count = (kind: string) =>
    log.info({ ...counted('NotTaken', 1, setting(env, 'GLEANER_STAGE'), machine.now()), kind }, 'not taken');
  const refused = refusalLog({ store, clock: machine, count, warn });
  let kept: Open | undefined;
  let now: Workspace | undefined;

  return async () => {
    const [current, former, asked] = await Promise.all([
      secret(base, 'GLEANER_SLACK_SECRET'),
      secret(base, 'GLEANER_SLACK_SECRET_FORMER'),
      workspace(),
    ]);
    if (!current) throw new Error(`Slack cannot be believed: there is no parameter ${env.GLEANER_SLACK_SECRET}`);
    now = asked;
    const from = JSON.stringify([current, former]);
    if (kept?.from === from && now === asked) return kept.receiver;
    const receiver = slackReceiver({ secrets: { current, former }, clock: machine, refused, warn });
    new Interactions(receiver, {
      ...{ api: asked.api, directory: asked.directory, bus, store, clock: machine, url: env.SLACK_API_URL },
      ...{ home: () => now?.home, refused, warn, card },
    });
    kept = { from, receiver };
    return receiver;
  };
}

/** Failure modes and policy are loaded by who asks for a card: most presses need neither. */
function lazily(base: Base): (proposal: string) => Promise<Card | undefined> {
  let cards: Promise<(proposal: string) => Promise<Card | undefined>> | undefined;
  return async (proposal) => {
    cards ??= import('./details.ts').then((details) => details.cards(base));
    return (await cards)(proposal);
  };
}
