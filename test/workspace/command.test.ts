import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ini from 'ini';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { callerWith } from './caller.ts';
import { remoteControl } from './control-client.ts';
import { startWorkspace } from './workspace.ts';

/** The workspace as its own process: what it prints, how it ends, what it leaves. */

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const announcement = z.strictObject({
  host: z.string(),
  profileFile: z.string(),
  users: z.array(z.strictObject({ id: z.string(), userName: z.string(), admin: z.boolean(), token: z.string() })),
  faults: z.string(),
});
const profiles = z.record(z.string(), z.record(z.string(), z.string()));

let home: string;
let started: ChildProcess[];
beforeEach(async () => {
  started = [];
  home = await mkdtemp(join(tmpdir(), 'causeway-workspace-test-'));
});
afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(home, { recursive: true });
});

function start(...args: string[]): { child: ChildProcess; out: string[]; errors: string[] } {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, TMPDIR: home } });
  started.push(child);
  const [out, errors]: [string[], string[]] = [[], []];
  createInterface({ input: child.stdout }).on('line', (line) => out.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  return { child, out, errors };
}

async function announced(started: { child: ChildProcess; out: string[]; errors: string[] }) {
  while (started.out.length === 0) {
    if (started.child.exitCode !== null) throw new Error(`It ended: ${started.errors.join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return announcement.parse(JSON.parse(started.out[0] ?? ''));
}

describe('the workspace as a command', () => {
  test('takes the profile that it is started with', async () => {
    const { host, users } = await announced(start('--profile', 'lenient'));
    const list = await callerWith({ host }, users[0]?.token)('GET', '/api/2.0/sql/warehouses?unknown=1');
    expect(list.status).toBe(200);
  });

  test('refuses a profile that does not exist, with the names of those that do', async () => {
    const { child, errors } = start('--profile', 'tidy');
    await once(child, 'close');
    expect([child.exitCode, errors.join(' ')]).toEqual([2, expect.stringMatching(/"tidy".*strict, lenient/)]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints one line and serves until %s ends it with 0, and leaves nothing',
    async (signal) => {
      const began = performance.now();
      const process = start();
      const { host, profileFile, users, faults } = await announced(process);
      console.info(`ready after ${Math.round(performance.now() - began)} ms`);
      expect(new URL(host).hostname).toBe('127.0.0.1');
      expect(users.length).toBeGreaterThanOrEqual(3);
      expect(users.filter(({ admin }) => admin).length).toBeGreaterThanOrEqual(1);
      expect(users.some(({ id }) => BigInt(id) > Number.MAX_SAFE_INTEGER)).toBe(true);
      for (const { userName, token } of users) {
        const { body } = await callerWith({ host }, token)('GET', '/api/2.0/preview/scim/v2/Me');
        expect(body.userName).toBe(userName);
      }
      await remoteControl(faults).add({ effect: { kind: 'unavailable' } });
      expect((await callerWith({ host }, users[0]?.token)('GET', '/api/2.0/sql/warehouses')).status).toBe(503);
      // A client that keeps its connection open does not keep the workspace up.
      expect(existsSync(profileFile)).toBe(true);
      process.child.kill(signal);
      expect(await once(process.child, 'exit')).toEqual([0, null]);
      expect(await readdir(home)).toEqual([]);
      expect([process.out.length, process.errors]).toEqual([1, []]);
    },
  );

  test('accepts --port and --home', async () => {
    const first = start('--home', home);
    const { host, profileFile } = await announced(first);
    expect(profileFile).toBe(join(home, '.databrickscfg'));
    expect((await stat(profileFile)).mode & 0o777).toBe(0o600);
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
    expect(await readdir(home)).toEqual([]);
    const { port } = new URL(host);
    expect((await announced(start('--port', port))).host).toBe(host);
  });

  test('creates the folder of --home if it is missing', async () => {
    const missing = join(home, 'not', 'there');
    const { child, out, errors } = start('--home', missing);
    const { profileFile } = await announced({ child, out, errors });
    expect(profileFile).toBe(join(missing, '.databrickscfg'));
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await readdir(missing)).toEqual([]);
  });

  test.each([[['--port', 'eighty']], [['--unknown']], [['stray']]])(
    'refuses %j with exit code 2, and writes the reason and the usage to stderr only',
    async (args) => {
      const { child, out, errors } = start(...args);
      expect(await once(child, 'close')).toEqual([2, null]);
      expect(errors.at(-1)).toContain('Usage: npm run workspace');
      expect(out).toEqual([]);
    },
  );

  test('leaves an existing configuration file alone', async () => {
    await writeFile(join(home, '.databrickscfg'), '[mine]\n');
    const { child, errors } = start('--home', home);
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(errors.join('\n')).toContain('.databrickscfg');
    expect(await readFile(join(home, '.databrickscfg'), 'utf8')).toBe('[mine]\n');
  });
});

describe('the configuration file', () => {
  test('holds a profile for each token, one for the browser with nothing but the host, one for the service principal', async () => {
    const workspace = await startWorkspace({ home });
    const { host } = workspace;
    const sections = profiles.parse(ini.parse(await readFile(workspace.profileFile, 'utf8')));
    expect(sections).toEqual({
      __settings__: { default_profile: 'ana' },
      ana: { host, token: workspace.users[0]?.token, auth_type: 'pat' },
      ben: { host, token: workspace.users[1]?.token, auth_type: 'pat' },
      chloe: { host, token: workspace.users[2]?.token, auth_type: 'pat' },
      oauth: { host, auth_type: 'databricks-cli' },
      agent: {
        host,
        client_id: workspace.servicePrincipal.clientId,
        client_secret: workspace.servicePrincipal.clientSecret,
        auth_type: 'oauth-m2m',
      },
    });
    await workspace.close();
    expect(await readdir(home)).toEqual([]);
  });

  test('is kept if another program has changed it meanwhile', async () => {
    const workspace = await startWorkspace({ home });
    await writeFile(workspace.profileFile, '[mine]\n');
    await workspace.close();
    expect(await readFile(workspace.profileFile, 'utf8')).toBe('[mine]\n');
  });
});

test('the workspace cannot be reached from outside this computer', async () => {
  const workspace = await startWorkspace();
  const { port } = new URL(workspace.host);
  const outside = Object.values(networkInterfaces()).flatMap(
    (addresses) => addresses?.filter(({ internal, family }) => !internal && family === 'IPv4') ?? [],
  );
  for (const { address } of outside) {
    await expect(fetch(`http://${address}:${port}/login.html`)).rejects.toThrow();
  }
  expect((await fetch(`${workspace.host}/login.html`)).status).toBe(200);
  await workspace.close();
});
