import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../workspace/faults.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { initializeThroughProxy, installBrowser, runCauseway, startCauseway } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { scriptedBrowser } from './scripted-browser.ts';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let config: string;

beforeEach(async () => {
  workspace = await startWorkspace({
    autoApprove: 'ana@example.com',
    oauthClients: [
      {
        clientId: 'our-app',
        clientSecret: 'app-secret',
        redirectUris: ['http://localhost'],
        scopes: ['sql', 'offline_access'],
      },
    ],
  });
  config = `[pat]
host = ${workspace.host}
token = ${workspace.users[0]?.token}

[old]
host = ${workspace.host}
token = dapi-expired

[agent]
host = ${workspace.host}
client_id = ${workspace.servicePrincipal.clientId}
client_secret = ${workspace.servicePrincipal.clientSecret}

[account]
host = https://accounts.cloud.databricks.com
`;
  home = await ownHome(config);
});
afterEach(async () => {
  await workspace.close();
  await home.remove();
});

describe.skipIf(process.platform !== 'linux')('causeway login', () => {
  test('makes a profile with the host and nothing else, which the proxy then uses; logout ends it', async () => {
    const { opened } = await installBrowser(home);
    const login = await runCauseway(home, ['login', '--host', `${workspace.host}/sql?o=1`, '--profile', 'me']);
    expect(login).toMatchObject({
      code: 0,
      stdout: `Signed in to ${workspace.host} as ana@example.com (profile me).\n`,
    });
    expect(await opened()).toHaveLength(1);
    expect(await home.readConfig()).toBe(`${config}\n[me]\nhost = ${workspace.host}\nworkspace_id = 1\n`);

    const { frame } = await initializeThroughProxy(home, 'me');
    expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });

    const logout = await runCauseway(home, ['logout', '--profile', 'me']);
    expect(logout).toMatchObject({
      code: 0,
      stdout: `Signed out of ${workspace.host} (profile me). The workspace has revoked its tokens.\n`,
    });
    expect(await runCauseway(home, ['whoami', '--profile', 'me'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `causeway: Profile "me" is signed out of ${workspace.host}. Sign in with: causeway login --profile me.\n`,
    });
  });

  test('uses the profile of that workspace where there is one, and prints JSON', async () => {
    await installBrowser(home);
    await runCauseway(home, ['login', '--host', workspace.host]);
    expect((await home.readConfig()).replace(config, '')).toBe(`\n[workspace]\nhost = ${workspace.host}\n`);
    const again = await runCauseway(home, ['login', '--host', workspace.host, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      profile: 'workspace',
      host: workspace.host,
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
      workspace.host,
      '--scopes',
      "sql,ge'nie",
      '--callback-port',
      '8021',
    ];
    const { code, stderr } = await runCauseway(home, args);
    expect(code).toBe(2);
    const [, json = ''] = /databricks account custom-app-integration create --json '(.*)'$/m.exec(stderr) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      redirect_urls: ['http://localhost:8021'],
      confidential: false,
      scopes: ['sql', 'genie', 'offline_access'],
    });
  });

  test('leaves no profile behind when it fails', async () => {
    await installBrowser(home);
    workspace.approve('deny');
    const login = await runCauseway(home, ['login', '--host', workspace.host, '--profile', 'me']);
    expect(login.code).toBe(1);
    expect(login.stderr).toContain(`causeway: Causeway was not allowed to use ${workspace.host}.`);
    expect((await home.readConfig()).trimEnd()).toBe(config.trimEnd());
  });

  test('leaves the application of the workspace as it was when it fails', async () => {
    await installBrowser(home);
    const args = ['login', '--host', workspace.host, '--profile', 'app', '--client-id', 'our-app'];
    const before = await runCauseway(home, [...args, '--client-secret-stdin', '--scopes', 'sql'], 'app-secret\n');
    expect(before.code).toBe(0);
    const file = `${home.env.CAUSEWAY_HOME}/config/oauth-applications.json`;
    const stored = await readFile(file, 'utf8');
    workspace.approve('deny');
    expect((await runCauseway(home, ['login', '--profile', 'app', '--built-in-client'])).code).toBe(1);
    expect(await readFile(file, 'utf8')).toBe(stored);
  });

  test.each<[string, (text: string) => Buffer, string | undefined]>([
    ['ends without a line end', (text) => Buffer.from(text.trimEnd()), undefined],
    [
      'has Windows line ends and a byte order mark',
      (text) => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`),
      undefined,
    ],
    ['has a comment in Latin-1', (text) => Buffer.from(`# für alle\n${text}`, 'latin1'), 'line 1, column 4'],
    ['is UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'), 'line 1, column 1'],
    ['has a section that is not closed', (text) => Buffer.from(`${text}[ana\nhost = x\n`), 'line 16, column 1'],
  ])('that fails changes nothing of a configuration file that %s', async (_name, bytesOf, place) => {
    await installBrowser(home);
    workspace.approve('deny');
    const bytes = bytesOf(config);
    await writeFile(home.configFile, bytes);
    const { mtimeMs, ino } = await stat(home.configFile);
    const login = await runCauseway(home, ['login', '--host', workspace.host, '--profile', 'me']);
    expect(login.code).not.toBe(0);
    expect(login.stderr).toContain(place ?? 'was not allowed to use');
    expect(await readFile(home.configFile)).toEqual(bytes);
    expect(await stat(home.configFile)).toMatchObject({ mtimeMs, ino });
    expect((await readdir(home.folder)).filter((name) => name.startsWith('.databrickscfg'))).toEqual([
      '.databrickscfg',
    ]);
  });

  test('keeps every byte of the configuration file when it succeeds', async () => {
    await installBrowser(home);
    const bytes = Buffer.from(`\uFEFF# für alle\r\n${config.trimEnd()}`);
    await writeFile(home.configFile, bytes);
    expect(await runCauseway(home, ['login', '--host', workspace.host, '--profile', 'me'])).toMatchObject({ code: 0 });
    const after = await readFile(home.configFile);
    expect(after.subarray(0, bytes.length)).toEqual(bytes);
    expect(after.subarray(bytes.length).toString()).toBe(`\r\n\r\n[me]\r\nhost = ${workspace.host}\r\n`);
    expect(await readFile(`${home.configFile}.bak`)).toEqual(bytes);
  });

  test('shows only the address where that is wanted, says what it waits for, and can be interrupted', async () => {
    const login = startCauseway(home, ['login', '--host', workspace.host, '--profile', 'me', '--no-browser']);
    await new Promise<void>((resolve) => {
      login.child.stderr.on('data', () => {
        if (login.stderr().includes('Ctrl-C cancels')) resolve();
      });
    });
    expect(login.stderr()).toMatch(
      /^Open this address in a browser to sign in to .*:\nhttp:\/\/127\.0\.0\.1:\d+\/oidc\/v1\/authorize\?/,
    );
    login.child.kill('SIGINT');
    expect(await login.ended).toBe(130);
    expect((await home.readConfig()).trimEnd()).toBe(config.trimEnd());

    const second = startCauseway(home, ['login', '--host', workspace.host, '--profile', 'me', '--no-browser']);
    const address = await new Promise<string>((resolve) => {
      second.child.stderr.on('data', () => {
        const [, found] = /^(http:\S+)$/m.exec(second.stderr()) ?? [];
        if (found && second.stderr().includes('Ctrl-C')) resolve(found);
      });
    });
    await scriptedBrowser().open(address);
    expect(await second.ended).toBe(0);
  });

  test('signs in through an OAuth application of the account, whose secret comes from stdin', async () => {
    await installBrowser(home);
    const args = [
      'login',
      '--host',
      workspace.host,
      '--profile',
      'app',
      '--client-id',
      'our-app',
      '--client-secret-stdin',
    ];
    const login = await runCauseway(home, [...args, '--scopes', 'sql', '--json'], 'app-secret\n');
    expect(JSON.parse(login.stdout)).toMatchObject({ profile: 'app', scopes: ['sql', 'offline_access'] });
  });

  test.each([
    [
      ['login', '--profile', 'pat'],
      2,
      'Profile "pat" holds a personal access token: there is nothing to sign in to or out of.',
    ],
    [
      ['logout', '--profile', 'agent'],
      2,
      'Profile "agent" holds a client id and secret: there is nothing to sign in to or out of.',
    ],
    [['login', '--profile', 'gone'], 3, 'There is no profile "gone" in '],
    [['login', '--host', 'https://x.example', '--profile', 'pat'], 2, 'Profile "pat" names http://127.0.0.1:'],
    [['login', '--host', 'accounts.cloud.databricks.com'], 2, 'Its host is an account host, not a workspace.'],
    [['login', '--host', 'ftp://x'], 2, '"ftp://x" is not a workspace address.'],
    [['login', '--profile', 'pat', '--scopes', 'sql'], 2, 'An OAuth application needs a client id. Add --client-id.'],
    [['login', '--host', 'https://127.0.0.1:1'], 5, 'https://127.0.0.1:1 cannot be reached (ECONNREFUSED).'],
    [['whoami', '--profile', 'old'], 3, 'refuses the personal access token of profile "old"'],
    [['whoami', '--profile', 'account'], 2, 'Its host is an account host, not a workspace.'],
    [['whoami'], 2, 'has several profiles and none of them is the default.'],
  ])('causeway %j ends with %i: %s', async (args, code, words) => {
    const result = await runCauseway(home, args);
    expect(result.stderr).toContain(words);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(await home.readConfig()).toBe(config);
  });
});

describe('causeway whoami', () => {
  test('says who the token is, and that it works', async () => {
    expect(await runCauseway(home, ['whoami', '--profile', 'pat'])).toMatchObject({
      code: 0,
      stdout: `ana@example.com\nThe token works at ${workspace.host} (profile pat, personal access token).\n`,
    });
    const { stdout } = await runCauseway(home, ['whoami', '--profile', 'agent', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      state: 'signed-in',
      userName: workspace.servicePrincipal.clientId,
      displayName: expect.any(String),
      isServicePrincipal: true,
      profile: 'agent',
      host: workspace.host,
      method: 'oauth-m2m',
      expiresAt: null,
    });
  });

  const answers = (effect: FaultRule['effect']) =>
    workspace.faults.add({ path: '/api/2.0/preview/scim/v2/Me', effect, times: 'always' });
  const page = (status: number): FaultRule['effect'] => ({
    kind: 'answer',
    status,
    body: '<!doctype html><title>Hotel Wi-Fi</title>',
  });

  test.each<[string, FaultRule['effect'], string]>([
    ['an error of the workspace', { kind: 'html', status: 502 }, 'The workspace answered 502'],
    ['a page with status 200', page(200), 'is a web page'],
    ['a page with status 403', page(403), 'Hotel Wi-Fi'],
    ['a network with a sign-in of its own', page(511), 'Hotel Wi-Fi'],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:1/login' }, 'a redirect to'],
    ['a list of allowed addresses', { kind: 'block-ip' }, 'is blocked by Databricks IP ACL'],
  ])('does not take %s for an answer', async (_what, effect, words) => {
    answers(effect);
    const result = await runCauseway(home, ['whoami', '--profile', 'pat']);
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain(
      `causeway: It could not be found out whether the token of profile pat works at ${workspace.host}. `,
    );
    expect(result.stderr).toContain(words);
    const json = await runCauseway(home, ['whoami', '--profile', 'pat', '--json']);
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'not-asked', userName: null });
    const { stdout } = await runCauseway(home, ['profiles', '--json']);
    expect(JSON.parse(stdout)[0]).toMatchObject({ name: 'pat', state: 'unreachable', userName: null });
  });

  test('knows a token that is refused with 403 from one that may not say whose it is', async () => {
    answers({ kind: 'answer', status: 403, body: '{"error_code":"403","message":"Invalid access token."}' });
    expect(await runCauseway(home, ['whoami', '--profile', 'pat'])).toMatchObject({ code: 3, stdout: '' });
    workspace.faults.clear();
    answers({ kind: 'missing-scope', scope: 'iam' });
    expect(await runCauseway(home, ['whoami', '--profile', 'pat'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The token may not say whose it is\.\nThe token works at /),
    });
  });

  test.each([
    '{"error_code":403,"message":"Unauthorized access to Org: 1234567890"}',
    '{"error_code":"PERMISSION_DENIED","message":"User is not in this workspace."}',
  ])('does not call a token good that the workspace refuses everything: %s', async (body) => {
    workspace.faults.add({ effect: { kind: 'answer', status: 403, body }, times: 'always' });
    const words = JSON.parse(body).message.slice(0, -1);
    const result = await runCauseway(home, ['whoami', '--profile', 'pat']);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('The workspace does not let you in.');
    expect(result.stderr).toContain(words);
    const json = await runCauseway(home, ['whoami', '--profile', 'pat', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'permission_denied' } });
    const { stdout } = await runCauseway(home, ['profiles', '--json']);
    expect(JSON.parse(stdout)[0]).toMatchObject({ name: 'pat', state: 'no access' });
  });

  test('names a service principal', async () => {
    const { code, stdout } = await runCauseway(home, ['whoami', '--profile', 'agent']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^(\\S.* \\(service principal|Service principal) ${workspace.servicePrincipal.clientId}\\)?\\n`),
    );
  });

  test.each([
    ['pat', 'Make a personal access token that has the scope'],
    ['agent', 'Add the scope to the line `scopes` of the profile "agent"'],
  ])('says for the profile %s, which nobody can sign in to, who can grant a missing scope', async (name, remedy) => {
    workspace.faults.add({
      path: '/api/2.0/sql/warehouses*',
      effect: { kind: 'missing-scope', scope: 'sql' },
      times: 'always',
    });
    const { stderr } = await runCauseway(home, ['warehouse', 'list', '--profile', name]);
    expect(stderr).toContain('required scopes: sql');
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain('causeway login');
  });

  test('does not take silence for an answer', async () => {
    await workspace.close();
    expect(await runCauseway(home, ['whoami', '--profile', 'pat'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('cannot be reached'),
    });
  });
});

describe('causeway profiles', () => {
  test('lists the profile that the environment makes, as every other command uses it', async () => {
    const bare = await ownHome('', {
      DATABRICKS_HOST: workspace.host,
      DATABRICKS_TOKEN: workspace.users[0]?.token ?? '',
    });
    try {
      const { code, stdout } = await runCauseway(bare, ['profiles', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject([
        { name: '(environment)', host: workspace.host, default: true, state: 'ready', userName: 'ana@example.com' },
      ]);
      const both = await ownHome(`[other]\nhost = ${workspace.host}\ntoken = x\n`, bare.env);
      both.env.HOME = both.folder;
      const listed = await runCauseway(both, ['profiles', '--json', '--skip-validate']);
      await both.remove();
      expect(
        JSON.parse(listed.stdout).map((row: { name: string; default: boolean }) => [row.name, row.default]),
      ).toEqual([
        ['other', true],
        ['(environment)', false],
      ]);
    } finally {
      await bare.remove();
    }
  });

  test('shows every profile with its state, usable or not', async () => {
    const { code, stdout } = await runCauseway(home, ['profiles', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'pat', method: 'pat', state: 'ready', userName: 'ana@example.com', message: null, default: false },
      { name: 'old', method: 'pat', state: 'refused', userName: null },
      { name: 'agent', method: 'oauth-m2m', state: 'ready' },
      { name: 'account', method: null, state: 'unusable', message: expect.stringContaining('account host') },
    ]);
  });

  test('on a computer without a keychain ends as it should, and says nothing of keychains', async () => {
    // No D-Bus address: no Secret Service can be asked.
    const bare = await ownHome(`[user]\nhost = ${workspace.host}\n`, { CAUSEWAY_TOKEN_STORE: 'keychain' });
    try {
      const { code, stdout, stderr } = await runCauseway(bare, ['profiles', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject([{ name: 'user', state: 'signed out' }]);
      expect(stderr).toBe('');
    } finally {
      await bare.remove();
    }
  });

  test('prints a table, and does not ask the workspaces where that is not wanted', async () => {
    const { stdout, stderr } = await runCauseway(home, ['profiles', '--skip-validate']);
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^ {2}PROFILE +HOST +METHOD +STATE +WHO +EXPIRES$/);
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['pat', workspace.host, 'personal access token', 'not checked', '-', '-'],
      ['old', workspace.host, 'personal access token', 'not checked', '-', '-'],
      ['agent', workspace.host, 'service principal', 'not checked', '-', '-'],
      ['account', 'https://accounts.cloud.databricks.com', '-', 'unusable', '-', '-'],
    ]);
    expect(stderr).toBe('account: Its host is an account host, not a workspace. Use the address of a workspace.\n');
    expect(workspace.requests.count()).toBe(0);
  });
});
