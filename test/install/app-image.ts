import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the archive begins in the file: what is before it is the script, and spaces. */
const SCRIPT_BYTES = 1024;

/**
 * Does what the runtime of an AppImage does, of which there is none here: it puts the application into a folder that lasts as long
 * as the program runs, and names the file that was started.
 */
const SCRIPT = `#!/bin/sh
here=$(mktemp -d /tmp/.mount_CausewXXXXXX)
tail -c +${SCRIPT_BYTES + 1} "$0" | tar -x -C "$here"
APPIMAGE=$(readlink -f "$0") APPDIR=$here "$here/causeway-desktop" "$@"
code=$?
rm -rf "$here"
exit $code
`;

/** Makes one file of an application's folder, which starts and replaces itself as an AppImage does. */
export async function makeAppImage(application: string, file: string, updatesFrom: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'causeway-app-image-'));
  try {
    const own = join('resources', 'app-update.yml');
    await mkdir(join(work, 'resources'));
    const where = `provider: generic\nurl: ${updatesFrom}\nupdaterCacheDirName: causeway-updater\n`;
    await writeFile(join(work, own), where);
    const archive = join(work, 'archive');
    // Of two files with the same name, the last one is unpacked.
    const folders = ['-C', application, '.', '-C', work, `./${own}`];
    await run('tar', ['--owner=0', '--group=0', '-cf', archive, ...folders]);
    await writeFile(file, SCRIPT.padEnd(SCRIPT_BYTES));
    await pipeline(createReadStream(archive), createWriteStream(file, { flags: 'a' }));
    await chmod(file, 0o755);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A server of releases on this computer, such as the one that a project publishes to. */
export class ReleaseServer {
  readonly #server: Server;
  readonly #files = new Map<string, string | { file: string }>();
  readonly #asked: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ReleaseServer> {
    const server = createServer();
    const releases = new ReleaseServer(server);
    server.on('request', ({ url = '' }, response) => {
      const [path = ''] = url.slice(1).split('?');
      releases.#asked.push(path);
      const content = releases.#files.get(path);
      if (content === undefined) response.writeHead(404).end();
      else if (typeof content === 'string') response.end(content);
      else createReadStream(content.file).pipe(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return releases;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  /** What was asked for. */
  get asked(): readonly string[] {
    return this.#asked;
  }

  /** Puts a version into the list, with its size and its checksum, as electron-builder does. */
  async publish(version: string, file: string): Promise<void> {
    const name = `Causeway-${version}.AppImage`;
    const sha512 = await checksumOf(file);
    const { size } = await stat(file);
    const list = {
      version,
      files: [{ url: name, sha512, size }],
      path: name,
      sha512,
      releaseDate: '2026-01-01T00:00:00.000Z',
    };
    // JSON is YAML.
    this.#files.set('latest-linux.yml', JSON.stringify(list));
    this.#files.set(name, { file });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** As lists of releases have it. */
export async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64');
}
