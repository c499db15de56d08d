import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const PACKAGES = ['@modelcontextprotocol/conformance', '@modelcontextprotocol/server-everything'];

/** Installs the suite and the reference server into a folder of their own. */
export async function installSuite(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-conformance-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES], {
    cwd: folder,
  });
  return folder;
}

/** Starts the reference server over streamable HTTP. */
export async function startEverything(folder: string, port: number) {
  const program = join(folder, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  while (!(await fetch(url).catch(() => undefined))) await sleep(100);
  return { url, close: () => child.kill() };
}

/** Runs the suite's server scenarios against a URL: how many checks of each scenario passed, of how many. */
export async function runServerSuite(folder: string, url: string): Promise<Map<string, string>> {
  const program = join(folder, 'node_modules/.bin/conformance');
  const child = spawn(program, ['server', '--url', url], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  const lines = output.matchAll(/^\s*[✓✗]\s+([\w-]+): (\d+ passed, \d+ failed)/gm);
  return new Map([...lines].map(([, name = '', result = '']) => [name, result]));
}
