import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { findCredentials } from 'keytar/keytar.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { installBrowser } from '../integration/auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../integration/auth/own-home.ts';
import { noKeychain, sessionVariables } from '../integration/auth/secret-service.ts';
import { canCompile, compileLibrary, STILL_LOADED } from '../preloaded-library.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { COMMAND, noPackage } from './packaged.ts';

const SQL = '/api/2.0/mcp/sql';

describe.skipIf(noPackage)('the causeway executable', () => {
  let workspace: EmbeddedWorkspace;
  let home: OwnHome;

  beforeAll(async () => {
    workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
    const ana = workspace.users.find(({ userName }) => userName === 'ana@example.com');
    home = await ownHome(`[ana]\nhost = ${workspace.host}\ntoken = ${ana?.token}\n`, sessionVariables);
  });
  afterAll(async () => {
    await workspace?.close();
    await home?.remove();
  });

  async function causeway(args: string[], env = home.env) {
    const child = spawn(COMMAND, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code, stdout, stderr };
  }

  /** The tools that an official client sees through `causeway proxy`. */
  async function toolsThrough(profile: string, env: NodeJS.ProcessEnv): Promise<string[]> {
    const args = ['proxy', '--profile', profile, '--path', SQL];
    const client = new Client({ name: 'test', version: '0' });
    const given = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    await client.connect(new StdioClientTransport({ command: COMMAND, args, env: given }));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  }

  it('needs no Node and no other file to print its version', async () => {
    expect(await causeway(['--version'], {})).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  it('does not run other programs as Node does', async () => {
    expect(await causeway(['-e', 'console.log("as Node")'])).toMatchObject({ code: 2, stdout: '' });
    const env = { ...home.env, NODE_OPTIONS: '--require /nowhere.js' };
    expect(await causeway(['--version'], env)).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(!canCompile)('does not keep a library that LD_PRELOAD loads', async () => {
    const env = { ...home.env, LD_PRELOAD: compileLibrary(home.notes) };
    expect(await causeway(['--version'], env)).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    expect((await causeway(['no-such-command'], env)).stderr).not.toContain(STILL_LOADED);
    expect(await toolsThrough('ana', env)).toContain('execute_sql');
  });

  it('lists the profiles', async () => {
    expect(await causeway(['profiles', '--json'])).toMatchObject({ code: 0, stdout: expect.stringContaining('"ana"') });
  });

  it('bridges an official client to a managed server', async () => {
    expect(await toolsThrough('ana', home.env)).toContain('execute_sql');
  });

  it.skipIf(noKeychain)('signs in, keeps the token in the keychain, and finds it there for a client', async () => {
    const env = { ...home.env, CAUSEWAY_TOKEN_STORE: 'keychain' };
    const { opened } = await installBrowser({ ...home, env });
    const signedIn = await causeway(['login', '--host', workspace.host, '--profile', 'own'], env);
    expect(signedIn).toMatchObject({ code: 0 });
    const kept = (await findCredentials('Causeway')).map(({ account }) => account);
    expect(kept).toContain(`${workspace.host} own`);
    expect(await toolsThrough('own', env)).toContain('execute_sql');
    expect(await opened()).toHaveLength(1);
    expect(await causeway(['logout', '--profile', 'own'], env)).toMatchObject({ code: 0 });
  });
});
