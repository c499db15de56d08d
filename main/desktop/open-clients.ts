import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { withEnvironment } from '../clients/entry-environment.ts';
import { type Launcher, launcherFor, shippedLauncher } from '../clients/launcher.ts';
import { loginShellPath } from '../clients/login-shell.ts';
import { type HostEnvironment, type System, thisSystem } from '../clients/places.ts';
import { runningProcesses } from '../clients/running.ts';
import { ClientsService } from '../clients/service.ts';
import { ThreadedFiles } from '../clients/threaded-files.ts';
import { homeFolder } from '../platform/paths.ts';
import { COMMAND_FILE, FILES_THREAD } from './places.ts';

/** One thread for all screens. It starts when it is needed. */
const files = new ThreadedFiles({ program: FILES_THREAD });

/** Opens the AI clients of the current user. */
export function openDesktopClients(env: NodeJS.ProcessEnv): ClientsService {
  return new ClientsService({
    env,
    environment: desktopEnvironment(env),
    files,
    launcher: withEnvironment(desktopLauncher(env), env),
    running: runningProcesses,
  });
}

/** The environment of the current user's clients. */
export function desktopEnvironment(env: NodeJS.ProcessEnv): HostEnvironment {
  const [system, home] = [thisSystem(), homeFolder(env)];
  return { system, home, env, moreCommands: moreCommands(system, home, env) };
}

/** How clients start Causeway: the executable shipped with the application; in development, the built command. */
export function desktopLauncher(env: NodeJS.ProcessEnv): Launcher {
  const name = process.platform === 'win32' ? 'causeway.exe' : 'causeway';
  const shipped = process.resourcesPath ? join(process.resourcesPath, 'bin', name) : undefined;
  if (shipped !== undefined && existsSync(shipped)) return shippedLauncher(shipped, env);
  const node = process.versions.electron ? nodeBeside(COMMAND_FILE, env) : process.execPath;
  return launcherFor({ execPath: node, script: COMMAND_FILE }, env);
}

/**
 * The path of the Node that starts the command in development: the project's own, the one that runs npm, or the first in
 * PATH. The others may be too old for the command. Electron's executable runs no scripts, and clients might not find `node`
 * by its name.
 */
export function nodeBeside(script: string, env: NodeJS.ProcessEnv): string {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const project = dirname(dirname(dirname(script)));
  const inPath = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates = [
    join(project, 'node_modules', 'node', 'bin', name),
    ...(env.npm_node_execpath ? [env.npm_node_execpath] : []),
    ...inPath.map((folder) => join(folder, name)),
    join('/usr', 'local', 'bin', name),
    join('/opt', 'homebrew', 'bin', name),
  ];
  return candidates.find((path) => existsSync(path)) ?? name;
}

/** The PATH of the login shell, which a desktop application does not inherit. On Windows every program has it. */
function moreCommands(system: System, home: string, env: NodeJS.ProcessEnv): () => Promise<string[]> {
  if (system === 'win32') return async () => [];
  const usual = [join(home, '.local', 'bin'), '/usr/local/bin', '/opt/homebrew/bin'];
  const ask = loginShellPath({ env, shell: system === 'darwin' ? '/bin/zsh' : '/bin/sh' });
  return async () => [...new Set([...(await ask()), ...usual])];
}
