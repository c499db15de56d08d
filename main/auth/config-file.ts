import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { homeFolder, stateFolder } from '../platform/paths.ts';
import { type ConfigDocument, parseConfig } from './config-document.ts';

/** Where the Databricks configuration file is: `DATABRICKS_CONFIG_FILE`, else `.databrickscfg` in the home folder. */
export function configFilePath(env: NodeJS.ProcessEnv): string {
  const named = env.DATABRICKS_CONFIG_FILE;
  if (!named) return join(homeFolder(env), '.databrickscfg');
  return /^~[/\\]/.test(named) ? join(homeFolder(env), named.slice(2)) : named;
}

/**
 * The configuration file as it is now; an empty document where there is none.
 * @throws {CausewayError} `invalid_file` when it exists and cannot be read
 */
export async function readConfig(path: string): Promise<ConfigDocument> {
  return parseConfig(await readConfigText(path));
}

/** The configuration file's text, empty where there is none. @throws {CausewayError} `invalid_file` */
async function readConfigText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    throw new CausewayError('invalid_file', `The configuration file ${path} cannot be read.`, {
      cause,
      remedy: 'Check that it is a file and that you may read it.',
    });
  }
}

/**
 * Changes the configuration file in place: one process at a time, the old text beside it as `.bak`, the new one atomic and
 * readable by its owner only. A symbolic link stays one.
 * @throws {CausewayError} `invalid_file`, and what the edit throws
 */
export async function editConfig(env: NodeJS.ProcessEnv, edit: (text: string) => string): Promise<void> {
  const path = configFilePath(env);
  const [{ default: writeFileAtomic }, { withLock }] = await Promise.all([
    import('write-file-atomic'),
    import('../platform/lock.ts'),
  ]);
  await withLock(join(stateFolder(env), 'locks', 'configuration-file'), async () => {
    const before = await readConfigText(path);
    const after = edit(before);
    if (after === before) return;
    await mkdir(dirname(path), { recursive: true });
    if (before !== '') await writeFileAtomic(`${path}.bak`, before, { mode: 0o600 });
    await writeFileAtomic(path, after, { mode: 0o600 });
  });
}
