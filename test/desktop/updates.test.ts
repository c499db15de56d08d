import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findElectron } from '../../main/desktop/electron-binary.ts';
import { whyNotHere } from './application.ts';

const reason = process.platform === 'linux' ? whyNotHere(process.env) : 'They are about AppImages.';
if (reason) console.warn(`The tests of updating are skipped. ${reason}`);

/** The application's own way to newer versions, with a list of them on this computer. */
describe.skipIf(reason)('a newer version', () => {
  let folder: string;
  let server: Server | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-updates-'));
    await build({
      configFile: false,
      logLevel: 'warn',
      build: {
        target: 'node20.18',
        outDir: folder,
        ssr: join(import.meta.dirname, 'updates-program.ts'),
        rolldownOptions: { external: ['electron'], output: { format: 'cjs', entryFileNames: 'main.cjs' } },
      },
      ssr: { noExternal: true, external: ['electron'] },
    });
    await writeFile(join(folder, 'package.json'), '{"name":"causeway-updates","version":"1.0.0","main":"main.cjs"}');
    await writeFile(join(folder, 'Causeway.AppImage'), 'the old one');
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const CONTENT = Buffer.alloc(300_000, 'new');
  const listOf = (version: string, sha512: string) =>
    [
      `version: ${version}`,
      'files:',
      `  - url: Causeway-${version}.AppImage`,
      `    sha512: ${sha512}`,
      `    size: ${CONTENT.length}`,
      `path: Causeway-${version}.AppImage`,
      `sha512: ${sha512}`,
      "releaseDate: '2026-01-01T00:00:00.000Z'",
      '',
    ].join('\n');
  const checksum = createHash('sha512').update(CONTENT).digest('base64');

  async function publish(list: string | undefined): Promise<string> {
    server = createServer((request, response) => {
      const path = request.url ?? '';
      if (list !== undefined && path.startsWith('/latest-linux.yml')) response.end(list);
      else if (path.endsWith('.AppImage')) response.end(CONTENT);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  async function run(address: string): Promise<unknown[]> {
    const home = await mkdtemp(join(tmpdir(), 'causeway-updates-home-'));
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    await writeFile(
      join(folder, 'dev-app-update.yml'),
      `provider: generic\nurl: ${address}\nupdaterCacheDirName: causeway-updater\n`,
    );
    const program = spawn(findElectron(process.env) ?? '', [...root, folder], {
      env: {
        ...process.env,
        HOME: home,
        XDG_CACHE_HOME: join(home, 'cache'),
        APPIMAGE: join(folder, 'Causeway.AppImage'),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const output = await text(program.stdout);
    await rm(home, { recursive: true, force: true });
    const said = output.split('\n').filter((line) => line.startsWith('said '));
    return said.map((line): unknown => JSON.parse(line.slice('said '.length)));
  }

  it('is found and downloaded', async () => {
    expect(await run(await publish(listOf('2.0.0', checksum)))).toEqual([
      { version: '2.0.0' },
      { downloaded: true, last: 100 },
    ]);
  });

  it('does not exist if the list names this version or an older one', async () => {
    expect(await run(await publish(listOf('1.0.0', checksum)))).toEqual([{ version: null }]);
    expect(await run(await publish(listOf('0.9.0', checksum)))).toEqual([{ version: null }]);
  });

  it('is refused if it does not match the list', async () => {
    const other = createHash('sha512').update('something else').digest('base64');
    expect(await run(await publish(listOf('2.0.0', other)))).toEqual([
      { version: '2.0.0' },
      { failed: expect.stringContaining('sha512 checksum mismatch') },
    ]);
  });

  it('is not found if there is no list', async () => {
    expect(await run(await publish(undefined))).toEqual([{ failed: expect.stringContaining('404') }]);
  });
});
