import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { homeFolder } from '../platform/paths.ts';
import { removeFile, replaceFile } from '../platform/replace-file.ts';
import type { Remnant } from './step.ts';

/** How a file begins that holds what `causeway completion` prints, and nothing else. */
const SCRIPT = /^(# (bash|fish) completion for causeway;|#compdef causeway\n# zsh completion for causeway;)/;
/** The same in a profile of PowerShell, which holds other things too. */
const POWERSHELL = /^# PowerShell completion for causeway;.*?^\}\r?\n/gms;

/** What completes the command in the user's shells, in the places that `causeway completion` and the shells name. */
export async function completionScripts(env: NodeJS.ProcessEnv): Promise<Remnant[]> {
  const found = await Promise.all([
    ...scriptFiles(env).map(async (file) => ofScript(file, await read(file))),
    ...powershellProfiles(env).map(async (file) => ofProfile(file, await read(file))),
  ]);
  return found.flat();
}

function ofScript(file: string, bytes: Buffer | undefined): Remnant[] {
  if (!bytes || !SCRIPT.test(bytes.toString('utf8'))) return [];
  return [{ kind: 'completion', what: file, remove: () => removeFile(file, bytes) }];
}

function ofProfile(file: string, bytes: Buffer | undefined): Remnant[] {
  // As Latin-1, every byte is one character and comes back as it was.
  const text = bytes?.toString('latin1') ?? '';
  const rest = text.replace(POWERSHELL, '');
  if (!bytes || rest === text) return [];
  const note = 'Only the part that completes `causeway`.';
  return [
    {
      kind: 'completion',
      what: file,
      note,
      remove: async () => {
        await replaceFile(file, Buffer.from(rest, 'latin1'), bytes);
        return note;
      },
    },
  ];
}

function scriptFiles(env: NodeJS.ProcessEnv): string[] {
  const home = homeFolder(env);
  const zsh = [
    ...(env.FPATH ?? '').split(delimiter).filter(Boolean),
    join(home, '.zfunc'),
    join(home, '.zsh', 'completions'),
    join(home, '.oh-my-zsh', 'completions'),
    '/usr/local/share/zsh/site-functions',
    '/opt/homebrew/share/zsh/site-functions',
  ];
  return [
    join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'bash-completion', 'completions', 'causeway'),
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish', 'completions', 'causeway.fish'),
    ...[...new Set(zsh)].map((folder) => join(folder, '_causeway')),
  ];
}

function powershellProfiles(env: NodeJS.ProcessEnv): string[] {
  const home = homeFolder(env);
  const folders =
    process.platform === 'win32'
      ? ['PowerShell', 'WindowsPowerShell'].map((name) => join(home, 'Documents', name))
      : [join(env.XDG_CONFIG_HOME || join(home, '.config'), 'powershell')];
  return folders.flatMap((folder) =>
    ['profile.ps1', 'Microsoft.PowerShell_profile.ps1'].map((name) => join(folder, name)),
  );
}

function read(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch(() => undefined);
}
