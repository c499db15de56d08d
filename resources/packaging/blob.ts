import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build, type InlineConfig, mergeConfig } from 'vite';
import commandConfig from '../../main/cli/vite.config.ts';

const run = promisify(execFile);

const BLOB = 'blob';
const CONFIGURATION = 'executable.json';

/** The script and the assets of the single-file executable, as the file that Node wants, made in the folder `work`. */
export async function makeBlob(work: string): Promise<string> {
  await run(process.execPath, ['--experimental-sea-config', await prepareBlob(work)], { cwd: work });
  return join(work, BLOB);
}

/**
 * What Node makes the blob of, in the folder `work`, from which it has to be run: paths are relative, so that a Node of
 * another system can do it too.
 * @returns the name of the file that tells Node what to do
 */
export async function prepareBlob(work: string): Promise<string> {
  await build(intoExecutable({ outDir: join(work, 'chunks') }));
  await build(intoExecutable({ ssr: 'main/cli/executable.ts', outDir: join(work, 'main') }));
  const configuration = {
    main: 'main/causeway.js',
    output: BLOB,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    execArgvExtension: 'none',
    assets: await assetsIn(work, 'chunks'),
  };
  await writeFile(join(work, CONFIGURATION), JSON.stringify(configuration));
  return CONFIGURATION;
}

/** The command's own build, for the Node that the executable brings. */
function intoExecutable(build: BuildOptions): InlineConfig {
  return mergeConfig(commandConfig, { configFile: false, logLevel: 'warn', build: { ...build, target: 'node24' } });
}

/** Each chunk, as a script that is no program by itself. */
async function assetsIn(work: string, folder: string): Promise<Record<string, string>> {
  const assets: Record<string, string> = {};
  const scripts = (await readdir(join(work, folder))).filter((name) => name.endsWith('.js'));
  for (const name of scripts) {
    const file = join(work, folder, name);
    const code = (await readFile(file, 'utf8')).replace(/^#!.*/, '');
    await writeFile(file, code);
    assets[name] = `${folder}/${name}`;
  }
  return assets;
}
