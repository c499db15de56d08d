import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuth } from '../../../main/auth/open.ts';
import { type OwnHome, ownHome } from './own-home.ts';

const HOST = 'https://a.example';
let home: OwnHome;

beforeEach(async () => {
  home = await ownHome(`[p]\nhost = ${HOST}\nauth_type = databricks-cli\n`, {
    DATABRICKS_TOKEN: 'must-not-be-passed-on',
  });
  // Nowhere on this path, nor in the usual places below an empty home, is a Databricks CLI.
  home.env.PATH = '/usr/bin:/bin';
});
afterEach(() => home.remove());

/** Puts a program that behaves like some release of the Databricks CLI where one is usually installed. */
async function install(body: string, folder = join(home.folder, '.local', 'bin')): Promise<string> {
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'databricks');
  const version = 'if [ "$1" = --version ]; then echo "Databricks CLI v1.13.0"; exit 0; fi';
  await writeFile(program, `#!/bin/sh\n${version}\necho "$@" >> "${home.folder}/calls"\n${body}\n`);
  await chmod(program, 0o755);
  return program;
}

const calls = async () => (await readFile(join(home.folder, 'calls'), 'utf8')).trim().split('\n');
const answer = (token: string, expiry = '2099-01-01T00:00:00.5+02:00') =>
  `echo '{"access_token":"${token}","token_type":"Bearer","expiry":"${expiry}"}'`;

async function source(now?: () => number) {
  const auth = openAuth({ env: home.env, ...(now ? { now } : {}) });
  return auth.tokens(await auth.profile('p'));
}

describe('a profile of the Databricks CLI', () => {
  test('gets its token from the CLI, even if it is not on PATH, and keeps it while it is valid', async () => {
    await install(answer('cli-token'));
    const tokens = await source();
    expect((await tokens.token()).reveal()).toBe('cli-token');
    expect((await tokens.token()).reveal()).toBe('cli-token');
    expect(await calls()).toEqual(['auth token --profile p --output json']);
  });

  test('does not pass on variables that override the profile', async () => {
    await install(
      `[ -z "$DATABRICKS_TOKEN" ] || exit 9\n[ "$DATABRICKS_CONFIG_FILE" = "${home.configFile}" ] || exit 8\n${answer('t')}`,
    );
    expect((await (await source()).token()).reveal()).toBe('t');
  });

  test('asks again before the token expires', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    await install(answer('t', '2030-01-01T01:00:00Z'));
    const tokens = await source(() => now);
    await tokens.token();
    now += 56 * 60_000;
    await tokens.token();
    expect(await calls()).toHaveLength(2);
  });

  test('makes the CLI refresh a token that was refused, as far as the CLI can', async () => {
    await install(
      `case "$*" in *force-refresh*) echo "Error: unknown flag: --force-refresh" >&2; exit 1;; esac\n${answer('t')}`,
    );
    const tokens = await source();
    await tokens.token({ rejected: await tokens.token() });
    expect(await calls()).toEqual([
      'auth token --profile p --output json',
      'auth token --profile p --output json --force-refresh',
      'auth token --profile p --output json',
    ]);
  });

  test('says what to do if the CLI is signed out', async () => {
    await install(
      'echo "Error: A new access token could not be retrieved because the refresh token is invalid." >&2; exit 1',
    );
    await expect((await source()).token()).rejects.toMatchObject({
      code: 'signed_out',
      message: `The Databricks CLI is signed out of ${HOST} (profile "p").`,
      action: { do: 'sign-in', profile: 'p' },
    });
  });

  test('tries again if the CLI fails because of a concurrent run, then repeats its message', async () => {
    await install('echo "Error: cache update: exit status 45" >&2; exit 1');
    await expect((await source()).token()).rejects.toMatchObject({
      code: 'cli_unavailable',
      message: 'The Databricks CLI returned no token (Error: cache update: exit status 45).',
      remedy: 'To see why, run: databricks auth token --profile p',
    });
    expect(await calls()).toHaveLength(3);
  });

  test('says that the CLI is missing, and what to do', async () => {
    const tokens = await source();
    await expect(tokens.token()).rejects.toMatchObject({
      code: 'cli_unavailable',
      message: 'The Databricks CLI that profile "p" signs in with is not installed.',
      remedy: 'Install it (https://docs.databricks.com/dev-tools/cli/install.html), or do without it.',
      action: { do: 'sign-in', profile: 'p' },
    });
    await install(answer('later'));
    expect((await tokens.token()).reveal()).toBe('later');
  });

  test('recognizes the legacy CLI, and skips it in favor of a current one later on PATH', async () => {
    const old = join(home.folder, 'old');
    const program = await install('', old);
    await writeFile(program, '#!/bin/sh\necho "Version 0.18.0"\n');
    home.env.PATH = `${old}:/usr/bin:/bin`;
    await expect((await source()).token()).rejects.toMatchObject({
      code: 'cli_unavailable',
      message: `${program} is the legacy Databricks CLI. It cannot provide tokens.`,
      remedy: 'Install the current one (https://docs.databricks.com/dev-tools/cli/install.html), or do without it.',
      action: { do: 'sign-in', profile: 'p' },
    });
    await install(answer('present'));
    expect((await (await source()).token()).reveal()).toBe('present');
  });

  test('says so if the path that the profile names does not exist', async () => {
    home.env.DATABRICKS_CLI_PATH = '/nowhere/databricks';
    await expect((await source()).token()).rejects.toMatchObject({
      message: 'There is no Databricks CLI at /nowhere/databricks, and profile "p" signs in with it.',
    });
  });

  test('does not repeat an answer that may contain a token', async () => {
    await install(`echo '{"access_token":{"nested":"hush"}}'`);
    const failure = await (await source()).token().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'cli_unavailable' });
    expect(inspect(failure, { depth: 9 })).not.toContain('hush');
  });
});
