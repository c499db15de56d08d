import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Arch, type Configuration } from 'electron-builder';
import { weigh } from './contents.ts';
import type { Electron } from './electron-here.ts';
import { buildExecutable } from './executable.ts';
import { FUSES } from './fuses.ts';
import { writeSbom } from './sbom.ts';
import { targetOf } from './target.ts';

/** The scheme of links that open Causeway at a place. */
const SCHEME = 'causeway';

export interface Circumstances {
  /** The Electron to package; electron-builder fetches one where there is none. */
  electron: Electron | undefined;
  /** `owner/name` of the repository whose releases are published to, and looked at for updates. */
  repository: string | undefined;
}

/** Beside Electron's own licenses, which electron-builder puts there. */
const LICENSE_FILES = [
  { from: 'LICENSE', to: 'LICENSE.causeway.txt' },
  { from: 'out/THIRD-PARTY-NOTICES.txt', to: 'THIRD-PARTY-NOTICES.txt' },
];

/** How electron-builder makes the installers (https://www.electron.build/configuration). */
export function configuration({ electron, repository }: Circumstances): Configuration {
  const [owner, repo] = repository?.split('/') ?? [];
  return {
    appId: 'io.github.causeway.desktop',
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
    electronLanguages: ['en'],
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
    nsis: { oneClick: true, perMachine: false },
    linux: {
      extraFiles: LICENSE_FILES,
      target: ['AppImage', 'deb'],
      executableName: 'causeway-desktop',
      category: 'Development',
      icon: 'resources/icons',
      syncDesktopName: true,
      maintainer: 'The authors of Causeway <causeway@users.noreply.github.com>',
    },
    deb: { fpm: ['resources/packaging/linux/causeway=/usr/bin/causeway'] },
    beforePack: async ({ packager, electronPlatformName, arch }) => {
      const system = packager.platform.buildConfigurationKey;
      await buildExecutable(targetOf(electronPlatformName, Arch[arch]), join('out', 'bin', `${system}-${Arch[arch]}`));
    },
    // What Electron runs when it has no application.
    afterExtract: async ({ appOutDir }) => {
      await rm(join(appOutDir, 'resources', 'app'), { recursive: true, force: true });
      await rm(join(appOutDir, 'version'), { force: true });
    },
    // What it gives back is published with the installers.
    afterAllArtifactBuild: async ({ outDir }) => [await writeSbom(outDir)],
    afterPack: async ({ appOutDir, packager }) => {
      console.log(await weigh(appOutDir, packager.getResourcesDir(appOutDir)));
    },
  };
}
