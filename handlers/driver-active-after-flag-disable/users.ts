import { type Evidence, type Kind, type Look, refOf, type Seen } from '../../shared/handler.ts';
import { CustomResourceDefinition } from '../../shared/kinds.ts';
import { CRDS } from './belongings.ts';
import {
  HarvesterConfig,
  HarvesterMachine,
  HarvesterMachineTemplate,
  Machine,
  NodeTemplate,
  ProvisionedCluster,
  Rke1Node,
} from './kinds.ts';

const CLUSTER_NAME = 'cluster.x-k8s.io/cluster-name';
const DRIVER = 'harvester';

/** Who uses the driver, by cluster where that is known; and the kinds of users that were not captured. */
export interface Users {
  readonly users: string[];
  readonly unseen: string[];
  /** One object for each user. */
  readonly evidence: Evidence[];
}

/**
 * Everything that a deactivation would break. Rancher's webhook asks for HarvesterMachines and RKE1 nodes only, and
 * lets HarvesterConfigs and templates be deleted with their definitions (rancher #41128): this is stricter.
 */
export async function usersOf(look: Look): Promise<Users> {
  const users = new Map<string, Evidence>();
  const unseen: string[] = [];
  const kinds: Kind[] = [];
  async function ask<T extends Seen>(kind: Kind<T>, name: (object: T) => string | undefined) {
    kinds.push(kind);
    for (const object of await look.list(kind)) {
      const user = name(object);
      if (user === undefined || users.has(user)) continue;
      users.set(user, {
        object: refOf(object),
        field: 'metadata.name',
        value: object.metadata.name,
        because: `${user} uses the driver`,
      });
    }
  }
  await ask(ProvisionedCluster, (cluster) => {
    const pools = cluster.spec?.rkeConfig?.machinePools ?? [];
    return pools.some(({ machineConfigRef }) => machineConfigRef?.kind === HarvesterConfig.kind)
      ? clusterName(cluster, cluster.metadata.name)
      : undefined;
  });
  await ask(HarvesterMachine, ownerOf);
  await ask(HarvesterMachineTemplate, ownerOf);
  await ask(HarvesterConfig, ownerOf);
  await ask(Machine, (machine) =>
    machine.spec?.infrastructureRef?.kind === HarvesterMachine.kind
      ? clusterName(machine, machine.spec.clusterName)
      : undefined,
  );
  await ask(Rke1Node, ({ metadata, status }) =>
    status?.nodeTemplateSpec?.driver === DRIVER ? `RKE1 cluster ${metadata.namespace}` : undefined,
  );
  await ask(NodeTemplate, (template) => (template.spec?.driver === DRIVER ? named(template) : undefined));
  for (const kind of kinds) if (!(await look.captured(kind))) unseen.push(`${kind.kind} (${kind.apiVersion})`);
  return { users: [...users.keys()].sort(), unseen: unseen.sort(), evidence: [...users.values()] };
}

const named = ({ kind, metadata }: Seen) => `${kind} ${metadata.namespace}/${metadata.name}`;

const clusterName = (object: Seen, name: string | undefined) =>
  name === undefined ? named(object) : `Cluster ${object.metadata.namespace}/${name}`;

/** The cluster that an object of the driver belongs to, else the object itself. */
function ownerOf(object: Seen): string {
  const { labels, ownerReferences } = object.metadata;
  return clusterName(object, labels[CLUSTER_NAME] ?? ownerReferences.find(({ kind }) => kind === 'Cluster')?.name);
}

/** Which of the definitions are not there; `unseen` where definitions were not captured. */
export async function missingCrds(look: Look): Promise<{ missing: string[]; unseen: boolean }> {
  const missing: string[] = [];
  for (const name of CRDS) if (!(await look.get(CustomResourceDefinition, { name }))) missing.push(name);
  return (await look.captured(CustomResourceDefinition))
    ? { missing, unseen: false }
    : { missing: [], unseen: missing.length > 0 };
}
