import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractFile } from '@electron/asar';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { describe, expect, it } from 'vitest';
import { notices } from '../../preload/contract/settings.ts';
import { applicationFiles } from '../../resources/packaging/contents.ts';
import { APPLICATION, FOLDER, noPackage, RESOURCES } from './packaged.ts';

describe.skipIf(noPackage)('the package', () => {
  it('contains the built application and its icons, and nothing else', () => {
    const names = applicationFiles(RESOURCES).map(({ name }) => name);
    expect(names).toContain('out/main/index.js');
    expect(names).toContain('out/main/files-thread.js');
    expect(names).toContain('out/main/activity-thread.js');
    expect(names).toContain('out/preload/index.cjs');
    expect(names).toContain('out/renderer/index.html');
    const folders = new Set(names.map((name) => name.split('/').slice(0, 2).join('/')));
    expect([...folders].sort()).toEqual([
      'node_modules/keytar',
      'out/main',
      'out/notices.json',
      'out/preload',
      'out/renderer',
      'package.json',
      'resources/icon.png',
      'resources/tray',
    ]);
    expect(names.filter((name) => name.startsWith('node_modules/'))).toEqual([
      'node_modules/keytar/index.js',
      'node_modules/keytar/package.json',
    ]);
  });

  it('has the licenses of everything in it, as files and for the window', async () => {
    expect(await readdir(FOLDER)).toEqual(
      expect.arrayContaining(['LICENSE.causeway.txt', 'LICENSES.chromium.html.gz', 'THIRD-PARTY-NOTICES.txt']),
    );
    const list = notices.parse(JSON.parse(extractFile(join(RESOURCES, 'app.asar'), 'out/notices.json').toString()));
    const names = list.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['electron', 'Node.js', '@napi-rs/keyring', 'react', 'electron-updater', 'commander']),
    );
    expect(names.filter((name) => name.startsWith('@napi-rs/keyring-'))).toHaveLength(1);
    const text = await readFile(join(FOLDER, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const notice of list)
      expect(text).toContain(`${notice.name} ${notice.version}\n${notice.license}\n\n${notice.text}\n`);
  });

  it('has nothing of the checkout in its manifest', () => {
    const manifest: unknown = JSON.parse(extractFile(join(RESOURCES, 'app.asar'), 'package.json').toString());
    expect(manifest).toMatchObject({ name: 'causeway', main: 'out/main/index.js' });
    for (const name of ['scripts', 'devDependencies']) expect(manifest).not.toHaveProperty(name);
  });

  it('has the command and the keychain module side by side, and no Electron application but ours', async () => {
    expect((await readdir(join(RESOURCES, 'bin'))).sort()).toEqual(['causeway', 'keyring.node']);
    const others = (await readdir(RESOURCES)).filter((name) => /^app($|\.asar)|default_app/.test(name));
    expect(others).toEqual(['app.asar']);
  });

  it('has the fuses that make Electron usable for Causeway only', async () => {
    const wire = await getCurrentFuseWire(APPLICATION);
    const isOn = (fuse: FuseV1Options) => wire[fuse] === FuseState.ENABLE;
    expect({
      runAsNode: isOn(FuseV1Options.RunAsNode),
      nodeOptions: isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
      inspectArguments: isOn(FuseV1Options.EnableNodeCliInspectArguments),
      fileProtocolPrivileges: isOn(FuseV1Options.GrantFileProtocolExtraPrivileges),
      ownSnapshot: isOn(FuseV1Options.LoadBrowserProcessSpecificV8Snapshot),
      cookieEncryption: isOn(FuseV1Options.EnableCookieEncryption),
      asarIntegrity: isOn(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
      onlyFromAsar: isOn(FuseV1Options.OnlyLoadAppFromAsar),
    }).toEqual({
      runAsNode: false,
      nodeOptions: false,
      inspectArguments: false,
      fileProtocolPrivileges: false,
      ownSnapshot: false,
      cookieEncryption: true,
      asarIntegrity: true,
      onlyFromAsar: true,
    });
  });
});
