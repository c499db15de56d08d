/**
 * `npm run package`: the installers for this system, in `dist/`. `npm run package:dir`: only the folder that they would
 * install, quickly. `-- --publish` puts the installers into the GitHub release of the tag; `-- --quick` makes the packages for Linux
 * larger, and sooner. `npm run sbom`: only the software bill of materials, which is beside the installers too.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Configuration } from 'electron-builder';
import { NO_ELECTRON } from '../../main/desktop/electron-binary.ts';
import { configuration, LINUX_FOLDER } from './configuration.ts';
import { electronHere } from './electron-here.ts';
import { makeLinuxPackages } from './linux/packages.ts';
import { writeSbom } from './sbom.ts';

const CREDENTIALS = ['CSC_LINK', 'CSC_KEY_PASSWORD', 'WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'];

const { values } = parseArgs({
  options: {
    dir: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    sbom: { type: 'boolean', default: false },
  },
});
const { env } = process;
// What a workflow has no secret for arrives as an empty text, which electron-builder takes for a certificate.
for (const name of CREDENTIALS) if (env[name] === '') delete env[name];

if (values.sbom) console.log(await writeSbom('dist'));
else await packageApplication();

async function packageApplication(): Promise<void> {
  const electron = await electronHere(env, values.dir);
  const publish = values.publish ? 'always' : 'never';
  const how = { quick: values.quick, complete: values.publish };
  const makesLinux = process.platform === 'linux' && !values.dir;
  const config = configuration({
    electron,
    repository: env.GITHUB_REPOSITORY,
    more: async (folder, output) => (makesLinux ? makeLinuxPackages(folder, output, how) : []),
  });

  try {
    await build({ config, dir: values.dir, publish });
  } catch (error) {
    if (electron || !isNetworkFailure(error)) throw error;
    console.error(`Electron could not be fetched (${error.message}). ${NO_ELECTRON}`);
    process.exitCode = 1;
    return;
  }
  if (makesLinux && !values.quick) await makeAppImage(config, publish);
}

/** electron-builder downloads what it makes an AppImage with. Without that, the other packages are there anyway. */
async function makeAppImage(config: Configuration, publish: 'always' | 'never'): Promise<void> {
  const linux = { ...config.linux, target: ['AppImage'] };
  const prepackaged = join('dist', LINUX_FOLDER);
  try {
    await build({ config: { ...config, linux, afterAllArtifactBuild: null }, prepackaged, publish });
  } catch (error) {
    if (values.publish || !isNetworkFailure(error)) throw error;
    console.warn(`No .AppImage: what makes it could not be downloaded (${error.message}).`);
  }
}

function isNetworkFailure(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.name === 'RequestError';
}
