/** `npm run test:clients [-- --dir DIR] [CLIENT…]`: real clients, installed from npm, connect through entries that we wrote. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startWorkspace } from '../workspace/workspace.ts';
import { REAL_CLIENTS } from './real-clients.ts';
import { openTap } from './tap.ts';
import { install, tryClient } from './try-client.ts';

const { values, positionals } = parseArgs({ options: { dir: { type: 'string' } }, allowPositionals: true });
const scratch = await mkdtemp(join(tmpdir(), 'causeway-real-clients-'));
const packages = values.dir === undefined ? join(scratch, 'packages') : resolve(values.dir);
const chosen = REAL_CLIENTS.filter(({ id }) => positionals.length === 0 || positionals.includes(id));

const workspace = await startWorkspace();
try {
  await mkdir(packages, { recursive: true });
  await install(
    packages,
    chosen.map(({ install: name }) => name),
  );
  console.log('client                          version    entry written  initialize  tools/list  tools  what it says');
  let failed = 0;
  for (const client of chosen) {
    const home = join(scratch, client.id);
    await mkdir(home);
    await using tap = await openTap(workspace.host);
    const token = workspace.users.find(({ admin }) => admin)?.token ?? '';
    await writeFile(join(home, '.databrickscfg'), `[ana]\nhost = ${tap.host}\ntoken = ${token}\n`, { mode: 0o600 });
    const manifest = join(packages, 'node_modules', client.install, 'package.json');
    const { version } = JSON.parse(await readFile(manifest, 'utf8'));
    const seen = await tryClient(client, { home, packages, listed: tap.answered('tools/list') });
    const [opened, listed] = ['initialize', 'tools/list'].map((method) => tap.methods.includes(method));
    if (!(seen.written && seen.says !== undefined && opened && listed)) failed += 1;
    const yes = (it: unknown, width: number) => (it ? 'yes' : 'NO').padEnd(width);
    const says = seen.says ?? seen.output.trim().split('\n').slice(-3).join(' | ').slice(0, 200);
    const cells = [
      client.install.padEnd(30),
      String(version).padEnd(9),
      yes(seen.written, 13),
      yes(opened, 10),
      yes(listed, 10),
    ];
    console.log([...cells, String(seen.tools ?? '-').padEnd(5), says].join('  '));
  }
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await workspace.close();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}
