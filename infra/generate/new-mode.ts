import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run new -- <mode-id>`: a folder that works, to be changed from there; the next `npm run generate` registers it. */
const handlers = join(import.meta.dirname, '..', '..', 'handlers');
const id = process.argv[2] ?? '';

function refusal(): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(id))
    return `"${id}" is no id of a failure mode: write what one sees, in two words or more, such as volume-stuck-attaching`;
  return existsSync(join(handlers, id)) ? `handlers/${id} is there already` : undefined;
}

const because = refusal();
if (because !== undefined) {
  console.error(because);
  process.exitCode = 2;
} else {
  cpSync(join(handlers, '_template'), join(handlers, id), { recursive: true });
  const path = join(handlers, id, 'handler.ts');
  const text = readFileSync(path, 'utf8')
    .replace("id: 'template'", `id: '${id}'`)
    .replace(/\/\*\* A sixth mode.*\*\//, `/** ${id}: say in one sentence what it is. */`);
  writeFileSync(path, text);
  const files = readdirSync(join(handlers, id), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  for (const file of files) console.log(join(file.parentPath, file.name).slice(handlers.length - 'handlers'.length));
  console.log(
    `Change them, add a drill.ts, and run \`npm run generate\`. docs/failure-modes.md says how cases are written.`,
  );
}
