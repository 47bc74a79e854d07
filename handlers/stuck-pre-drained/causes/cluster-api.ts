import { refOf, saw } from '../../../shared/handler.ts';
import { Pod } from '../../../shared/kinds.ts';
import type { Sight } from '../sight.ts';
import { SOFT, type Told } from '../told.ts';

/** Where the Cluster API controller runs: before and since Rancher's turtles. */
export const CAPI_NAMESPACES = ['cattle-provisioning-capi-system', 'cattle-capi-system'];

/** The kubelet is new, and the Cluster API controller still reports the old one: it has lost its access. */
export async function capiUnauthorized(sight: Sight): Promise<Told | undefined> {
  const { waiting, node, machine, cluster, name } = sight;
  const target = cluster?.spec?.kubernetesVersion;
  const own = node?.status?.nodeInfo?.kubeletVersion;
  const reported = machine?.status?.nodeInfo?.kubeletVersion;
  const lags = target !== undefined && own === target && reported !== undefined && reported !== target;
  const denied = lags || waiting?.for === 'kubelet' ? await deniedIn(sight) : undefined;
  if (!lags && !denied) return undefined;
  return {
    class: 'P3',
    cause: 'capi-controller-unauthorized',
    confidence: lags && denied ? 'certain' : 'probable',
    because: lags
      ? `the kubelet of Node ${name} is ${own} already, and its Machine still says ${reported}: the Cluster API controller does not see it`
      : `the Cluster API controller is not authorised to read Nodes, so Rancher waits for the kubelet of Node ${name}`,
    evidence: [
      ...(waiting ? [waiting.seen] : []),
      ...(node ? [saw(node, 'status.nodeInfo.kubeletVersion', 'what runs on the node')] : []),
      ...(machine ? [saw(machine, 'status.nodeInfo', 'what the Cluster API controller last saw')] : []),
      ...(denied ? [saw(denied, 'metadata.name', 'its log says Unauthorized')] : []),
    ],
    objects: [node, machine].flatMap((object) => (object ? [refOf(object)] : [])),
    patience: SOFT,
  };
}

/** The controller's pod, if its log says that it is not authorised. */
async function deniedIn({ look }: Sight): Promise<Pod | undefined> {
  for (const namespace of CAPI_NAMESPACES) {
    for (const pod of await look.list(Pod, { namespace })) {
      if (!pod.metadata.name.startsWith('capi-controller-manager')) continue;
      const lines = await look.log({ namespace, name: pod.metadata.name }, { container: 'manager', tail: 500 });
      if (lines?.some((line) => line.includes('Unauthorized'))) return pod;
    }
  }
  return undefined;
}
