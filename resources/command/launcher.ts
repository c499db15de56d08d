import { posix, win32 } from 'node:path';

/** The computer, as far as it decides where the script goes. */
export interface Computer {
  platform: NodeJS.Platform;
  /** The user's home folder. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** What the script starts. */
export interface Started {
  node: string;
  script: string;
}

/** By which the script is known again. */
const MARK = 'Written by npm run install:command in the checkout of Causeway.';

/** The user's own folders in which commands usually are, the best first. */
export function commandFolders({ platform, home, env }: Computer): string[] {
  if (platform !== 'win32') return ['.local/bin', 'bin'].map((name) => posix.join(home, name));
  const local = env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local');
  // Windows has the first on every user's PATH.
  return [win32.join(local, 'Microsoft', 'WindowsApps'), win32.join(home, '.local', 'bin')];
}

/** Where the script goes: the first of these folders that is on the PATH, or else the first that is the user's own to put there. */
export function chosenFolder(computer: Computer): { folder: string; isOnPath: boolean } {
  const folders = commandFolders(computer);
  const onPath = folders.find((folder) => isOnPath(computer, folder));
  if (onPath !== undefined) return { folder: onPath, isOnPath: true };
  return { folder: (computer.platform === 'win32' ? folders.at(-1) : folders[0]) ?? computer.home, isOnPath: false };
}

function isOnPath({ platform, env }: Computer, folder: string): boolean {
  const { delimiter, normalize } = platform === 'win32' ? win32 : posix;
  // Windows' own name for it is Path, and its paths are the same in any case.
  const name = Object.keys(env).find((each) => (platform === 'win32' ? each.toUpperCase() : each) === 'PATH');
  const plain = (path: string) => {
    const whole = normalize(path.replace(/^"(.*)"$/, '$1')).replace(/[\\/]+$/, '');
    return platform === 'win32' ? whole.toLowerCase() : whole;
  };
  const entries = (name === undefined ? '' : (env[name] ?? '')).split(delimiter).filter(Boolean);
  return entries.some((entry) => plain(entry) === plain(folder));
}

export function fileName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'causeway.cmd' : 'causeway';
}

/** The script. It gives on all arguments as they are, and ends as the command does. */
export function launcherText(platform: NodeJS.Platform, { node, script }: Started): string {
  if (platform !== 'win32') {
    const quoted = [node, script].map((path) => `'${path.replaceAll("'", `'\\''`)}'`);
    return `#!/bin/sh\n# ${MARK}\nexec ${quoted.join(' ')} "$@"\n`;
  }
  const quoted = [node, script].map((path) => `"${path.replaceAll('%', '%%')}"`);
  return `@echo off\r\nrem ${MARK}\r\n${quoted.join(' ')} %*\r\n`;
}

/** Whether a file's text is such a script. */
export function isLauncher(text: string): boolean {
  return text.includes(MARK);
}

/** What the user adds, and where, so that their shell finds the folder. */
export function pathAdvice({ platform, env }: Computer, folder: string): string {
  if (platform === 'win32') {
    return `Add ${folder} to Path: open "Edit environment variables for your account", choose Path, then New.`;
  }
  const shell = posix.basename(env.SHELL ?? '');
  if (shell === 'fish') return `Run this once: fish_add_path "${folder}"`;
  const file =
    shell === 'zsh' ? '~/.zprofile' : shell === 'bash' && platform === 'darwin' ? '~/.bash_profile' : '~/.profile';
  return `Add this line to ${file}, and open a new terminal: export PATH="${folder}:$PATH"`;
}
