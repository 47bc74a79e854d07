#!/usr/bin/env node
import { existsSync } from 'node:fs';

const needed = 24;
if (Number.parseInt(process.versions.node, 10) < needed) {
  console.error(
    `gleaner needs Node.js ${needed} or newer, and this is ${process.version}: in a clone run \`npx gleaner\`, else see https://nodejs.org`,
  );
  process.exit(2);
}
// A clone has the sources, which Node runs as they are; a package has JavaScript, for Node strips no types in node_modules.
await import(existsSync(new URL('cli.ts', import.meta.url)) ? './cli.ts' : '../dist/cli.js');
