import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build, type InlineConfig, mergeConfig } from 'vite';
import commandConfig from '../../main/cli/vite.config.ts';

const run = promisify(execFile);

/** The script and the assets of the single-file executable, as the file that Node wants, made in the folder `work`. */
export async function makeBlob(work: string): Promise<string> {
  const chunks = join(work, 'chunks');
  await build(intoExecutable({ outDir: chunks }));
  await build(intoExecutable({ ssr: 'main/cli/executable.ts', outDir: join(work, 'main') }));
  const configuration = {
    main: join(work, 'main', 'causeway.js'),
    output: join(work, 'blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    execArgvExtension: 'none',
    assets: await assetsIn(chunks),
  };
  const file = join(work, 'executable.json');
  await writeFile(file, JSON.stringify(configuration));
  await run(process.execPath, ['--experimental-sea-config', file]);
  return configuration.output;
}

/** The command's own build, for the Node that the executable brings. */
function intoExecutable(build: BuildOptions): InlineConfig {
  return mergeConfig(commandConfig, { configFile: false, logLevel: 'warn', build: { ...build, target: 'node24' } });
}

/** Each chunk, as a script that is no program by itself. */
async function assetsIn(chunks: string): Promise<Record<string, string>> {
  const assets: Record<string, string> = {};
  const scripts = (await readdir(chunks)).filter((name) => name.endsWith('.js'));
  for (const name of scripts) {
    const file = join(chunks, name);
    const code = (await readFile(file, 'utf8')).replace(/^#!.*/, '');
    await writeFile(file, code);
    assets[name] = file;
  }
  return assets;
}
