import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHelm, LEAST, template } from './helm.ts';

/** `node infra/watcher/manifests.ts`: writes the plain manifests, which are the chart as helm renders it. */

const HEAD = `# The watcher without helm: the chart as \`helm template\` renders it (node infra/watcher/manifests.ts writes it).
# Say your cluster's name and ingest in the Deployment's variables, and make the Secret with the cluster's key:
#   kubectl -n gleaner create secret generic gleaner-keys --from-file=keys=FILE
`;

const NAMESPACE = `---
apiVersion: v1
kind: Namespace
metadata:
  name: gleaner
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;

export const FLAVOURS = ['harvester', 'rancher'] as const;

/** The plain manifests of a flavour as they must be. Throws where helm is lacking or refuses. */
export function manifestsOf(program: string, flavour: (typeof FLAVOURS)[number]): string {
  const { ok, out, err } = template(program, [...LEAST, `flavour=${flavour}`]);
  if (!ok) throw new Error(`helm does not render the chart: ${err}`);
  return (
    HEAD + NAMESPACE + out.replace(/^# Source: .*\n/gm, '').replace(/^ *app.kubernetes.io\/managed-by: Helm\n/gm, '')
  );
}

/** Where they are kept. */
export const pathOf = (flavour: string) => join(import.meta.dirname, 'manifests', `${flavour}.yaml`);

if (import.meta.main) {
  const helm = findHelm();
  if ('lacks' in helm) {
    console.error(helm.lacks);
    process.exitCode = 1;
  } else
    for (const flavour of FLAVOURS) {
      const text = manifestsOf(helm.program, flavour);
      if (text === readFileSync(pathOf(flavour), { encoding: 'utf8', flag: 'a+' })) continue;
      writeFileSync(pathOf(flavour), text);
      console.log(`wrote infra/watcher/manifests/${flavour}.yaml`);
    }
}
