import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CausewayError } from './errors.ts';
import { configFolder, homeFolder } from './paths.ts';

/**
 * What the person's shell knew when entries were written, and the process of an AI client may not: clients hand on a
 * handful of variables, or none. It stands in a file that each entry names (`--environment`). No secret is in it.
 */
export interface EntryEnvironment {
  version: 1;
  /** Decides whose permissions, profiles and tokens apply. The client's own variables of these names do not count. */
  decides: Readonly<Record<string, string>>;
  /** Helps to reach the workspace. The client's own variables go before it. */
  helps: Readonly<Record<string, string>>;
}

const FOLDERS = ['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'] as const;
const PLACES = [
  'CAUSEWAY_HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'DATABRICKS_CONFIG_FILE',
  'CAUSEWAY_TOKEN_KEY_FILE',
];
const DECIDING = [...FOLDERS, ...PLACES, 'CAUSEWAY_TOKEN_STORE'];

/** Variables that are taken together, or not at all. */
const HELPING = [
  ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'],
  ['NODE_EXTRA_CA_CERTS'],
  ['SSL_CERT_FILE'],
  ['DATABRICKS_CLI_PATH'],
  ['DATABRICKS_OAUTH_CALLBACK_PORT'],
  ['PATH'],
] as const;
const FILES: ReadonlySet<string> = new Set([...PLACES, 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']);
const PROXIES = /^https?_proxy$/i;

/** More than any record has, in bytes. */
const MAX_BYTES = 256 * 1024;

/** What an entry that is written now has to know of this environment. Paths are absolute. */
export function entryEnvironment(env: NodeJS.ProcessEnv): EntryEnvironment {
  const home = homeFolder(env);
  const homes = process.platform === 'win32' ? { USERPROFILE: home } : { HOME: home };
  return {
    version: 1,
    decides: {
      ...picked(
        env,
        DECIDING.filter((name) => name !== 'HOME' && name !== 'USERPROFILE'),
      ),
      ...homes,
    },
    helps: picked(env, HELPING.flat()),
  };
}

/** Where a proxy looks that no entry of ours names a file for, such as one from a project's file. */
export function defaultEnvironmentFile(env: NodeJS.ProcessEnv): string {
  return join(homeFolder(env), '.causeway', 'environment.json');
}

/** Whether this environment is of the home that every process finds without help. */
export function isDefaultHome({ decides }: EntryEnvironment): boolean {
  return !['CAUSEWAY_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'].some((name) => name in decides);
}

/**
 * Completes a proxy's environment. With `file`, what the file says decides. Without it, the file in the default place adds what
 * is missing, unless the environment says itself where Causeway's home is.
 * @throws {CausewayError} `invalid_file` if nothing may run, because it is not known which permissions apply
 */
export function adoptEnvironment(env: NodeJS.ProcessEnv, file: string | undefined): void {
  if (file === undefined && env.CAUSEWAY_HOME) return;
  const record = file === undefined ? readEnvironment(defaultEnvironmentFile(env), true) : readEnvironment(file, false);
  if (!record) return;
  for (const name of DECIDING) {
    const value = (file === undefined && env[name]) || record.decides[name];
    if (value !== undefined) env[name] = value;
    else if (file !== undefined) delete env[name];
  }
  for (const names of HELPING) {
    if (names.some((name) => env[name])) continue;
    for (const name of names) if (record.helps[name] !== undefined) env[name] = record.helps[name];
  }
  if (file !== undefined || !isDefaultHome(record)) checkSettings(configFolder(env));
}

/**
 * The folder of the settings was there when the entry was written. Where it is not, on a disk that is not connected say, no
 * permissions would be found in it, which would allow everything.
 */
function checkSettings(folder: string): void {
  if (existsSync(folder)) return;
  throw new CausewayError(
    'invalid_file',
    `This entry cannot tell which permissions apply: the folder of its settings, ${folder}, is not there. Nothing was run.`,
    {
      remedy:
        'Connect the disk that it is on, or restore it. To begin without it, write the entries again: AI clients › Repair in Causeway, or `causeway clients repair`.',
    },
  );
}

/**
 * Reads a record; undefined if there is none and there need not be one.
 * @throws {CausewayError} `invalid_file`
 */
export function readEnvironment(file: string, isOptional: boolean): EntryEnvironment | undefined {
  let text: string;
  try {
    text = ownText(file);
  } catch (error) {
    if (error instanceof CausewayError) throw error;
    if (isOptional && isAbsent(error)) return undefined;
    throw unusable(file, isAbsent(error) ? 'it is not there' : 'it cannot be read', error);
  }
  const record = parsed(text);
  if (record) return record;
  throw unusable(file, 'it is damaged, or from a newer version of Causeway');
}

/** The text of a file that no other user may have written. */
function ownText(file: string): string {
  const found = lstatSync(file);
  const isForeign = process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o022) !== 0);
  if (!found.isFile() || isForeign) throw unusable(file, 'other users may have written it');
  if (found.size > MAX_BYTES) throw unusable(file, 'it is too large');
  return readFileSync(file, 'utf8');
}

function parsed(text: string): EntryEnvironment | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return undefined;
  const decides = 'decides' in value ? textsIn(value.decides, DECIDING) : undefined;
  const helps = 'helps' in value ? textsIn(value.helps, HELPING.flat()) : undefined;
  return decides && helps ? { version: 1, decides, helps } : undefined;
}

/** The members, if each is a text and has one of these names. */
function textsIn(value: unknown, names: readonly string[]): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !names.includes(name)) return undefined;
    texts[name] = text;
  }
  return texts;
}

function picked(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const values = names.flatMap((name): [string, string][] => {
    const value = env[name];
    if (!value) return [];
    if (FILES.has(name)) return [[name, absolute(value, env)]];
    return [[name, PROXIES.test(name) ? withoutPassword(value) : value]];
  });
  return Object.fromEntries(values);
}

function absolute(path: string, env: NodeJS.ProcessEnv): string {
  return /^~[/\\]/.test(path) ? join(homeFolder(env), path.slice(2)) : resolve(path);
}

/** A proxy's address without its user and password. A proxy that asks for them then says so. */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i, '$1');
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function unusable(file: string, why: string, cause?: unknown): CausewayError {
  return new CausewayError(
    'invalid_file',
    `This entry cannot tell which permissions apply: its record ${file} cannot be used, because ${why}. Nothing was run.`,
    { remedy: 'Write the entries again: AI clients › Repair in Causeway, or `causeway clients repair`.', cause },
  );
}
