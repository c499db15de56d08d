import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Contender } from './contender.ts';

export interface Peers {
  contenders: Contender[];
  remove(): Promise<void>;
}

/** Its command line leads from HTTP to stdio only; its library has the other way round. */
const MCP_PROXY_LAUNCHER = `
import { ServerType, startStdioServer } from 'mcp-proxy';
await startStdioServer({ serverType: ServerType.HTTPStream, url: process.argv[2] });
`;

/** Installs the proxies that people use today into its own folder, and says how each is started. */
export async function installPeers(origin: string): Promise<Peers> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-peers-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'mcp-remote', 'supergateway', 'mcp-proxy'],
    { cwd: folder },
  );
  const launcher = join(folder, 'mcp-proxy-launcher.mjs');
  await writeFile(launcher, MCP_PROXY_LAUNCHER);
  const module = (path: string) => join(folder, 'node_modules', path);
  const env = { HOME: folder, USERPROFILE: folder, PATH: process.env.PATH };
  const peer = (name: string, args: (url: string) => string[]): Contender => ({
    name,
    env,
    helper: undefined,
    arguments: (path) => args(`${origin}${path}`),
  });
  return {
    contenders: [
      peer('mcp-remote', (url) => [
        module('mcp-remote/dist/proxy.js'),
        url,
        '--transport',
        'http-only',
        '--silent',
        '--header',
        'Authorization: Bearer bench',
      ]),
      peer('supergateway', (url) => [
        module('supergateway/dist/index.js'),
        '--streamableHttp',
        url,
        '--logLevel',
        'none',
      ]),
      peer('mcp-proxy', (url) => [launcher, url]),
    ],
    remove: () => rm(folder, { recursive: true }),
  };
}
