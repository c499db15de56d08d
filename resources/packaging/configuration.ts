import { join } from 'node:path';
import { Arch, type Configuration } from 'electron-builder';
import { APPLICATION_ID } from '../../main/platform/autostart.ts';
import { weigh } from './contents.ts';
import { compressChromiumLicenses, removeUnused, stripElectron } from './electron-files.ts';
import type { Electron } from './electron-here.ts';
import { buildExecutable } from './executable.ts';
import { FUSES } from './fuses.ts';
import { writeSbom } from './sbom.ts';
import { isThisMachine, targetOf } from './target.ts';

/** The scheme of links that open Causeway at a place. */
const SCHEME = 'causeway';

export interface Circumstances {
  /** The Electron to package; electron-builder fetches one if there is none. */
  electron: Electron | undefined;
  /** `owner/name` of the repository whose releases are published to, and looked at for updates. */
  repository: string | undefined;
  /** Makes more of the application folder for Linux, and returns the files. */
  more(application: string, output: string): Promise<string[]>;
}

/** Where electron-builder leaves the application for Linux, below its output folder. */
export const LINUX_FOLDER = 'linux-unpacked';
const LINUX_EXECUTABLE = 'causeway-desktop';

/** Beside Electron's own licenses, which electron-builder puts there. */
const LICENSE_FILES = [
  { from: 'LICENSE', to: 'LICENSE.causeway.txt' },
  { from: 'out/THIRD-PARTY-NOTICES.txt', to: 'THIRD-PARTY-NOTICES.txt' },
];

/** How electron-builder makes the installers (https://www.electron.build/configuration). */
export function configuration({ electron, repository, more }: Circumstances): Configuration {
  const [owner, repo] = repository?.split('/') ?? [];
  return {
    appId: APPLICATION_ID,
    productName: 'Causeway',
    copyright: 'Copyright © the authors of Causeway',
    directories: { output: 'dist', buildResources: 'resources/packaging' },
    ...(electron ? { electronDist: electron.folder, electronVersion: electron.version } : {}),
    // Everything is bundled: of node_modules nothing goes in but what stands for the keychain's package.
    files: [
      'package.json',
      'out/{main,preload,renderer}/**',
      'out/notices.json',
      'resources/icon.png',
      'resources/tray/*.png',
      '!**/node_modules/**',
      { from: 'resources/packaging/keytar', to: 'node_modules/keytar' },
    ],
    extraResources: [{ from: `out/bin/\${os}-\${arch}`, to: 'bin' }],
    asar: true,
    npmRebuild: false,
    electronFuses: FUSES,
    // Chromium's own words, of which the window shows none; the application's are English.
    electronLanguages: ['en-US'],
    extraMetadata: { desktopName: 'causeway.desktop' },
    protocols: [{ name: 'Causeway', schemes: [SCHEME] }],
    publish: owner && repo ? { provider: 'github', owner, repo } : null,
    mac: {
      target: ['dmg', 'zip'].map((target) => ({ target, arch: 'universal' })),
      category: 'public.app-category.developer-tools',
      extraResources: LICENSE_FILES,
      icon: 'resources/icons/1024x1024.png',
      hardenedRuntime: true,
      entitlements: 'resources/packaging/entitlements.plist',
      entitlementsInherit: 'resources/packaging/entitlements.plist',
    },
    win: {
      extraFiles: LICENSE_FILES,
      target: [{ target: 'nsis', arch: ['x64'] }],
      icon: 'resources/icons/1024x1024.png',
    },
    // Without spaces, which GitHub would replace: other registries name the file (`resources/registries/`).
    nsis: { oneClick: true, perMachine: false, artifactName: `\${productName}-Setup-\${version}.\${ext}` },
    linux: {
      extraFiles: LICENSE_FILES,
      // Packages for package managers are made of the folder (`linux/`).
      target: ['dir'],
      executableName: LINUX_EXECUTABLE,
      category: 'Development',
      icon: 'resources/icons',
      syncDesktopName: true,
    },
    // electron-builder's menu entry in an AppImage would switch Chromium's sandbox off.
    appImage: { executableArgs: [] },
    beforePack: async ({ packager, electronPlatformName, arch }) => {
      const system = packager.platform.buildConfigurationKey;
      await buildExecutable(targetOf(electronPlatformName, Arch[arch]), join('out', 'bin', `${system}-${Arch[arch]}`));
    },
    afterExtract: async ({ appOutDir, electronPlatformName }) => removeUnused(appOutDir, electronPlatformName),
    // What it gives back is published with the installers.
    afterAllArtifactBuild: async ({ outDir }) => [
      await writeSbom(outDir),
      ...(await more(join(outDir, LINUX_FOLDER), outDir)),
    ],
    afterPack: async ({ appOutDir, electronPlatformName, arch, packager }) => {
      if (electronPlatformName === 'linux') await compressChromiumLicenses(appOutDir);
      if (electronPlatformName === 'linux' && isThisMachine(targetOf('linux', Arch[arch]))) {
        await stripElectron(appOutDir, LINUX_EXECUTABLE);
      }
      console.log(await weigh(appOutDir, packager.getResourcesDir(appOutDir)));
    },
  };
}
