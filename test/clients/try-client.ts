import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { RealClient } from './real-clients.ts';

const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));
/** How long a client may take, in milliseconds. */
const PATIENCE_MS = 60_000;

/** What a client did. */
export interface Tried {
  /** `causeway clients add` wrote its entry. */
  written: boolean;
  /** The line in which it says that it connected. */
  says: string | undefined;
  /** How many tools it printed; nothing where it prints none. */
  tools: number | undefined;
  output: string;
}

/** Installs those packages that are not there yet. */
export async function install(folder: string, names: string[]): Promise<void> {
  const isThere = (name: string) =>
    access(join(folder, 'node_modules', name))
      .then(() => true)
      .catch(() => false);
  const missing: string[] = [];
  for (const name of names) if (!(await isThere(name))) missing.push(name);
  if (missing.length === 0) return;
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...missing], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = await once(npm, 'close');
  if (code !== 0) throw new Error(`npm install ended with ${code}: the registry may be out of reach.`);
}

/** Writes the client's entry with our own command, and lets the client connect through it. */
export async function tryClient(
  client: RealClient,
  where: { home: string; packages: string; listed: Promise<void> },
): Promise<Tried> {
  const { home, packages } = where;
  const env = {
    HOME: home,
    USERPROFILE: home,
    PATH: [join(packages, 'node_modules', '.bin'), process.env.PATH].join(':'),
    CI: '1',
    NO_COLOR: '1',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    ...client.env,
  };
  if (client.file) {
    await mkdir(dirname(join(home, client.file.path)), { recursive: true });
    await writeFile(join(home, client.file.path), client.file.text);
  }
  const causeway = (...args: string[]) => run(process.execPath, [CAUSEWAY, ...args], { env, cwd: home });
  await causeway('servers', 'add', 'sql', '--profile', 'ana', '--name', 'databricks-sql');
  const added = await causeway('clients', 'add', client.id, '--json');
  const output = await run(client.command, client.args(home), { env, cwd: home, client });
  if (client.afterwards) await run(client.command, client.afterwards, { env, cwd: home, until: where.listed });
  const says = output.split('\n').find((line) => client.connected.test(line));
  const tools = client.tools && new Set([...output.matchAll(client.tools)].map(([, name]) => name));
  return {
    written: /"result": "written"/.test(added),
    says: says?.trim().slice(0, 100),
    tools: says === undefined ? undefined : tools?.size,
    output: output + added,
  };
}

interface RunOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  client?: RealClient;
  /** Stops it when this comes to pass. */
  until?: Promise<void>;
}

/** Runs a command to its end, or until it has said what was waited for; gives all that it printed. */
async function run(command: string, args: string[], { env, cwd, client, until }: RunOptions): Promise<string> {
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  // A client may consist of several processes, which hold its output open together.
  const stop = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended already.
    }
  };
  let printed = '';
  const patience = setTimeout(stop, PATIENCE_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += stripVTControlCharacters(text);
      if (client?.asks && client.connected.test(printed)) child.stdin.end();
    });
  }
  child.stdin.on('error', () => {});
  if (client?.asks) for (const frame of client.asks) child.stdin.write(`${JSON.stringify(frame)}\n`);
  else child.stdin.end();
  void until?.then(stop);
  await ended(child);
  clearTimeout(patience);
  stop();
  return printed;
}

async function ended(child: ChildProcess): Promise<void> {
  await Promise.race([once(child, 'close'), once(child, 'error')]);
}
