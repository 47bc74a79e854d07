import { readFileSync } from 'node:fs';
import { run } from '../shared/cli/main.ts';
import { commands } from '../shared/worlds/commands.ts';
import { readers } from '../shared/worlds/readers.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [{ stdout, stderr, argv, env }, print] = [process, (to: NodeJS.WriteStream) => (text: string) => to.write(text)];
stdout.on('error', () => process.exit()); // A reader that closes early, such as `head`, is no error of ours.
const terminal = { width: stdout.columns ?? 100, colours: stdout.isTTY === true && !env.NO_COLOR };
const around = { version, terminal, out: print(stdout), err: print(stderr) };
const ended = new Promise<void>((resolve) => {
  if (argv[2] === 'start') for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
});
process.exitCode = await run(argv.slice(2), around, readers, commands(around, env, ended));
