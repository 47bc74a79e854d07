import { failureMode, type Json, type ObjectRef, refOf, trigger } from '../../shared/handler.ts';
import { CustomResourceDefinition, Deployment, Pod } from '../../shared/kinds.ts';
import { CRDS, FORMS } from './belongings.ts';
import { checks, verify } from './checks.ts';
import { diagnose, RANCHER, WEBHOOK } from './diagnose.ts';
import { Finding } from './finding.ts';
import { BAREMETAL, HARVESTER, MULTI_CLUSTER } from './flags.ts';
import {
  DynamicSchema,
  Feature,
  HarvesterConfig,
  HarvesterMachine,
  HarvesterMachineTemplate,
  Machine,
  NodeDriver,
  NodeTemplate,
  ProvisionedCluster,
  Rke1Node,
} from './kinds.ts';
import { plan } from './plan.ts';
import { causes } from './upstream.ts';

const DRIVER: ObjectRef = { apiVersion: NodeDriver.apiVersion, kind: NodeDriver.kind, name: 'harvester' };

const flagFields = ({ spec, status }: Feature): Json => [
  spec?.value ?? null,
  status?.default ?? null,
  status?.lockedValue ?? null,
];

const flagTrigger = (name: string) =>
  trigger({ kind: Feature, where: { fields: { 'metadata.name': name } }, fields: flagFields });

/** Rancher's node driver `harvester` that stays active after the feature flag `harvester` was turned off. */
export default failureMode<Finding>({
  id: 'driver-active-after-flag-disable',
  title: 'The Harvester node driver is active although its flag is off',
  on: 'rancher',
  urgency: 'morning',
  causes,
  finding: Finding,
  triggers: [
    flagTrigger(HARVESTER),
    flagTrigger(BAREMETAL),
    trigger({
      kind: NodeDriver,
      where: { fields: { 'metadata.name': DRIVER.name } },
      fields: ({ spec }) => [spec.active ?? null, spec.builtin ?? null],
    }),
  ],
  // Rancher 2.11.0 and newer follow the flag within seconds, and try again every 10 s.
  settle: '60s',
  again: '5m',
  rights: {
    read: [
      { kind: Feature, names: [HARVESTER, BAREMETAL, MULTI_CLUSTER] },
      { kind: NodeDriver, names: [DRIVER.name] },
      { kind: DynamicSchema, names: FORMS.map(({ schema }) => schema) },
      { kind: ProvisionedCluster },
      { kind: HarvesterMachine },
      { kind: HarvesterMachineTemplate },
      { kind: HarvesterConfig },
      { kind: Machine },
      { kind: Rke1Node },
      { kind: NodeTemplate },
      { kind: CustomResourceDefinition, names: CRDS },
      { kind: Deployment, namespace: RANCHER, names: [WEBHOOK] },
      { kind: Pod, namespace: RANCHER },
    ],
    logs: [RANCHER],
    patch: [
      { kind: Feature, names: [HARVESTER, BAREMETAL] },
      { kind: NodeDriver, names: [DRIVER.name] },
    ],
  },

  async subjects(look) {
    const driver = await look.get(NodeDriver, DRIVER);
    if (driver) return [refOf(driver)];
    return (await look.get(Feature, { name: HARVESTER })) ? [DRIVER] : [];
  },
  diagnose,
  plan,
  checks,
  verify,
  verification: { every: '20s', hold: '60s', deadline: '10m' },
});
