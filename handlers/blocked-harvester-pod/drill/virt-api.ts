import type { Call, Hands } from '../../../shared/drill.ts';
import type { JsonObject } from '../../../shared/handler.ts';
import { VirtualMachine, VirtualMachineInstance } from '../kinds.ts';
import { machineRef } from './virt-controller.ts';

const GROUP = 'subresources.kubevirt.io';

type Answer = Awaited<ReturnType<Call['answer']>>;
interface Asked {
  readonly strategy: string;
  readonly isLive: boolean;
}
/** What a call writes to the machine, or the message with which it is refused. */
type Decide = (asked: Asked) => { readonly spec: JsonObject } | { readonly request: string } | string;

const onRequest = ['RerunOnFailure', 'Manual'];

/** Machines that run on request keep their spec; the others are halted by it. */
const stop: Decide = ({ strategy, isLive }) => {
  if (onRequest.includes(strategy)) return isLive ? { request: 'Stop' } : 'VM is not running';
  return strategy === 'Halted' ? 'VM is not running' : { spec: { runStrategy: 'Halted' } };
};

const start: Decide = ({ strategy, isLive }) => {
  if (isLive) return 'VM is already running';
  if (onRequest.includes(strategy)) return { request: 'Start' };
  return strategy === 'Halted'
    ? { spec: { runStrategy: 'Always' } }
    : `${strategy} does not support manual start requests`;
};

/** Plays virt-api's `stop` and `start` of a machine (kubevirt v1.3.1 pkg/virt-api/rest/subresource.go). */
export const virtApiCalls: readonly Call[] = [call('stop', stop), call('start', start)];

function call(verb: string, decide: Decide): Call {
  return {
    group: GROUP,
    resource: `virtualmachines/${verb}`,
    async answer(hands, target, body) {
      const asked = await read(hands, target);
      if (!asked) return refusal(404, 'NotFound', `virtualmachine.kubevirt.io "${target.name}" not found`);
      const decided = decide(asked);
      if (typeof decided === 'string') {
        const message = `Operation cannot be fulfilled on virtualmachine.kubevirt.io "${target.name}": ${decided}`;
        return refusal(409, 'Conflict', message);
      }
      const isDry = Array.isArray(body.dryRun) && body.dryRun.includes('All');
      if (!isDry) await write(hands, target, decided);
      return { code: 202, body: {} };
    },
  };
}

async function read(hands: Hands, target: { namespace: string; name: string }): Promise<Asked | undefined> {
  const object = await hands.get(machineRef('VirtualMachine', target));
  if (!object) return undefined;
  const { spec } = VirtualMachine.schema.parse(object);
  const instance = await hands.get(machineRef('VirtualMachineInstance', target));
  const phase = instance && VirtualMachineInstance.schema.parse(instance).status?.phase;
  const isLive = instance !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
  return { strategy: spec?.runStrategy ?? (spec?.running ? 'Always' : 'Halted'), isLive };
}

async function write(
  hands: Hands,
  target: { namespace: string; name: string },
  decided: { readonly spec: JsonObject } | { readonly request: string },
): Promise<void> {
  const ref = machineRef('VirtualMachine', target);
  if ('spec' in decided) return hands.merge(ref, { spec: decided.spec });
  await hands.merge(ref, { status: { stateChangeRequests: [{ action: decided.request }] } }, 'status');
}

const refusal = (code: number, reason: string, message: string): Answer => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message },
});
