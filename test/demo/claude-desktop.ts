import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';

const ConfigFile = z.object({
  mcpServers: z.record(
    z.string(),
    z.looseObject({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
type Entries = z.infer<typeof ConfigFile>['mcpServers'];

/** Claude Desktop in a home folder: its configuration file, and the client that it is to the servers there. */
export class ClaudeDesktop {
  readonly #home: string;
  readonly #file: string;
  readonly #open: Client[] = [];

  private constructor(home: string, file: string) {
    this.#home = home;
    this.#file = file;
  }

  /** As it is once it has been opened for the first time. */
  static async install(home: string): Promise<ClaudeDesktop> {
    const folder = join(home, '.config', 'Claude');
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'claude_desktop_config.json');
    await writeFile(file, '{}\n');
    return new ClaudeDesktop(home, file);
  }

  async entries(): Promise<Entries> {
    return ConfigFile.parse(JSON.parse(await readFile(this.#file, 'utf8'))).mcpServers;
  }

  /** Adds an entry, as a user pastes one. */
  async paste(name: string, entry: Entries[string]): Promise<void> {
    const mcpServers = { ...(await this.entries()), [name]: entry };
    await writeFile(this.#file, `${JSON.stringify({ mcpServers }, null, 2)}\n`);
  }

  /**
   * Spawns a server from the configuration file and connects to it, as Claude Desktop does at its start: the entry's
   * command and arguments, an environment of a few harmless variables, frames over stdin and stdout.
   */
  async connect(name: string): Promise<Client> {
    const entry = (await this.entries())[name];
    if (!entry) throw new Error(`${this.#file} has no server "${name}"`);
    const client = new Client({ name: 'causeway-demo', version: '1.0.0' });
    const { command, args } = entry;
    const env = { ...entry.env, HOME: this.#home, USERPROFILE: this.#home };
    await client.connect(new StdioClientTransport({ command, args, env }));
    this.#open.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((client) => client.close()));
  }
}
