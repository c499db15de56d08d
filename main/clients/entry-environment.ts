import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  defaultEnvironmentFile,
  type EntryEnvironment,
  entryEnvironment,
  isDefaultHome,
  readEnvironment,
} from '../platform/entry-environment.ts';
import { CausewayError } from '../platform/errors.ts';
import { configFolder, stateFolder } from '../platform/paths.ts';
import { makeFolder, writeWholeFile } from '../platform/replace-file.ts';
import { type Launcher, safePlace, sharedPart } from './launcher.ts';
import { makeOwnFolder } from './own-folder.ts';

/** A launcher whose entries name the record of this environment, which is kept when they are written. */
export function withEnvironment(launcher: Launcher, env: NodeJS.ProcessEnv): Launcher {
  return {
    ...launcher,
    environment: environmentFile(env),
    keepEnvironment: () => keepEnvironment(env),
  };
}

/**
 * The record for entries that are written in this environment, at a path that clients pass on whole. What decides is in its name:
 * an entry that was written in another environment is seen as outdated, and does not change under its user.
 */
export function environmentFile(env: NodeJS.ProcessEnv): string {
  const digest = crc32(JSON.stringify(entryEnvironment(env).decides))
    .toString(16)
    .padStart(8, '0');
  const name = `environment-${digest}.json`;
  return safePlace(env, name) ?? join(stateFolder(env), name);
}

/**
 * Writes the record, with what earlier writers knew and this environment does not, such as a proxy. The same stands where proxies
 * look that name no record, unless another home's record is there.
 * @throws {CausewayError} `file_not_writable`
 */
async function keepEnvironment(env: NodeJS.ProcessEnv): Promise<void> {
  const file = environmentFile(env);
  const now = entryEnvironment(env);
  await makeOwnFolder(dirname(file), sharedPart(file, env), env);
  // A proxy that does not find it runs nothing.
  await makeFolder(configFolder(env), 0o700);
  await writeMerged(file, now);
  const common = defaultEnvironmentFile(env);
  const there = knownAt(common);
  if (there === 'unusable' || (there && !isDefaultHome(now) && !isSameHome(there, now))) return;
  await makeFolder(dirname(common), 0o700);
  await writeMerged(common, now);
}

/** The records of this environment's home that are there. */
export function environmentFiles(env: NodeJS.ProcessEnv): string[] {
  const now = entryEnvironment(env);
  const isOurs = (file: string) => {
    const there = knownAt(file);
    return there !== undefined && there !== 'unusable' && isSameHome(there, now);
  };
  return [environmentFile(env), defaultEnvironmentFile(env)].filter(isOurs);
}

async function writeMerged(file: string, now: EntryEnvironment): Promise<void> {
  const before = knownAt(file);
  const helps = before && before !== 'unusable' ? { ...before.helps, ...now.helps } : now.helps;
  const text = `${JSON.stringify({ ...now, helps }, null, 2)}\n`;
  if (before && before !== 'unusable' && `${JSON.stringify(before, null, 2)}\n` === text) return;
  await writeWholeFile(file, text, { mode: 0o600 });
}

function isSameHome(one: EntryEnvironment, other: EntryEnvironment): boolean {
  return ['CAUSEWAY_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'HOME', 'USERPROFILE'].every(
    (name) => one.decides[name] === other.decides[name],
  );
}

function knownAt(file: string): EntryEnvironment | 'unusable' | undefined {
  try {
    return readEnvironment(file, true);
  } catch (error) {
    if (error instanceof CausewayError) return 'unusable';
    throw error;
  }
}
