import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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
