import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import type { ClientFacts, FilePlace, Sign } from './client.ts';
import { placesOf, type Surroundings } from './places.ts';

/** Whether a client is installed, and by what one can tell. */
export type Found = { installed: true; because: string } | { installed: false };

/** Looks for the first sign of a client. Only looks. */
export async function detect(client: ClientFacts, surroundings: Surroundings): Promise<Found> {
  for (const sign of client.signs(placesOf(surroundings))) {
    const because = await see(sign, surroundings);
    if (because !== undefined) return { installed: true, because };
  }
  return { installed: false };
}

async function see(sign: Sign, { env, system }: Surroundings): Promise<string | undefined> {
  if ('exists' in sign) {
    const [path] = await expand(sign.exists);
    return path === undefined ? undefined : `${path} exists`;
  }
  const endings = system === 'win32' ? (env.PATHEXT || '.EXE;.CMD;.BAT').split(';') : [''];
  for (const folder of (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean)) {
    for (const ending of endings) {
      const path = join(folder, sign.command + ending.toLowerCase());
      if (await isThere(path, constants.X_OK)) return `the command ${path} exists`;
    }
  }
  return undefined;
}

/** A file to write entries to. */
export type LocatedFile = Omit<FilePlace, 'role' | 'if'>;

/**
 * The files in which a client's entries belong now. Only looks.
 * @throws {CausewayError} `ambiguous` where one is meant and several fit
 */
export async function locate(client: ClientFacts, surroundings: Surroundings): Promise<LocatedFile[]> {
  const places = client.files(placesOf(surroundings));
  const main = places.filter(({ role }) => role === 'main');
  const chosen: LocatedFile[] = [];
  for (const [index, place] of main.entries()) {
    if (index < main.length - 1 && place.if !== undefined && (await expand(place.if)).length === 0) continue;
    const paths = await filesOf(place);
    if (paths.length > 1) throw severalFit(client, paths);
    chosen.push(...paths.map((path) => ({ ...place, path })));
    break;
  }
  for (const place of places.filter(({ role }) => role === 'also')) {
    if (place.if !== undefined && (await expand(place.if)).length === 0) continue;
    chosen.push(...(await filesOf(place)).map((path) => ({ ...place, path })));
  }
  return chosen;
}

/** The paths that a place's pattern stands for: of a file that need not be there yet, the folders must be. */
async function filesOf({ path, if: condition }: FilePlace): Promise<string[]> {
  if (!path.includes('*')) return [path];
  const folders = condition === undefined ? [] : await expand(condition);
  return folders.map((folder) => folder + path.slice(condition?.length ?? 0));
}

function severalFit({ name }: ClientFacts, paths: string[]): CausewayError {
  return new CausewayError('ambiguous', `${name} has several configuration files: ${paths.join(', ')}.`, {
    remedy: 'Nothing was written, for only one of them is in use. Remove the one that is left over.',
  });
}

/** The paths that exist and fit a pattern, in which `*` stands for any part of one segment. */
async function expand(pattern: string): Promise<string[]> {
  const [, before = '', segment = '', after = ''] = /^(.*?[/\\])?([^/\\]*\*[^/\\]*)([/\\].*)?$/.exec(pattern) ?? [];
  if (segment === '') return (await isThere(pattern)) ? [pattern] : [];
  const literal = segment.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const fits = new RegExp(`^${literal.join('.*')}$`);
  const names = await readdir(before).catch(() => []);
  const found = names.filter((name) => fits.test(name)).sort();
  return (await Promise.all(found.map((name) => expand(before + name + after)))).flat();
}

async function isThere(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
