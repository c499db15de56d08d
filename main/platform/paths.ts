import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The user's home folder from the environment, or else the account's. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  const named = process.platform === 'win32' ? env.USERPROFILE || env.HOME : env.HOME || env.USERPROFILE;
  return named || homedir();
}

/**
 * Where Causeway keeps what it knows between two starts (locks, the last known answers, encrypted tokens): nothing that a
 * person edits, nothing worth carrying to another computer. `CAUSEWAY_HOME` moves it.
 */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  if (env.CAUSEWAY_HOME) return join(env.CAUSEWAY_HOME, 'state');
  switch (process.platform) {
    case 'win32':
      return join(env.LOCALAPPDATA || join(homeFolder(env), 'AppData', 'Local'), 'Causeway', 'State');
    case 'darwin':
      return join(homeFolder(env), 'Library', 'Application Support', 'Causeway', 'State');
    default:
      return join(env.XDG_STATE_HOME || join(homeFolder(env), '.local', 'state'), 'causeway');
  }
}

/** The folder of the user's settings. `CAUSEWAY_HOME` moves it. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  if (env.CAUSEWAY_HOME) return join(env.CAUSEWAY_HOME, 'config');
  switch (process.platform) {
    case 'win32':
      return join(env.APPDATA || join(homeFolder(env), 'AppData', 'Roaming'), 'Causeway');
    case 'darwin':
      return join(homeFolder(env), 'Library', 'Application Support', 'Causeway');
    default:
      return join(env.XDG_CONFIG_HOME || join(homeFolder(env), '.config'), 'causeway');
  }
}

/** The name of the file, without `.json`, in which the desktop keeps the user's settings in `configFolder`. */
export const SETTINGS_NAME = 'settings';

/** The folder of the log. `CAUSEWAY_HOME` moves it. */
export function logFolder(env: NodeJS.ProcessEnv): string {
  if (env.CAUSEWAY_HOME) return join(env.CAUSEWAY_HOME, 'logs');
  switch (process.platform) {
    case 'win32':
      return join(env.LOCALAPPDATA || join(homeFolder(env), 'AppData', 'Local'), 'Causeway', 'Logs');
    case 'darwin':
      return join(homeFolder(env), 'Library', 'Logs', 'Causeway');
    default:
      return join(stateFolder(env), 'logs');
  }
}

/** The path of the list of servers. */
export function serverListPath(env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), 'servers.json');
}

/** Where the Databricks configuration file is: `DATABRICKS_CONFIG_FILE`, else `.databrickscfg` in the home folder. */
export function configFilePath(env: NodeJS.ProcessEnv): string {
  const named = env.DATABRICKS_CONFIG_FILE;
  if (!named) return join(homeFolder(env), '.databrickscfg');
  return /^~[/\\]/.test(named) ? join(homeFolder(env), named.slice(2)) : named;
}

/** What decides which profiles and sign-ins a process has, as one text: a process with another one cannot stand in for it. */
export function signInContext(env: NodeJS.ProcessEnv): string {
  const { CAUSEWAY_TOKEN_STORE: store = '', CAUSEWAY_TOKEN_KEY_FILE: key = '' } = env;
  return JSON.stringify([resolve(configFilePath(env)), store, key === '' ? '' : resolve(key)]);
}
