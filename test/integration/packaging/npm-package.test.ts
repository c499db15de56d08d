import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { commandManifest } from '../../../resources/npm/command-package.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';

const MAX_PACKED_BYTES = 5_000_000;
const PACK = join(import.meta.dirname, '..', '..', '..', 'resources', 'npm', 'main.ts');
const isWindows = process.platform === 'win32';
const run = promisify(execFile);

describe('the package for npm', () => {
  let folder: string;
  let packed: string;
  /** What `npm install` has put where shells look for commands. */
  let command: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-npm-'));
    await run(process.execPath, [PACK, '--out', folder]);
    packed = join(folder, `causeway-${manifest.version}.tgz`);
    const installed = await mkdtemp(join(folder, 'empty-'));
    // No registry is asked: the one dependency is optional, and the package has to do without.
    const install = [
      'install',
      '--offline',
      '--omit=optional',
      '--no-audit',
      '--no-fund',
      '--prefix',
      installed,
      packed,
    ];
    await run('npm', install, { cwd: installed, shell: isWindows });
    command = join(installed, 'node_modules', '.bin', isWindows ? 'causeway.cmd' : 'causeway');
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is smaller than 5 MB, and holds the command, its licenses and nothing else', async () => {
    expect((await stat(packed)).size).toBeLessThan(MAX_PACKED_BYTES);
    const names = await readdir(join(folder, 'npm'));
    expect(names.sort()).toEqual(['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'cli', 'package.json']);
    const files = await readdir(join(folder, 'npm', 'cli'));
    expect(files.filter((name) => !/^([\w-]+\.js|kept-chunks|package\.json)$/.test(name))).toEqual([]);
  });

  it('cannot be published, depends only on the keychain, and can do without it', async () => {
    const written: unknown = JSON.parse(await readFile(join(folder, 'npm', 'package.json'), 'utf8'));
    expect(written).toMatchObject({
      private: true,
      version: manifest.version,
      optionalDependencies: { keytar: expect.any(String) },
    });
    for (const name of ['dependencies', 'devDependencies', 'scripts']) expect(written).not.toHaveProperty(name);
  });

  it('names the repository if it is known', () => {
    expect(commandManifest('ana/causeway')).toMatchObject({
      repository: { url: 'git+https://github.com/ana/causeway.git' },
    });
    expect(commandManifest(undefined)).not.toHaveProperty('repository');
  });

  it('is installed into an empty folder, and says its version', async () => {
    const { stdout } = await run(command, ['--version'], { shell: isWindows });
    expect(stdout.trim()).toBe(manifest.version);
  });

  it('keeps sign-ins as long as the process runs if npm could not install the native module', async () => {
    const workspace = await startWorkspace();
    const home = await ownHome(`[user]\nhost = ${workspace.host}\n`);
    const env = { ...home.env, CAUSEWAY_TOKEN_STORE: 'keychain', PATH: process.env.PATH };
    const asked = run(command, ['whoami', '--profile', 'user', '--json'], { env, shell: isWindows });
    await expect(asked).rejects.toMatchObject({ code: 3, stdout: expect.stringContaining('"signed_out"') });
    await home.remove();
    await workspace.close();
  });

  it('connects a client to a managed server', async () => {
    const workspace = await startWorkspace();
    const home = dirname(workspace.profileFile);
    const client = new Client({ name: 'test', version: '0' });
    try {
      const args = ['proxy', '--profile', 'ana', '--path', '/api/2.0/mcp/sql'];
      const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH ?? '' };
      await client.connect(new StdioClientTransport({ command, args, env }));
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('execute_sql');
    } finally {
      await client.close();
      await workspace.close();
    }
  });
});
