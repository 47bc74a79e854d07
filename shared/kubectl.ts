import { groupOf, type ObjectRef, type Step } from './handler.ts';

/** A word as a POSIX shell reads it, whatever stands in it. */
export const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** `ippool.loadbalancer.harvesterhci.io/pool1 -n ns`: the kind with its group, for several groups share names. */
function target({ apiVersion, kind, namespace, name }: ObjectRef): string {
  const group = groupOf(apiVersion);
  const object = `${kind.toLowerCase()}${group ? `.${group}` : ''}/${name}`;
  return `${quoted(object)}${namespace ? ` -n ${quoted(namespace)}` : ''}`;
}

/** The same step by hand; undefined where kubectl has no word for it. It lacks Gleaner's guards: look first. */
export function kubectlOf(step: Step): string | undefined {
  switch (step.do) {
    case 'patch':
      return `kubectl patch ${target(step.target)} --type=${step.patch.type} -p ${quoted(
        JSON.stringify(step.patch.type === 'merge' ? step.patch.body : step.patch.operations),
      )}`;
    case 'delete':
      return `kubectl delete ${target(step.target)}`;
    case 'restart':
      return `kubectl rollout restart ${target(step.target)}`;
    case 'call': {
      const { apiVersion, namespace, name, kind } = step.target;
      const base = `/apis/subresources.${apiVersion}/${namespace ? `namespaces/${namespace}/` : ''}`;
      return `kubectl replace --raw ${quoted(`${base}${kind.toLowerCase()}s/${name}/${step.subresource}`)} -f - <<<${quoted(JSON.stringify(step.body))}`;
    }
    case 'wait':
    case 'ask':
      return undefined;
  }
}
