import { type Check, type Look, milliseconds, type Verdict } from '../../shared/handler.ts';
import { CustomResourceDefinition } from '../../shared/kinds.ts';
import { CRDS, FORMS } from './belongings.ts';
import { webhookOf } from './diagnose.ts';
import type { Finding } from './finding.ts';
import { BAREMETAL, effective, flag, HARVESTER } from './flags.ts';
import { DynamicSchema, NodeDriver } from './kinds.ts';
import { missingCrds, usersOf } from './users.ts';

const fixed = (because: string): Verdict => ({ is: 'fixed', because });
const waiting = (because: string): Verdict => ({ is: 'waiting', because });
const failed = (because: string): Verdict => ({ is: 'failed', because });

const isActive = async (look: Look) => (await look.get(NodeDriver, { name: 'harvester' }))?.spec.active;

/** Whether nobody uses the driver, Rancher can be asked, and the flag is still off. */
async function whyNotNow(look: Look): Promise<Verdict | undefined> {
  const { users, unseen } = await usersOf(look);
  if (users.length > 0) return failed(`the driver is in use by ${users.join(', ')}`);
  const crds = await missingCrds(look);
  if (crds.missing.length > 0) return failed(`${crds.missing.join(', ')} is missing: Rancher refuses the change`);
  if (unseen.length > 0 || crds.unseen)
    return waiting(`not everything that may use the driver can be read: ${unseen.join(', ')}`);
  if ((await webhookOf(look)) !== 'yes')
    return waiting('Deployment cattle-system/rancher-webhook is not seen to be available');
  const isOn = effective(await flag(look, HARVESTER));
  if (isOn === undefined) return waiting('the feature harvester cannot be read');
  return isOn ? failed('the feature harvester was turned on') : undefined;
}

const nobody = async (look: Look) => (await whyNotNow(look)) ?? fixed('nobody uses the driver');

/** The same, right before the driver itself: the bare-metal flag would turn all of it around. */
const unusedAndOff: Check<Finding> = async (look) => {
  // Rancher may have been faster, and deletes the definitions then: nothing is left to guard.
  if ((await isActive(look)) === false) return fixed('the driver is inactive already');
  if (effective(await flag(look, BAREMETAL)) === true) return failed(`the feature ${BAREMETAL} is on`);
  return nobody(look);
};

/** Whether Rancher deactivated the driver, or had 60 seconds for it since a flag was last written. */
const hadItsMinute: Check<Finding> = async (look) => {
  const active = await isActive(look);
  if (active === false) return fixed('Rancher deactivated the driver');
  if (active === undefined) return waiting('the driver cannot be read');
  const written = [await flag(look, HARVESTER), await flag(look, BAREMETAL)]
    .flatMap((feature) => feature?.metadata.managedFields ?? [])
    .map(({ time }) => Date.parse(time ?? ''))
    .filter((time) => !Number.isNaN(time));
  if (written.length === 0)
    return fixed('when the flags were written cannot be read; the driver is deactivated directly');
  return look.at.getTime() - Math.max(...written) >= milliseconds('60s')
    ? fixed('Rancher had a minute and did not deactivate the driver')
    : waiting('Rancher may still deactivate the driver by itself');
};

export const checks = {
  unused: nobody,
  'unused-and-off': unusedAndOff,
  'rancher-had-its-minute': hadItsMinute,
} satisfies Record<string, Check<Finding>>;

/** Whether the driver is inactive, the flags are off, and Rancher has taken away all that came with the driver. */
export async function verify(look: Look): Promise<Verdict> {
  const active = await isActive(look);
  if (active === undefined) return waiting('the driver cannot be read');
  if (active) return waiting('the driver is active');
  if (effective(await flag(look, HARVESTER)) !== false) return waiting('the feature harvester is not seen to be off');
  if (effective(await flag(look, BAREMETAL)) === true) return failed(`the feature ${BAREMETAL} is on`);
  for (const { schema: name, field } of FORMS) {
    const schema = await look.get(DynamicSchema, { name });
    if (!schema && !(await look.captured(DynamicSchema))) return waiting(`DynamicSchema ${name} cannot be read`);
    if (schema?.spec?.resourceFields.includes(field)) return waiting(`DynamicSchema ${name} still has ${field}`);
  }
  for (const name of CRDS) {
    if (await look.get(CustomResourceDefinition, { name })) return waiting(`Rancher has not deleted ${name} yet`);
  }
  if (!(await look.captured(CustomResourceDefinition))) return waiting('the definitions cannot be read');
  return fixed('the driver is inactive, the flags are off, and its forms and definitions are gone');
}
