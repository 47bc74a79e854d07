import { modes } from '../../handlers/index.ts';
import { systemClock } from '../../shared/adapters/clock/system.ts';
import { connect } from '../../shared/adapters/kubernetes/connect.ts';
import { trigger } from '../../shared/handler.ts';
import { Pod } from '../../shared/kinds.ts';

/** Every pod, beside what the modes ask for, so that the reader really has the crowd before it. */
const everyPod = trigger({ kind: Pod, fields: ({ status }) => status?.phase ?? null });

/**
 * Runs in a process of its own: follows a cluster as Gleaner does, and tells its parent after the number of pods that
 * its second argument names what it weighs (bytes), at once and when nothing has happened for a while.
 */
async function follow(kubeconfig: string, pods: number): Promise<void> {
  const cluster = await connect({ kubeconfig, clock: systemClock });
  const weights = [process.memoryUsage.rss()];
  let seen = 0;
  const wakes = [...modes.filter(({ on }) => on === cluster.flavour).flatMap(({ triggers }) => triggers), everyPod];
  const weigh = () => {
    weights.push(process.memoryUsage.rss());
    if (weights.length < 4) return void setTimeout(weigh, 2_000);
    const peak = process.resourceUsage().maxRSS * 1024;
    process.send?.({ rss: weights.at(-1), before: weights[0], synced: weights[1], peak }, () => process.exit());
  };
  await cluster.watch(
    wakes,
    (what) => {
      if (what.is !== 'changed' || what.wake !== everyPod) return;
      const before = seen;
      seen += what.objects.length;
      if (before < pods && seen >= pods) weigh();
    },
    new AbortController().signal,
  );
}

const [kubeconfig = '', pods = '0'] = process.argv.slice(2);
if (import.meta.main) await follow(kubeconfig, Number(pods));
