import { type Diagnosis, type Look, type NotThis, nameOf, type ObjectRef, refOf, saw } from '../../shared/handler.ts';
import { Deployment } from '../../shared/kinds.ts';
import { nowhere, webhookNowhere } from './causes/no-node.ts';
import { type Crash, crashing, imageless, recognised } from './causes/process.ts';
import type { Finding } from './finding.ts';
import { Bundle, ManagedChart } from './kinds.ts';
import { podsOf, SYSTEM } from './pods.ts';
import { NAME, type Sight, sightOf } from './sight.ts';

/** Where a partial picture lacks it, the Deployment is named by what its pods' labels say of it. */
const FALLBACK: ObjectRef = { apiVersion: Deployment.apiVersion, kind: Deployment.kind, namespace: SYSTEM, name: NAME };

/** Harvester itself, where the picture shows it or its pods, or that its chart was refused. */
export async function subjects(look: Look): Promise<readonly ObjectRef[]> {
  const deployment = await look.get(Deployment, FALLBACK);
  if (deployment) return [refOf(deployment)];
  const { servers, webhooks } = await podsOf(look);
  return servers.length > 0 || webhooks.length > 0 || (await refusedChart(look)) ? [FALLBACK] : [];
}

export async function diagnose(look: Look, subject: ObjectRef): Promise<Diagnosis<Finding>> {
  const sight = await sightOf(look, subject);
  const alive = sight.pods.filter(({ standing }) => standing.is !== 'gone');
  const serving = alive.find(({ standing }) => standing.is === 'serving');
  if (serving) return not(serving.standing.because);
  if (alive.length === 0) return withoutPods(sight);
  const crashes = alive.flatMap(({ pod, standing }): Crash[] =>
    standing.is === 'crashing' ? [{ pod, standing }] : [],
  );
  const [first] = crashes;
  if (first) return crashing(sight, first, crashes);
  const image = alive.find(({ standing }) => standing.is === 'image');
  if (image) return imageless(sight, image.pod, image.standing.because);
  const starting = alive.find(({ standing }) => standing.is === 'starting');
  return starting ? not(starting.standing.because) : nowhere(sight);
}

const not = (because: string): NotThis => ({ is: false, because });

async function withoutPods(sight: Sight): Promise<Diagnosis<Finding>> {
  const chart = await refusedChart(sight.look);
  if (chart) {
    const evidence = saw(chart, 'status.conditions', "Rancher's webhook denied the request");
    const cause = 'rancher-webhook-denies-bootstrap';
    return recognised(sight, { class: 'bootstrap-denied', cause, confidence: 'certain' }, [evidence]);
  }
  const webhook = sight.deployment ? undefined : webhookNowhere(sight);
  if (webhook) return webhook;
  const replicas = sight.deployment?.status?.availableReplicas ?? 0;
  return not(
    replicas > 0
      ? `${nameOf(sight.ref)} has ${replicas} available pods`
      : `no pod of ${nameOf(sight.ref)} is in the picture, so nothing says why it should be blocked`,
  );
}

const REFUSED = /admission webhook "rancher\.cattle\.io[^"]*" denied the request/;

/** What installs Harvester's chart, where Rancher's own webhook refuses it. */
async function refusedChart(look: Look) {
  const all = [
    await look.get(ManagedChart, { namespace: 'fleet-local', name: 'harvester' }),
    await look.get(Bundle, { namespace: 'fleet-local', name: 'mcc-harvester' }),
  ];
  return all.find((one) => one?.status?.conditions.some(({ message }) => REFUSED.test(message ?? '')));
}
