/**
 * `npm run registries`: what Homebrew, winget and the MCP registry learn of a release, from the release's files in `dist/`
 * (`-- --files FOLDER`), into `dist/registries/`. `GITHUB_REPOSITORY` names the repository.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { homebrewCask } from './homebrew.ts';
import type { ReleaseFile } from './repository.ts';
import { serverJson } from './server-json.ts';
import { wingetManifests } from './winget.ts';

const { values } = parseArgs({
  options: { files: { type: 'string', default: 'dist' }, out: { type: 'string' } },
});
const { files, out = join(files, 'registries') } = values;
const { version } = manifest;
const repository = process.env.GITHUB_REPOSITORY;
if (!repository) throw new Error('GITHUB_REPOSITORY does not name the repository, such as owner/causeway.');

const release = {
  version,
  repository,
  date: new Date().toISOString().slice(0, 10),
  dmg: await released('.dmg'),
  installer: await released('.exe'),
  mcpb: await released('.mcpb'),
};
const written = new Map([
  ['homebrew/causeway.rb', homebrewCask(release)],
  ['server.json', serverJson(release)],
  ...[...wingetManifests(release)].map(([name, text]) => [`winget/${name}`, text] as const),
]);
for (const [name, text] of written) {
  const file = join(out, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(file);
}

/** @throws Error where there is not exactly one file of this version with that ending */
async function released(ending: string): Promise<ReleaseFile> {
  const names = (await readdir(files)).filter((name) => name.endsWith(ending) && name.includes(version));
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new Error(`${files} holds ${names.length} files of ${version} that end in ${ending}; one is needed.`);
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(files, name)), hash);
  return { name, sha256: hash.digest('hex') };
}
