import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import type { ClientFacts } from './client.ts';
import { type FilePlace, type HostEnvironment, lookedUp, placesOf, type Sign } from './places.ts';

/** Whether a client is installed, and the evidence for it. */
export type DetectedClient = { installed: true; foundBy: string } | { installed: false };

/** Looks for the first sign of a client. Changes nothing. */
export async function detect(client: ClientFacts, environment: HostEnvironment): Promise<DetectedClient> {
  for (const sign of client.signs(placesOf(environment))) {
    const foundBy = await see(sign, environment);
    if (foundBy !== undefined) return { installed: true, foundBy };
  }
  return { installed: false };
}

/** The path of a command, found the way a terminal finds it; undefined if there is none. */
export function findCommand(command: string, environment: HostEnvironment): Promise<string | undefined> {
  return lookedUp(environment.lookups?.commands, command, () => searchCommand(command, environment));
}

async function searchCommand(command: string, environment: HostEnvironment): Promise<string | undefined> {
  const { env, moreCommands } = environment;
  const known = (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  return (
    (await seek(command, known, environment)) ?? (await seek(command, (await moreCommands?.()) ?? [], environment))
  );
}

async function see(sign: Sign, environment: HostEnvironment): Promise<string | undefined> {
  if ('exists' in sign) {
    const [path] = await matching(sign.exists, environment);
    return path === undefined ? undefined : `${path} exists`;
  }
  const path = await findCommand(sign.command, environment);
  return path === undefined ? undefined : `the command ${path} exists`;
}

async function seek(command: string, folders: string[], environment: HostEnvironment): Promise<string | undefined> {
  const { env, system } = environment;
  const endings = system === 'win32' ? (env.PATHEXT || '.EXE;.CMD;.BAT').split(';') : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const name = command + ending.toLowerCase();
      if ((await namesIn(folder, environment))?.has(system === 'win32' ? name.toLowerCase() : name) === false) continue;
      const path = join(folder, name);
      if (await isThere(path, constants.X_OK)) return path;
    }
  }
  return undefined;
}

/** The names in a folder, in lower case on Windows, if the environment caches lookups; undefined if they are not known. */
async function namesIn(folder: string, { system, lookups }: HostEnvironment): Promise<ReadonlySet<string> | undefined> {
  if (!lookups) return undefined;
  return lookedUp(lookups.folders, folder, () =>
    readdir(folder).then(
      (names) => new Set(system === 'win32' ? names.map((name) => name.toLowerCase()) : names),
      // A missing folder has no names. A folder that cannot be listed may contain any.
      (error: unknown) =>
        error instanceof Error && 'code' in error && error.code === 'ENOENT' ? new Set() : undefined,
    ),
  );
}

/** `expand` with the lookups of the environment. */
function matching(pattern: string, { lookups }: HostEnvironment): Promise<string[]> {
  return lookedUp(lookups?.paths, pattern, () => expand(pattern));
}

/** A file to write entries to. */
export interface LocatedFile extends Omit<FilePlace, 'role' | 'if'> {
  /** The folder of the project that the file belongs to. */
  project?: string | undefined;
}

/**
 * The files in which a client's entries belong now. Only looks.
 * @throws {CausewayError} `ambiguous` if one is meant and several fit
 */
export async function locate(client: ClientFacts, environment: HostEnvironment): Promise<LocatedFile[]> {
  const places = client.files(placesOf(environment));
  const holds = async ({ if: condition }: FilePlace) => {
    if (condition === undefined) return true;
    if (typeof condition === 'string') return (await matching(condition, environment)).length > 0;
    return (await findCommand(condition.command, environment)) !== undefined;
  };
  const besides: LocatedFile[] = [];
  for (const place of places) {
    if (place.role === 'also' && (await holds(place))) besides.push(...(await filesOf(place, environment)));
  }
  const main = places.filter(({ role }) => role === 'main');
  for (const place of main) {
    const last = place === main.at(-1) && besides.length === 0;
    if (!(last || (await holds(place)))) continue;
    const files = await filesOf(place, environment);
    if (files.length > 1) throw severalFit(client, files);
    return [...files, ...besides];
  }
  return besides;
}

/** Existing files that would hold a client's entries if it were installed differently: their entries have moved. */
export async function locateFormer(client: ClientFacts, environment: HostEnvironment): Promise<LocatedFile[]> {
  const present = (await locate(client, environment)).map(({ path }) => path);
  const places = client.files(placesOf(environment)).filter(({ role, path }) => role === 'main' && !path.includes('*'));
  const former = places.filter(({ path }) => !present.includes(path));
  const there = await Promise.all(former.map(({ path }) => isThere(path)));
  return former.filter((_, index) => there[index]).map(({ path }) => ({ path }));
}

/** The files that match a place's pattern. For a file that need not exist yet, its folder must. */
async function filesOf(
  { role: _, if: condition, ...place }: FilePlace,
  environment: HostEnvironment,
): Promise<LocatedFile[]> {
  if (!place.path.includes('*')) return [place];
  if (typeof condition !== 'string') return [];
  const folders = await matching(condition, environment);
  return folders.map((folder) => ({ ...place, path: folder + place.path.slice(condition.length) }));
}

function severalFit({ name }: ClientFacts, files: LocatedFile[]): CausewayError {
  const paths = files.map(({ path }) => path).join(', ');
  return new CausewayError('ambiguous', `${name} has several configuration files: ${paths}.`, {
    remedy: 'Nothing was written. Only one of them is in use. Delete the others, then try again.',
  });
}

/** The paths that exist and fit a pattern, in which `*` stands for any part of one segment. */
export async function expand(pattern: string): Promise<string[]> {
  const [, before = '', segment = '', after = ''] = /^(.*?[/\\])?([^/\\]*\*[^/\\]*)([/\\].*)?$/.exec(pattern) ?? [];
  if (segment === '') return (await isThere(pattern)) ? [pattern] : [];
  const literal = segment.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const fits = new RegExp(`^${literal.join('.*')}$`);
  const names = await readdir(before).catch(() => []);
  const found = names.filter((name) => fits.test(name)).sort();
  return (await Promise.all(found.map((name) => expand(before + name + after)))).flat();
}

export async function isThere(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/**
 * The file of a client in a project, if it has one.
 * @param candidates where it must have one, the clients among which others do
 * @throws {CausewayError} `usage` if it must, and has none
 */
export function projectFile(
  { name, project }: ClientFacts,
  folder: string,
  candidates: readonly ClientFacts[] | false,
): LocatedFile[] {
  if (project) return [{ path: join(folder, ...project.path), project: folder }];
  if (!candidates) return [];
  const able = candidates.filter((client) => client.project).map(({ id }) => id);
  throw new CausewayError('usage', `${name} has no file for a project that Causeway knows.`, {
    remedy: `Nothing was written. These have: ${able.join(', ')}.`,
  });
}
