import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Where a running Gleaner is, and the token that decides there as one person. */
export const Connection = z.object({
  url: z.url({ protocol: /^https?$/ }),
  token: z.string(),
  /** Whose token it is. */
  who: z.string(),
  /** The process, where it runs on this machine. */
  pid: z.number().int().optional(),
  /** The certificate that it shows (PEM), to which a command holds it: that one is made out to another name. */
  certificate: z.string().optional(),
  until: z.iso.datetime().optional(),
});
export type Connection = z.infer<typeof Connection>;

/** Beside the state: what git and backups leave out with it. */
export const connectionFile = (state: string) => `${state}-connection`;

type Env = Readonly<Record<string, string | undefined>>;

/** Where `gleaner login` puts what it got: the folder that XDG names. */
export const loginFile = (env: Env) =>
  join(env.XDG_CONFIG_HOME || join(env.HOME ?? '.', '.config'), 'gleaner', 'login');

export type ReadConnection =
  | { readonly is: 'there'; readonly connection: Connection }
  | { readonly is: 'absent' }
  | { readonly is: 'broken' };

export function readConnection(file: string): ReadConnection {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { is: Object(error).code === 'ENOENT' ? 'absent' : 'broken' };
  }
  const parsed = Connection.safeParse(safeJson(text));
  return parsed.success ? { is: 'there', connection: parsed.data } : { is: 'broken' };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type FoundConnection =
  | { readonly ok: true; readonly connection: Connection; readonly from: string }
  | { readonly ok: false; readonly because: string };

const STATE = 'gleaner.sqlite';

/** Finds the Gleaner that is meant: `--url` with GLEANER_TOKEN or a login there; beside the state; the login. */
export function findConnection(options: { url?: string; state?: string }, env: Env): FoundConnection {
  const login = readConnection(loginFile(env));
  if (options.url !== undefined) return ofUrl(options.url, login, env);
  const named = options.state ?? env.GLEANER_STATE;
  const file = connectionFile(named ?? STATE);
  const beside = readConnection(file);
  if (beside.is === 'there') return { ok: true, connection: beside.connection, from: file };
  if (beside.is === 'broken') return { ok: false, because: `${file} cannot be read: it belongs to who runs Gleaner` };
  if (named === undefined && login.is === 'there')
    return { ok: true, connection: login.connection, from: loginFile(env) };
  const because = `no Gleaner runs here (there is no ${file}): start it, name its state with --state, or use --url`;
  return { ok: false, because };
}

function ofUrl(text: string, login: ReadConnection, env: Env): FoundConnection {
  const url = z.url({ protocol: /^https?$/ }).safeParse(text).success ? new URL(text) : undefined;
  if (!url) return { ok: false, because: `${text} is no address: write it as https://gleaner.example` };
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return { ok: false, because: `${url.origin} would get your token in the clear: use its https address` };
  if (env.GLEANER_TOKEN)
    return { ok: true, connection: { url: url.origin, token: env.GLEANER_TOKEN, who: 'you' }, from: 'GLEANER_TOKEN' };
  if (login.is === 'there' && login.connection.url === url.origin)
    return { ok: true, connection: login.connection, from: loginFile(env) };
  return { ok: false, because: `there is no token for ${url.origin}: set GLEANER_TOKEN, or run gleaner login LINK` };
}

export const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
