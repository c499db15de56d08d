import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';

/** An entry of `mcpServers` (spec/managed-mcp-endpoints.md › Stdio proxy pattern). */
export interface ServerEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));

const ConfigFile = z.object({
  mcpServers: z.record(
    z.string(),
    z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  ),
});

/** The entry for one managed server: absolute paths, and nothing that has to be in the client's own environment. */
export function entryFor(profile: string, path: string, env: Record<string, string>): ServerEntry {
  return { command: process.execPath, args: [CAUSEWAY, 'proxy', '--profile', profile, '--path', path], env };
}

/** Writes Claude Desktop's configuration file into a home folder, and gives its path. */
export async function writeConfig(home: string, mcpServers: Record<string, ServerEntry>): Promise<string> {
  const folder = join(home, '.config', 'Claude');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'claude_desktop_config.json');
  await writeFile(file, `${JSON.stringify({ mcpServers }, null, 2)}\n`);
  return file;
}

/**
 * Spawns a server from the configuration file and connects to it, as Claude Desktop does at its start: the entry's
 * command and arguments, an environment of a few harmless variables, frames over stdin and stdout.
 */
export async function connectServer(file: string, name: string, home: string): Promise<Client> {
  const { mcpServers } = ConfigFile.parse(JSON.parse(await readFile(file, 'utf8')));
  const entry = mcpServers[name];
  if (!entry) throw new Error(`${file} has no server "${name}"`);
  const client = new Client({ name: 'causeway-demo', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...entry, env: { ...entry.env, HOME: home, USERPROFILE: home } }));
  return client;
}
