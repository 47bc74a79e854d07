import type { Picture } from '../../ports/cluster.ts';
import type { Warning } from '../../ports/source.ts';
import { because, type Send } from './answer.ts';
import type { Grace } from './grace.ts';
import { queryOf } from './selectors.ts';

/** What an API server says itself while it starts or is busy. Anything else may be the word of a node that is down. */
const ITS_OWN: ReadonlySet<number> = new Set([401, 403, 429]);

/** Reads the last lines of a container. That a container has not run (before), which is 400, is no warning. */
export function logReader(send: Send, grace: Grace, warn: (warning: Warning) => void): Picture['log'] {
  return async ({ namespace, name }, { container, previous = false, tail }) => {
    const query = queryOf({ container, tailLines: String(tail), ...(previous && { previous: 'true' }) });
    const pod = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
    const answer = await send({ method: 'GET', path: `${pod}/log?${query}` });
    const what = `logs in ${namespace}`;
    if (answer.is === 'answered' && ITS_OWN.has(answer.code)) grace.failed(what, because(answer));
    else grace.succeeded(what);
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
