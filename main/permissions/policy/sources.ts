import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf } from '../../platform/file-errors.ts';
import { isProcessAlive } from '../../platform/process-alive.ts';
import { propertyListAsJson } from '../../platform/property-list.ts';
import { ABSENT } from '../../platform/versioned-value.ts';
import type { PolicySource } from './policy-source.ts';
import { registrySource } from './registry.ts';

const POLICY_FILE = '/etc/causeway/policy.json';
/** Where root writes the id of the process that removes Causeway (`docs/policy.md`). */
const REMOVAL_MARK = '/run/causeway/removal';
/** Where macOS puts what a configuration profile says for the domain `io.causeway`. */
const PREFERENCES = '/Library/Managed Preferences/io.causeway.plist';
/** Each process reads all of it, and each time it changes. */
const MAX_BYTES = 1024 * 1024;
/** The superuser's number. */
const ROOT = 0;

/** Where this system's administrators put a policy. Neither the environment nor an argument moves it. */
export function systemSource(platform: NodeJS.Platform = process.platform): PolicySource {
  if (platform === 'win32') return registrySource();
  return platform === 'darwin' ? preferencesSource(PREFERENCES) : fileSource(POLICY_FILE, ROOT, REMOVAL_MARK);
}

/**
 * A file that only its administrator can have written: it and its folder belong to `owner`, no one else may write to
 * them, and neither is a link. The same holds for the mark of a removal.
 */
export function fileSource(path: string, owner = ROOT, mark?: string): PolicySource {
  return {
    name: path,
    version: () => fileVersion(path),
    read: async () => trustedBytes(path, owner),
    isBeingRemoved: () => mark !== undefined && isRunning(mark, owner),
  };
}

/** Whether the process that a mark names still runs: one that was killed has left it. */
function isRunning(mark: string, owner: number): boolean {
  try {
    const pid = Number(trustedBytes(mark, owner)?.toString('utf8'));
    return Number.isSafeInteger(pid) && pid > 0 && isProcessAlive(pid);
  } catch {
    return false;
  }
}

/** A property list of macOS's managed preferences, which only the system writes. */
function preferencesSource(path: string, owner = ROOT): PolicySource {
  return {
    name: path,
    version: () => fileVersion(path),
    read: async () => {
      if (trustedBytes(path, owner) === undefined) return undefined;
      return withoutPayloadKeys(await propertyListAsJson(path));
    },
  };
}

/**
 * A policy without what describes the configuration profile that it came in (`PayloadUUID` and the like). Those keys are Apple's for
 * every profile, so none of them can be one of a policy.
 */
export function withoutPayloadKeys(json: Buffer): Buffer {
  const value: unknown = JSON.parse(json.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return json;
  const kept = Object.entries(value).filter(([key]) => !/^Payload[A-Z]/.test(key));
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}

/** A file that cannot be looked at counts as one that is there. */
function fileVersion(path: string): string {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!found) return ABSENT;
    const folder = lstatSync(dirname(path), { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs, uid, mode } = found;
    return [dev, ino, size, mtimeNs, ctimeNs, uid, mode, folder.ino, folder.ctimeNs].join(' ');
  } catch (error) {
    // A folder above it is a file: there can be no policy in it.
    return codeOf(error) === 'ENOTDIR' ? ABSENT : `unreadable: ${codeOf(error)}`;
  }
}

/** @throws if anyone but the owner may have written the file */
function trustedBytes(path: string, owner: number): Buffer | undefined {
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (!folder) return undefined;
  if (!folder.isDirectory()) throw untrusted(dirname(path), 'is not a real folder');
  checkOwner(dirname(path), folder, owner);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw untrusted(path, 'is a symbolic link');
    throw error;
  }
  try {
    // Of the file that is open: another one may have its name by now.
    const found = fstatSync(file);
    if (!found.isFile()) throw untrusted(path, 'is not a file');
    checkOwner(path, found, owner);
    if (found.size > MAX_BYTES)
      throw untrusted(path, `has ${found.size} bytes, more than the ${MAX_BYTES} of a policy`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const WRITABLE_BY_OTHERS = 0o022;

function checkOwner(path: string, { uid, mode }: Stats, owner: number): void {
  if (uid !== owner) throw untrusted(path, `belongs to user ${uid}, not to ${owner === ROOT ? 'root' : owner}`);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  throw untrusted(path, `can be written by others (its mode is ${(mode & 0o7777).toString(8)})`);
}

function untrusted(path: string, why: string): CausewayError {
  return new CausewayError('managed', `${path} ${why}.`);
}
