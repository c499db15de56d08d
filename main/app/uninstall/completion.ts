import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { readBounded } from '../../platform/bounded-file.ts';
import { homeFolder } from '../../platform/paths.ts';
import { removeFile, replaceFile } from '../../platform/replace-file.ts';
import { systemProgram } from '../../platform/system-program.ts';
import { isUtf16 } from '../../platform/utf8.ts';
import type { Remnant } from './step.ts';

/** How a file begins that holds what `causeway completion` prints, and nothing else. */
const SCRIPT = /^(# (bash|fish) completion for causeway;|#compdef causeway\n# zsh completion for causeway;)/;
/** The same in a profile of PowerShell, which holds other things too. */
const POWERSHELL = /^# PowerShell completion for causeway;.*?^\}\r?\n/gms;

/** Where PowerShell and Windows PowerShell keep profiles, among the user's documents. */
const POWERSHELL_FOLDERS = ['PowerShell', 'WindowsPowerShell'];
/** Where Windows says which folders of the user are where. */
const SHELL_FOLDERS = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\User Shell Folders`;

const run = promisify(execFile);

/** What completes the command in the user's shells, in the places that `causeway completion` and the shells name. */
export async function completionScripts(env: NodeJS.ProcessEnv): Promise<Remnant[]> {
  const found = await Promise.all([
    ...scriptFiles(env).map(async (file) => ofScript(file, await read(file))),
    ...(await powershellProfiles(env)).map(async (file) => ofProfile(file, await read(file))),
  ]);
  return found.flat();
}

function ofScript(file: string, bytes: Buffer | undefined): Remnant[] {
  if (!bytes || !SCRIPT.test(bytes.toString('utf8'))) return [];
  return [{ kind: 'completion', what: file, remove: () => removeFile(file, bytes, 'given') }];
}

function ofProfile(file: string, bytes: Buffer | undefined): Remnant[] {
  // `>>` of Windows PowerShell writes UTF-16. As Latin-1, every other byte is one character and comes back as it was.
  const encoding = bytes && isUtf16(bytes) ? 'utf16le' : 'latin1';
  const text = bytes?.toString(encoding) ?? '';
  const rest = text.replace(POWERSHELL, '');
  if (!bytes || rest === text) return [];
  const note = 'Only the lines that complete `causeway`.';
  return [
    {
      kind: 'completion',
      what: file,
      note,
      remove: async () => {
        await replaceFile(file, Buffer.from(rest, encoding), bytes, { kind: 'given' });
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

async function powershellProfiles(env: NodeJS.ProcessEnv): Promise<string[]> {
  const folders =
    process.platform === 'win32'
      ? (await documentFolders(env)).flatMap((folder) => POWERSHELL_FOLDERS.map((name) => join(folder, name)))
      : [join(env.XDG_CONFIG_HOME || join(homeFolder(env), '.config'), 'powershell')];
  return folders.flatMap((folder) =>
    ['profile.ps1', 'Microsoft.PowerShell_profile.ps1'].map((name) => join(folder, name)),
  );
}

/** Where the user's documents may be, which OneDrive and organizations move. */
async function documentFolders(env: NodeJS.ProcessEnv): Promise<string[]> {
  const query = ['query', SHELL_FOLDERS, '/v', 'Personal'];
  const listed = await run(systemProgram(env, 'reg.exe'), query, { windowsHide: true }).catch(() => undefined);
  const named = /\sREG_\w+\s+(.+?)\s*$/m.exec(listed?.stdout ?? '')?.[1];
  const usual = [homeFolder(env), env.OneDrive, env.OneDriveCommercial].flatMap((folder) =>
    folder ? [join(folder, 'Documents')] : [],
  );
  return [...new Set([...(named ? [withVariables(named, env)] : []), ...usual])];
}

/** A text of the registry in which variables of the environment stand as `%NAME%`. */
function withVariables(text: string, env: NodeJS.ProcessEnv): string {
  const values = new Map(Object.entries(env).map(([name, value]) => [name.toLowerCase(), value]));
  return text.replaceAll(/%([^%]+)%/g, (whole, name: string) => values.get(name.toLowerCase()) ?? whole);
}

function read(file: string): Promise<Buffer | undefined> {
  return readBounded(file, 'given').catch(() => undefined);
}
