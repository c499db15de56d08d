import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { getMcpConfigForManifest, unpackExtension, v0_3 } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { bundleManifest } from '../../../resources/mcpb/bundle.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';

const PACK = join(import.meta.dirname, '..', '..', '..', 'resources', 'mcpb', 'main.ts');

describe('the extension for Claude Desktop', () => {
  let folder: string;
  let extension: string;
  let workspace: EmbeddedWorkspace;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-mcpb-test-'));
    await promisify(execFile)(process.execPath, [PACK, '--here', '--out', folder]);
    extension = join(folder, 'Claude Extensions', 'causeway');
    const mcpbPath = join(folder, `causeway-${manifest.version}.mcpb`);
    expect(await unpackExtension({ mcpbPath, outputDir: extension, silent: true })).toBe(true);
    workspace = await startWorkspace();
  }, 60_000);
  afterAll(async () => {
    await workspace.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What Claude Desktop starts, by the code that it uses itself, with what its user has filled in. */
  async function started(userConfig: Record<string, string>) {
    const found = v0_3.McpbManifestSchema.parse(JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8')));
    const options = { extensionPath: extension, systemDirs: {}, pathSeparator: sep, userConfig };
    const config = await getMcpConfigForManifest({ manifest: found, ...options });
    // Its `node` is the one that Claude Desktop brings.
    expect(config?.command).toBe('node');
    const home = dirname(workspace.profileFile);
    return { args: config?.args ?? [], env: { ...config?.env, HOME: home, USERPROFILE: home } };
  }

  async function toolsWith(userConfig: Record<string, string>): Promise<string[]> {
    const { args, env } = await started(userConfig);
    const client = new Client({ name: 'claude-ai', version: '0.1.0' });
    try {
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
      return (await client.listTools()).tools.map(({ name }) => name);
    } finally {
      await client.close();
    }
  }

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'execute_sql'],
    ['empty settings', { profile: '', server: ' ' }, 'execute_sql'],
    ['a profile and a server', { profile: 'ana', server: 'sql' }, 'execute_sql'],
    ['a path', { profile: 'ben', server: '/api/2.0/mcp/functions/main/default' }, 'main__default__initials'],
  ])('lists the tools of the server with %s filled in', async (_what, userConfig, tool) => {
    expect(await toolsWith(userConfig)).toContain(tool);
  });

  it('says what is wrong with an invalid server', async () => {
    const { args, env } = await started({ server: 'databricks' });
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(2);
    expect(said).toContain('"databricks"');
  });

  it('contains the command, its licenses, an icon, and the native module of the keychain', async () => {
    expect((await readdir(extension)).sort()).toEqual(['icon.png', 'manifest.json', 'server']);
    const server = await readdir(join(extension, 'server'), { recursive: true });
    expect(server).toEqual(expect.arrayContaining(['LICENSE', 'THIRD-PARTY-NOTICES.txt', join('cli', 'causeway.js')]));
    expect(server).toContain(join('node_modules', 'keytar', `keyring-${process.platform}-${process.arch}.node`));
  });

  it('names the repository if it is known', () => {
    expect(bundleManifest('ana/causeway').repository).toEqual({ type: 'git', url: 'https://github.com/ana/causeway' });
    expect(v0_3.McpbManifestSchema.parse(bundleManifest(undefined))).not.toHaveProperty('repository');
  });
});
