/**
 * `npm run package`: the installers for this system, in `dist/`. `npm run package:dir`: only the folder that they would
 * install, quickly. `-- --publish` puts the installers into the GitHub release of the tag. `npm run sbom`:
 * only the software bill of materials, which lies beside the installers too.
 */
import { parseArgs } from 'node:util';
import { build } from 'electron-builder';
import { NO_ELECTRON } from '../../main/desktop/electron-binary.ts';
import { configuration } from './configuration.ts';
import { electronHere } from './electron-here.ts';
import { writeSbom } from './sbom.ts';

const CREDENTIALS = ['CSC_LINK', 'CSC_KEY_PASSWORD', 'WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'];

const { values } = parseArgs({
  options: {
    dir: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
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

  try {
    await build({
      config: configuration({ electron, repository: env.GITHUB_REPOSITORY }),
      dir: values.dir,
      publish: values.publish ? 'always' : 'never',
    });
  } catch (error) {
    if (electron || !isNetworkFailure(error)) throw error;
    console.error(`Electron could not be fetched (${error.message}). ${NO_ELECTRON}`);
    process.exitCode = 1;
  }
}

function isNetworkFailure(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.name === 'RequestError';
}
