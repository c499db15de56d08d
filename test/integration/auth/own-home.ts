import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../../compiled.ts';

/** A user's home folder of their own, with an environment that leads nowhere else. */
export interface OwnHome {
  folder: string;
  /** What the test writes down about it, out of the way of what the programs under test write. */
  notes: string;
  env: NodeJS.ProcessEnv;
  configFile: string;
  readConfig(): Promise<string>;
  remove(): Promise<void>;
}

/** @param config the text of the configuration file */
export async function ownHome(config: string, env: NodeJS.ProcessEnv = {}): Promise<OwnHome> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-home-'));
  const notes = await mkdtemp(join(tmpdir(), 'causeway-notes-'));
  const configFile = join(folder, '.databrickscfg');
  await writeFile(configFile, config, { mode: 0o600 });
  return {
    folder,
    notes,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      USERPROFILE: folder,
      CAUSEWAY_HOME: join(folder, 'causeway'),
      CAUSEWAY_TOKEN_STORE: 'encrypted-file',
      ...COMPILE_CACHE,
      ...env,
    },
    configFile,
    readConfig: () => readFile(configFile, 'utf8'),
    remove: async () => {
      await Promise.all([folder, notes].map((each) => rm(each, { recursive: true, force: true })));
    },
  };
}
