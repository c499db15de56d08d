import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { auditFile } from '../../../main/audit/audit-file.ts';
import { initializeThroughProxy, installBrowser, runCauseway, startCauseway } from './causeway-process.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { setCommandStage } from './stage.ts';

const stage = setCommandStage();
let config: string;

beforeEach(async () => {
  config = await stage.home.readConfig();
});

/** A sign-in to a new profile that waits for the browser, and the page's address. */
async function shownAddress() {
  const login = startCauseway(stage.home, ['login', '--host', stage.workspace.host, '--profile', 'me', '--no-browser']);
  const address = await new Promise<string>((resolve) => {
    login.child.stderr.on('data', () => {
      const [, found] = /^(http:\S+)$/m.exec(login.stderr()) ?? [];
      if (found && login.stderr().includes('Ctrl-C')) resolve(found);
    });
  });
  return { login, address };
}

describe.skipIf(process.platform !== 'linux')('causeway login', () => {
  test('creates a profile with only the host, which the proxy then uses; logout ends it', async () => {
    const { opened } = await installBrowser(stage.home);
    await runCauseway(stage.home, ['audit', 'on']);
    const login = await runCauseway(stage.home, [
      'login',
      '--host',
      `${stage.workspace.host}/sql?o=1`,
      '--profile',
      'me',
    ]);
    expect(login).toMatchObject({
      code: 0,
      stdout: `Signed in to ${stage.workspace.host} as ana@example.com (profile me).\n`,
    });
    expect(await opened()).toHaveLength(1);
    expect(await stage.home.readConfig()).toBe(`${config}\n[me]\nhost = ${stage.workspace.host}\nworkspace_id = 1\n`);

    // The token's own end would frighten: it is renewed.
    const { stdout } = await runCauseway(stage.home, ['profiles']);
    expect(stdout).toMatch(/^ {2}me .+ {2}signed in, renews itself {2}ana@example\.com$/m);

    const { frame } = await initializeThroughProxy(stage.home, 'me');
    expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });

    const logout = await runCauseway(stage.home, ['logout', '--profile', 'me']);
    expect(logout).toMatchObject({
      code: 0,
      stdout: `Signed out of ${stage.workspace.host} (profile me). The workspace revoked its tokens.\n`,
    });
    const lines = (await readFile(auditFile(stage.home.env), 'utf8')).trimEnd().split('\n');
    const who = { profile: 'me', user: 'ana@example.com', workspace: stage.workspace.host, workspaceId: '1' };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'sign-in', by: 'command', ...who },
      { event: 'sign-out', by: 'command', ...who },
    ]);
    expect(await runCauseway(stage.home, ['whoami', '--profile', 'me'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `causeway: Profile "me" is signed out of ${stage.workspace.host}. Sign in with: causeway login --profile me.\n`,
    });
  });

  test('of the Databricks CLI does the same, and auth token prints the token that the workspace takes', async () => {
    const { workspace, home } = stage;
    await installBrowser(home);
    const login = await runCauseway(home, ['auth', 'login', '--host', workspace.host, '--profile', 'me']);
    expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('as ana@example.com (profile me)') });
    const token = (...args: string[]) => runCauseway(home, ['auth', 'token', ...args]);
    const { access_token: first, ...rest } = JSON.parse((await token('--host', workspace.host)).stdout);
    expect(rest).toEqual({ token_type: 'Bearer', expiry: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    const answer = await fetch(`${workspace.host}/api/2.0/preview/scim/v2/Me`, {
      headers: { authorization: `Bearer ${first}` },
    });
    expect(await answer.json()).toMatchObject({ userName: 'ana@example.com' });
    expect((await token('me', '--output', 'text')).stdout).toBe(`${first}\n`);
    const renewed = await token('me', '-o', 'text', '--force-refresh');
    expect(renewed).toMatchObject({ code: 0, stderr: '' });
    expect(renewed.stdout).not.toBe(`${first}\n`);
    expect(await token('--host', 'https://elsewhere.example')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Error: No profile signs in to https://elsewhere.example. Sign in with: causeway login --host https://elsewhere.example\n`,
    });
  });

  test('uses the profile of that workspace if there is one, and prints JSON', async () => {
    await installBrowser(stage.home);
    await runCauseway(stage.home, ['login', '--host', stage.workspace.host]);
    expect((await stage.home.readConfig()).replace(config, '')).toBe(`\n[workspace]\nhost = ${stage.workspace.host}\n`);
    const again = await runCauseway(stage.home, ['login', '--host', stage.workspace.host, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      profile: 'workspace',
      host: stage.workspace.host,
      userName: 'ana@example.com',
      scopes: ['all-apis', 'offline_access'],
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  test('without a client id prints the command that creates an application, filled in', async () => {
    const args = [
      'login',
      '--profile',
      'me',
      '--host',
      stage.workspace.host,
      '--scopes',
      "sql,ge'nie",
      '--callback-port',
      '8021',
    ];
    const { code, stderr } = await runCauseway(stage.home, args);
    expect(code).toBe(2);
    expect(stderr).toContain('used with --callback-port 8021, an account admin runs: databricks account');
    const [, json = ''] = /databricks account custom-app-integration create --json '(.*)'$/m.exec(stderr) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      redirect_urls: ['http://localhost:8021'],
      confidential: false,
      scopes: ['sql', 'genie', 'offline_access'],
    });
  });

  test('leaves no profile behind if it fails', async () => {
    await installBrowser(stage.home);
    stage.workspace.approve('deny');
    const login = await runCauseway(stage.home, ['login', '--host', stage.workspace.host, '--profile', 'me']);
    expect(login.code).toBe(1);
    expect(login.stderr).toContain(`causeway: Access to ${stage.workspace.host} was denied.`);
    expect((await stage.home.readConfig()).trimEnd()).toBe(config.trimEnd());
  });

  test('leaves the application of the workspace unchanged if it fails', async () => {
    await installBrowser(stage.home);
    const args = ['login', '--host', stage.workspace.host, '--profile', 'app', '--client-id', 'our-app'];
    const before = await runCauseway(stage.home, [...args, '--client-secret-stdin', '--scopes', 'sql'], 'app-secret\n');
    expect(before.code).toBe(0);
    const file = `${stage.home.env.CAUSEWAY_HOME}/config/oauth-applications.json`;
    const stored = await readFile(file, 'utf8');
    stage.workspace.approve('deny');
    expect((await runCauseway(stage.home, ['login', '--profile', 'app', '--built-in-client'])).code).toBe(1);
    expect(await readFile(file, 'utf8')).toBe(stored);
  });

  test.each<[string, (text: string) => Buffer, string | undefined]>([
    ['does not end with a line break', (text) => Buffer.from(text.trimEnd()), undefined],
    [
      'has Windows line breaks and a byte order mark',
      (text) => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`),
      undefined,
    ],
    ['has a comment in Latin-1', (text) => Buffer.from(`# für alle\n${text}`, 'latin1'), 'line 1, column 4'],
    ['is UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), 'line 1, column 1'],
    ['has a section that is not closed', (text) => Buffer.from(`${text}[ana\nhost = x\n`), 'line 16, column 1'],
  ])('leaves a configuration file unchanged if it fails, if the file %s', async (_name, bytesOf, place) => {
    await installBrowser(stage.home);
    stage.workspace.approve('deny');
    const bytes = bytesOf(config);
    await writeFile(stage.home.configFile, bytes);
    const { mtimeMs, ino } = await stat(stage.home.configFile);
    const login = await runCauseway(stage.home, ['login', '--host', stage.workspace.host, '--profile', 'me']);
    expect(login.code).not.toBe(0);
    expect(login.stderr).toContain(place ?? 'was denied.');
    expect(await readFile(stage.home.configFile)).toEqual(bytes);
    expect(await stat(stage.home.configFile)).toMatchObject({ mtimeMs, ino });
    expect((await readdir(stage.home.folder)).filter((name) => name.startsWith('.databrickscfg'))).toEqual([
      '.databrickscfg',
    ]);
  });

  test('keeps every byte of the configuration file if it succeeds', async () => {
    await installBrowser(stage.home);
    const bytes = Buffer.from(`\uFEFF# für alle\r\n${config.trimEnd()}`);
    await writeFile(stage.home.configFile, bytes);
    expect(await runCauseway(stage.home, ['login', '--host', stage.workspace.host, '--profile', 'me'])).toMatchObject({
      code: 0,
    });
    const after = await readFile(stage.home.configFile);
    expect(after.subarray(0, bytes.length)).toEqual(bytes);
    expect(after.subarray(bytes.length).toString()).toBe(`\r\n\r\n[me]\r\nhost = ${stage.workspace.host}\r\n`);
    expect(await readFile(`${stage.home.configFile}.bak`)).toEqual(bytes);
  });

  test('shows only the address if asked to, says what it waits for, and can be interrupted', async () => {
    const login = startCauseway(stage.home, [
      'login',
      '--host',
      stage.workspace.host,
      '--profile',
      'me',
      '--no-browser',
    ]);
    await new Promise<void>((resolve) => {
      login.child.stderr.on('data', () => {
        if (login.stderr().includes('Ctrl-C to cancel')) resolve();
      });
    });
    expect(login.stderr()).toMatch(
      /^Open this address in a browser to sign in to .*:\nhttp:\/\/127\.0\.0\.1:\d+\/oidc\/v1\/authorize\?/,
    );
    login.child.kill('SIGINT');
    expect(await login.ended).toBe(130);
    expect((await stage.home.readConfig()).trimEnd()).toBe(config.trimEnd());

    const { login: second, address } = await shownAddress();
    await scriptedBrowser().open(address);
    expect(await second.ended).toBe(0);
  });

  test('says in the browser, too, that a profile cannot be written, and revokes the sign-in', async () => {
    const { login, address } = await shownAddress();
    const utf16 = Buffer.from(`\uFEFF${config}`, 'utf16le');
    await writeFile(stage.home.configFile, utf16);
    const browser = scriptedBrowser();
    await browser.open(address);
    expect(await login.ended).not.toBe(0);
    expect((await browser.page()).text).toContain('You are not signed in');
    expect(login.stderr()).toContain('line 1, column 1');
    expect(stage.workspace.requests.count({ path: '/oidc/v1/revoke' })).toBe(2);
    expect(await readFile(stage.home.configFile)).toEqual(utf16);
  });

  test('signs in through an OAuth application of the account, whose secret it reads from stdin', async () => {
    await installBrowser(stage.home);
    const args = [
      'login',
      '--host',
      stage.workspace.host,
      '--profile',
      'app',
      '--client-id',
      'our-app',
      '--client-secret-stdin',
    ];
    const login = await runCauseway(stage.home, [...args, '--scopes', 'sql', '--json'], 'app-secret\n');
    expect(JSON.parse(login.stdout)).toMatchObject({ profile: 'app', scopes: ['sql', 'offline_access'] });
  });

  test.each([
    [
      ['login', '--profile', 'pat'],
      2,
      'Profile "pat" uses a personal access token. It has no sign-in to start or end.',
    ],
    [
      ['logout', '--profile', 'agent'],
      2,
      'Profile "agent" uses a client id and secret. It has no sign-in to start or end.',
    ],
    [['login', '--profile', 'gone'], 3, 'There is no profile "gone" in '],
    [['login', '--host', 'https://x.example', '--profile', 'pat'], 2, 'Profile "pat" names http://127.0.0.1:'],
    [['login', '--host', 'accounts.cloud.databricks.com'], 2, 'Its host is an account host, not a workspace.'],
    [['login', '--host', 'ftp://x'], 2, '"ftp://x" is not a workspace address.'],
    [['login', '--profile', 'pat', '--scopes', 'sql'], 2, 'An OAuth application needs a client id. Add --client-id.'],
    [['login', '--host', 'https://127.0.0.1:1'], 5, 'https://127.0.0.1:1 cannot be reached (ECONNREFUSED).'],
    [['whoami', '--profile', 'old'], 3, 'refuses the personal access token of profile "old"'],
    [['whoami', '--profile', 'account'], 2, 'Its host is an account host, not a workspace.'],
    [['whoami'], 2, 'has several profiles, and none of them is the default.'],
  ])('causeway %j ends with %i: %s', async (args, code, words) => {
    const result = await runCauseway(stage.home, args);
    expect(result.stderr).toContain(words);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(await stage.home.readConfig()).toBe(config);
  });
});
