import type { ClientFacts, PassedVariables } from './client.ts';
import { commandLineOf, isDataTable } from './entry.ts';
import type { HostEnvironment } from './places.ts';

/** How a client starts the server of one entry. */
export interface ClientStart {
  command: string;
  args: string[];
  /** All variables that the server gets. */
  env: NodeJS.ProcessEnv;
  folder: string;
  /** How long the client waits for an answer, in milliseconds; undefined if not known. */
  answerMs: number | undefined;
}

/** What the MCP SDK hands on where a client does not say otherwise (`getDefaultEnvironment` of its client for stdio). */
const OF_THE_SDK = {
  posix: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'],
  win32: [
    ...['APPDATA', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PROCESSOR_ARCHITECTURE', 'SYSTEMDRIVE'],
    ...['SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE', 'PROGRAMFILES'],
  ],
};

/**
 * How a client would start an entry of its file now. Pure.
 * @param current the folder that the client would be started in: of a project, or where the user is
 * @returns undefined if the entry starts no program
 */
export function startOf(
  { start = {} }: ClientFacts,
  entry: unknown,
  environment: HostEnvironment,
  current: string,
): ClientStart | undefined {
  const [command, ...args] = commandLineOf(entry);
  if (command === undefined) return undefined;
  const { system, home, env } = environment;
  const sdk: PassedVariables = { only: system === 'win32' ? OF_THE_SDK.win32 : OF_THE_SDK.posix };
  const homes = system === 'win32' ? { USERPROFILE: home } : { HOME: home };
  return {
    command,
    args,
    env: { ...passedOn({ ...env, ...homes }, start.variables ?? sdk, system === 'win32'), ...ownVariables(entry) },
    folder: ownFolder(entry) ?? (start.folder === 'home' ? home : current),
    answerMs: start.answerMs,
  };
}

/** Whether the user has turned an entry off in the client. */
export function isTurnedOff(entry: unknown): boolean {
  return isDataTable(entry) && (entry.disabled === true || entry.enabled === false);
}

function passedOn(env: NodeJS.ProcessEnv, variables: PassedVariables, ignoresCase: boolean): NodeJS.ProcessEnv {
  if (variables === 'all') return { ...env };
  const kept = (name: string) => {
    if ('without' in variables) return !variables.without.test(name);
    return variables.only.includes(ignoresCase ? name.toUpperCase() : name);
  };
  return Object.fromEntries(Object.entries(env).filter(([name]) => kept(name)));
}

/** The variables that the entry itself sets, under the clients' names for them. */
function ownVariables(entry: unknown): Record<string, string> {
  if (!isDataTable(entry)) return {};
  const own = entry.env ?? entry.environment ?? entry.envs;
  if (!isDataTable(own)) return {};
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function ownFolder(entry: unknown): string | undefined {
  if (!isDataTable(entry)) return undefined;
  const folder = entry.cwd ?? entry.working_directory;
  return typeof folder === 'string' ? folder : undefined;
}
