import type { Picture } from '../../ports/cluster.ts';
import type { Warning } from '../../ports/source.ts';
import { because, type Send } from './answer.ts';
import { queryOf } from './selectors.ts';

/** Reads the last lines of a container. That a container has not run (before), which is 400, is no warning. */
export function logReader(send: Send, warn: (warning: Warning) => void): Picture['log'] {
  return async ({ namespace, name }, { container, previous = false, tail }) => {
    const query = queryOf({ container, tailLines: String(tail), ...(previous && { previous: 'true' }) });
    const pod = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
    const answer = await send({ method: 'GET', path: `${pod}/log?${query}` });
    if (answer.is === 'answered' && answer.code === 200) return linesOf(answer.body.toString('utf8'));
    const isOrdinary = answer.is === 'answered' && (answer.code === 400 || answer.code === 404);
    if (!isOrdinary) warn({ where: `log of ${namespace}/${name} (${container})`, because: because(answer) });
    return undefined;
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
