import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from './bounded-file.ts';
import { fileError } from './file-errors.ts';
import { homeFolder } from './paths.ts';
import { writeWholeFile } from './replace-file.ts';

/** How the system starts the application at login. */
export interface LoginItem {
  isOn(): Promise<boolean>;
  /** @throws {CausewayError} `file_not_writable` */
  set(on: boolean): Promise<void>;
}

/** The application's id on Windows, which electron-builder gives to the installed application. */
export const APPLICATION_ID = 'io.github.causeway.desktop';

const CURRENT_VERSION = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion`;
/** The registry keys of what Windows starts at login, and of what the user has switched off. */
export const WINDOWS_LISTS = [`${CURRENT_VERSION}\\Run`, `${CURRENT_VERSION}\\Explorer\\StartupApproved\\Run`];
/** Electron's name for the application there: its id, or the default before one is set. */
export const WINDOWS_NAMES = [APPLICATION_ID, 'electron.app.Causeway'];

/**
 * A command as Electron is to write it into Windows' list. Electron quotes nothing: without quotes, Windows may start a program
 * whose path is the part up to a space (electron/electron#32657, #53911).
 */
export function windowsLoginItem([program = '', ...args]: readonly string[]): { path: string; args: string[] } {
  return { path: `"${program}"`, args: [...args.map((argument) => `"${argument}"`), '--hidden'] };
}

/** The login item of Linux desktops: a file among those that they start (Desktop Application Autostart Specification). */
export function autostartFile(env: NodeJS.ProcessEnv, command: readonly string[]): LoginItem {
  const file = autostartPath(env);
  return {
    isOn: async () => isSwitchedOn(String(await readBounded(file, 'own').catch(() => ''))),
    async set(on) {
      try {
        if (on) await writeWholeFile(file, autostartEntry(command), { mode: 0o644 });
        else await rm(file, { force: true });
      } catch (error) {
        throw fileError(file, error);
      }
    },
  };
}

/** The path of that file, whether or not it exists. */
export function autostartPath(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homeFolder(env), '.config'), 'autostart', 'causeway.desktop');
}

/** The entry that starts a command at login, without its window. */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Causeway',
    'Comment=Connects AI clients to your workspace',
    `Exec=${[...command, '--hidden'].map(quoted).join(' ')}`,
    'Icon=causeway',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Desktops disable an entry with one of its keys, or by hiding it. */
export function isSwitchedOn(entry: string): boolean {
  return /^Exec=/m.test(entry) && !/^Hidden=true$/m.test(entry) && !/^X-GNOME-Autostart-enabled=false$/m.test(entry);
}

/** Desktop Entry Specification › The Exec key: quoted, with its own escapes, then those of every string; % is doubled. */
function quoted(argument: string): string {
  const escaped = argument.replaceAll('%', '%%').replaceAll(/["`$\\]/g, (character) => `\\${character}`);
  return `"${escaped}"`.replaceAll('\\', '\\\\');
}
