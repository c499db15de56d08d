import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The address of this user's session bus where the environment does not name it: some AI clients pass on a dozen
 * variables and no `DBUS_SESSION_BUS_ADDRESS`. It is the socket `bus` in the user's runtime folder, which
 * `XDG_RUNTIME_DIR` names, or else `/run/user/UID` (systemd's pam_systemd(8), XDG Base Directory Specification). Only a socket
 * that is the user's own counts, in a folder that nobody else may write to: whoever answers there is told secrets.
 * @returns undefined where the environment names one, and where there is none
 */
export function conventionalSessionBus(
  env: NodeJS.ProcessEnv,
  { uid = process.getuid?.(), runFolder = '/run/user' }: { uid?: number | undefined; runFolder?: string } = {},
): string | undefined {
  if (uid === undefined || env.DBUS_SESSION_BUS_ADDRESS) return undefined;
  const folders = [env.XDG_RUNTIME_DIR, join(runFolder, String(uid))].filter((folder) => folder?.startsWith('/'));
  const socket = folders.map((folder) => join(folder ?? '', 'bus')).find((path) => isOwnSocket(path, uid));
  return socket && `unix:path=${escapeAddress(socket)}`;
}

function isOwnSocket(path: string, uid: number): boolean {
  try {
    const [socket, folder] = [lstatSync(path), lstatSync(dirname(path))];
    const isPrivate = folder.isDirectory() && folder.uid === uid && (folder.mode & 0o022) === 0;
    return socket.isSocket() && socket.uid === uid && isPrivate;
  } catch {
    return false;
  }
}

/** D-Bus Specification › Server Addresses: whatever is not plain goes as `%` and two digits. */
function escapeAddress(path: string): string {
  return Array.from(Buffer.from(path), (byte) => {
    const letter = String.fromCharCode(byte);
    return /[\w./\\*-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

/** Loads the keychain where it can be reached. Its library reads the process's own environment, when it is first used. */
export async function loadKeychain(env: NodeJS.ProcessEnv): Promise<typeof import('./keychain.ts')> {
  const address = process.platform === 'linux' ? conventionalSessionBus(env) : undefined;
  if (address !== undefined && !process.env.DBUS_SESSION_BUS_ADDRESS) process.env.DBUS_SESSION_BUS_ADDRESS = address;
  return import('./keychain.ts');
}
