import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { bundleManifest } from '../../../resources/mcpb/bundle.ts';
import { checkCask } from '../../../resources/registries/homebrew.ts';
import { ServerJson } from '../../../resources/registries/server-json.ts';
import { WingetInstaller, WingetLocale, WingetVersion } from '../../../resources/registries/winget.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'resources', 'registries', 'main.ts');
const { version } = manifest;
const FILES = [
  `Causeway-${version}-universal.dmg`,
  `Causeway-Setup-${version}.exe`,
  `causeway-${version}.mcpb`,
] as const;
const [DMG, EXE, MCPB] = FILES;
const hashOf = (name: string) => createHash('sha256').update(`the bytes of ${name}`).digest('hex');
const addressOf = (name: string) => `https://github.com/ana/causeway/releases/download/v${version}/${name}`;

describe('the registry metadata of a release', () => {
  let folder: string;
  const generate = () =>
    promisify(execFile)(process.execPath, [PROGRAM, '--files', folder], {
      env: { ...process.env, GITHUB_REPOSITORY: 'ana/causeway' },
    });
  const read = (...names: string[]) => readFile(join(folder, 'registries', ...names), 'utf8');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-registries-'));
    for (const name of FILES) await writeFile(join(folder, name), `the bytes of ${name}`);
    await generate();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('names the image for macOS and its hash in a cask that has everything a cask needs', async () => {
    const cask = await read('homebrew', 'causeway.rb');
    checkCask(cask);
    expect(cask).toContain(`sha256 "${hashOf(DMG)}"`);
    expect(/url "(.*)"/.exec(cask)?.[1]?.replaceAll('#{version}', version)).toBe(addressOf(DMG));
  });

  it('refuses a cask with a short hash, a stanza in the wrong place, or a description that is a sentence', async () => {
    const cask = await read('homebrew', 'causeway.rb');
    expect(() => checkCask(cask.replace(hashOf(DMG), 'abc'))).toThrow();
    expect(() => checkCask(cask.replace('  auto_updates true\n', ''))).toThrow('stanzas');
    expect(() => checkCask(cask.replace(/desc "(.*)"/, 'desc "$1."'))).toThrow();
    expect(() => checkCask(cask.replace(/\nend\n$/, '\n'))).toThrow();
  });

  it('names the installer for Windows and its hash in the three manifests of winget', async () => {
    const [installer, locale, versionManifest] = await Promise.all(
      (await readdir(join(folder, 'registries', 'winget')))
        .sort()
        .map(async (name) => parse(await read('winget', name))),
    );
    expect(WingetInstaller.parse(installer)).toMatchObject({
      PackageVersion: version,
      Installers: [{ InstallerUrl: addressOf(EXE), InstallerSha256: hashOf(EXE).toUpperCase() }],
    });
    expect(WingetLocale.parse(locale).PackageIdentifier).toBe(WingetVersion.parse(versionManifest).PackageIdentifier);
    expect(() => WingetInstaller.parse({ ...installer, Scope: 'everyone' })).toThrow();
    expect(() => WingetLocale.parse({ ...locale, ShortDescription: 'x'.repeat(257) })).toThrow();
    expect(() => WingetVersion.parse({ ...versionManifest, PackageIdentifier: 'causeway' })).toThrow();
  });

  it('names the extension with its hash, and nothing on npm, in the entry of the MCP registry', async () => {
    const entry = ServerJson.parse(JSON.parse(await read('server.json')));
    expect(entry.name).toBe('io.github.ana/causeway');
    expect(entry.packages).toMatchObject([
      { registryType: 'mcpb', identifier: addressOf(MCPB), fileSha256: hashOf(MCPB) },
    ]);
    expect(bundleManifest('ana/causeway').version).toBe(entry.version);
    expect(() => ServerJson.parse({ ...entry, description: 'x'.repeat(101) })).toThrow();
    expect(() => ServerJson.parse({ ...entry, packages: [{ ...entry.packages[0], fileSha256: undefined }] })).toThrow();
  });

  it('is not written while a file of the release is missing', async () => {
    await rm(join(folder, EXE));
    await expect(generate()).rejects.toThrow('0 files');
  });
});
