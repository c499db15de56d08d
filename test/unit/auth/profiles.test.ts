import { describe, expect, test } from 'vitest';
import { parseConfig, parseConfigBytes } from '../../../main/auth/profiles/config-document.ts';
import { chooseProfile, listProfiles, profileSettings } from '../../../main/auth/profiles/profiles.ts';
import { asCausewayError } from '../../../main/platform/errors.ts';
import { remedyFor } from '../../../main/words/failure.ts';

const book = (text: string, env: NodeJS.ProcessEnv = {}) => ({
  document: parseConfig(text),
  path: '~/.databrickscfg',
  env,
});
const one = (keys: string) => listProfiles(book(`[p]\n${keys}`))[0];

describe('the configuration file', () => {
  test('is read as the Databricks tools read it', () => {
    const text = [
      '\uFEFF; first line',
      'host = https://before-any-section.com',
      '',
      '[my.team.prod]   # a dot is part of the name',
      'host: https://a.com/#/setting  # a comment needs a space before it',
      'token="dapi#1; still the token"',
      'this line is nothing',
      '[DEFAULT]',
      "token = 'dapi0'",
      '[my.team.prod]',
      'token = dapi2',
    ].join('\r\n');
    const { sections, eol } = parseConfig(text);
    expect(eol).toBe('\r\n');
    expect(sections.map(({ name, values }) => [name, Object.fromEntries(values)])).toEqual([
      ['DEFAULT', { host: 'https://before-any-section.com' }],
      ['my.team.prod', { host: 'https://a.com/#/setting', token: 'dapi#1; still the token' }],
      ['DEFAULT', { token: 'dapi0' }],
      ['my.team.prod', { token: 'dapi2' }],
    ]);
    expect(profileSettings(book(text), 'my.team.prod').token?.reveal()).toBe('dapi2');
  });

  test('lists its profiles in order, without the settings and without an empty [DEFAULT]', () => {
    const entries = listProfiles(
      book(
        '[__settings__]\ndefault_profile = b\nauth_storage = secure\n[DEFAULT]\n[b]\nhost = b.com\n[a]\nhost = a.com\n',
      ),
    );
    expect(entries.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['b', true],
      ['a', false],
    ]);
  });
});

describe('how a profile signs in', () => {
  test.each([
    ['host = a.com\ntoken = dapi1', 'pat'],
    ['host = a.com\nclient_id = i\nclient_secret = s', 'oauth-m2m'],
    ['host = a.com\nauth_type = databricks-cli', 'databricks-cli'],
    ['host = a.com', 'oauth-user'],
    ['host = a.com\nauth_type = external-browser', 'oauth-user'],
    ['host = a.com\nclient_id = public-app\nscopes = sql offline_access', 'oauth-user'],
    ['host = a.com\ntoken = t\nclient_id = i\nclient_secret = s\nauth_type = pat', 'pat'],
    ['host = a.com\ntoken = a token that is not used\nauth_type = databricks-cli', 'databricks-cli'],
  ])('is read from %j: %s', (keys, method) => {
    expect(one(keys)).toMatchObject({ usable: true, profile: { name: 'p', host: 'https://a.com', method } });
  });

  test.each([
    ['host = adb-1.2.azuredatabricks.net\nauth_type = azure-cli', 'azure-cli'],
    ['host = adb-1.2.azuredatabricks.net\nazure_tenant_id = contoso.example', 'azure-cli'],
    [
      'host = adb-1.2.databricks.azure.us\nazure_workspace_resource_id = /subscriptions/1-2/resourceGroups/rg/providers/Microsoft.Databricks/workspaces/w',
      'azure-cli',
    ],
    [
      'host = adb-1.2.databricks.azure.cn\nazure_tenant_id = t\nazure_client_id = i\nazure_client_secret = s',
      'azure-client-secret',
    ],
    [
      'host = adb-1.2.azuredatabricks.net\nazure_tenant_id = t\nazure_client_id = i\nazure_client_secret = s\nauth_type = azure-cli',
      'azure-cli',
    ],
    ['host = a.com\nauth_type = github-oidc\nclient_id = i', 'github-oidc'],
    ['host = a.com\noidc_token_env = MY_TOKEN', 'env-oidc'],
    ['host = a.com\noidc_token_filepath = /t', 'file-oidc'],
    ['host = a.com\ndatabricks_id_token_filepath = /t', 'file-oidc'],
  ])('is read from %j: %s', (keys, method) => {
    expect(one(keys)).toMatchObject({ usable: true, profile: { method } });
  });

  test('the environment fills in what a profile omits, and never changes its kind', () => {
    const env = {
      ARM_TENANT_ID: 'of-the-environment',
      ARM_CLIENT_ID: 'id-of-the-environment',
      ARM_CLIENT_SECRET: 'hush',
      DATABRICKS_OIDC_TOKEN_FILEPATH: '/run/token',
    };
    const text = `[sp]
host = adb-1.azuredatabricks.net
azure_client_id = own
[cli]
host = adb-1.azuredatabricks.net
auth_type = azure-cli
[pat]
host = adb-1.azuredatabricks.net
token = dapi1
[file]
host = a.com
auth_type = file-oidc
`;
    expect(profileSettings(book(text, env), 'sp')).toMatchObject({
      method: 'azure-client-secret',
      azure: { tenantId: 'of-the-environment', clientId: 'own' },
    });
    expect(profileSettings(book(text, env), 'cli')).toMatchObject({
      method: 'azure-cli',
      azure: { tenantId: 'of-the-environment', clientId: undefined },
    });
    expect(profileSettings(book(text, env), 'pat')).toMatchObject({ method: 'pat', azure: { tenantId: undefined } });
    expect(profileSettings(book(text, env), 'file')).toMatchObject({ federation: { tokenFile: '/run/token' } });
    expect(JSON.stringify(profileSettings(book(text, env), 'sp'))).not.toContain('hush');
  });

  const host = { DATABRICKS_HOST: 'adb-1.azuredatabricks.net' };
  const arm = { ARM_TENANT_ID: 't', ARM_CLIENT_ID: 'i', ARM_CLIENT_SECRET: 's' };
  const job = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://a.example', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't' };
  test.each<[NodeJS.ProcessEnv, object]>([
    [{ ...host, ...arm }, { profile: { method: 'azure-client-secret' } }],
    [{ ...host, DATABRICKS_AUTH_TYPE: 'azure-cli' }, { profile: { method: 'azure-cli' } }],
    [{ ...host, ...job, DATABRICKS_CLIENT_ID: 'i' }, { profile: { method: 'github-oidc' } }],
    [{ ...host, DATABRICKS_OIDC_TOKEN: 'x' }, { profile: { method: 'env-oidc' } }],
    [{ ...host, DATABRICKS_OIDC_TOKEN_FILEPATH: '/x' }, { profile: { method: 'file-oidc' } }],
    [{ ...host, ...job, DATABRICKS_TOKEN: 'x' }, { profile: { method: 'pat' } }],
    [
      { ...host, ...arm, DATABRICKS_TOKEN: 'x' },
      { usable: false, reason: 'several_methods' },
    ],
  ])('the environment %j makes a profile', (env, entry) => {
    expect(listProfiles(book('', env))).toMatchObject([{ name: '(environment)', ...entry }]);
  });

  test.each([
    [
      'token = t',
      'no_host',
      'It has no host. Set host to the address of the workspace, such as https://acme.cloud.databricks.com.',
    ],
    ['host = http://a.com', 'bad_host', '"http://a.com" would send tokens unencrypted. Use https://a.com instead.'],
    [
      'host = https://accounts.cloud.databricks.com\naccount_id = x',
      'account_host',
      'Its host is an account host, not a workspace. Use the address of a workspace.',
    ],
    [
      'host = a.com\ntoken = t\nclient_id = i',
      'several_methods',
      'It has more than one authorization method (pat and oauth). Remove one, or choose with auth_type.',
    ],
    [
      'host = a.com\nauth_type = google-id',
      'unsupported_method',
      'Causeway cannot sign in by google-id. It supports pat, oauth-m2m, databricks-cli, external-browser, github-oidc, env-oidc, file-oidc, azure-client-secret, azure-cli.',
    ],
    ['host = a.com\nauth_type = toString', 'unsupported_method', 'Causeway cannot sign in by toString.'],
    ['host = a.com\nusername = u\npassword = p', 'unsupported_method', 'Causeway cannot sign in by basic credentials.'],
    [
      'host = adb-1.azuredatabricks.net\nazure_use_msi = true\nazure_client_id = i',
      'unsupported_method',
      'Causeway cannot sign in by azure-msi.',
    ],
    [
      'host = a.com\nauth_type = azure-cli',
      'not_azure',
      'It signs in by azure-cli, but https://a.com is not an Azure workspace. Entra tokens are sent only to Azure workspaces. Use its address on azuredatabricks.net, databricks.azure.us or databricks.azure.cn.',
    ],
    [
      'host = evilazuredatabricks.net\nauth_type = azure-cli',
      'not_azure',
      'It signs in by azure-cli, but https://evilazuredatabricks.net is not an Azure workspace',
    ],
    [
      'host = adb-1.azuredatabricks.net\nazure_client_id = i\nazure_tenant_id = t',
      'incomplete',
      'It has no azure_client_secret. azure-client-secret needs it. Add it to the profile, or set ARM_CLIENT_SECRET.',
    ],
    [
      'host = a.example\ntoken = dapi1\u200b',
      'invalid_value',
      'Its token contains an invalid character, perhaps an invisible one. Copy it again.',
    ],
    [
      'host = a.example\ntoken = dapi1\nworkspace_id = 1\u00a02',
      'invalid_value',
      'Its workspace_id contains an invalid character',
    ],
    [
      'host = adb-1.azuredatabricks.net\nazure_tenant_id = ../x',
      'invalid_value',
      'Its azure_tenant_id is not a tenant id. Use the tenantId that `az account show` prints.',
    ],
    [
      'host = adb-1.azuredatabricks.net\nazure_workspace_resource_id = adb-1',
      'invalid_value',
      'Its azure_workspace_resource_id is not valid. Use the form /subscriptions/ID/',
    ],
    [
      'host = a.com\nauth_type = file-oidc',
      'incomplete',
      'It has no oidc_token_filepath. file-oidc needs it. Add it to the profile, or set DATABRICKS_OIDC_TOKEN_FILEPATH.',
    ],
    [
      'host = adb-1.azuredatabricks.net\ntoken = t\nazure_tenant_id = t',
      'several_methods',
      'It has more than one authorization method (pat and azure). Remove one, or choose with auth_type.',
    ],
    [
      'host = a.com\nclient_id = i\ndatabricks_id_token_filepath = /t',
      'several_methods',
      'It has more than one authorization method (oauth and file-oidc). Remove one, or choose with auth_type.',
    ],
    ['host = a.com\nauth_type = pat', 'incomplete', 'It has no token. pat needs it.'],
    [
      'host = a.com\nauth_type = oauth-m2m\nclient_id = i',
      'incomplete',
      'It has no client_secret. oauth-m2m needs it.',
    ],
  ])('%j cannot be used: %s', (keys, reason, message) => {
    expect(one(keys)).toMatchObject({ usable: false, name: 'p', reason, message: expect.stringContaining(message) });
  });

  test('no secret of a profile is ever printed', () => {
    const settings = profileSettings(book('[p]\nhost = a.com\nclient_id = i\nclient_secret = hush'), 'p');
    expect(JSON.stringify(settings)).not.toContain('hush');
  });
});

describe('the selected profile', () => {
  const two = '[a]\nhost = a.com\n[b]\nhost = b.com\n';

  test.each<[string, string, NodeJS.ProcessEnv, string | undefined, string]>([
    ['the one that was asked for', two, { DATABRICKS_CONFIG_PROFILE: 'b' }, 'a', 'a'],
    ['otherwise the one that the environment names', two, { DATABRICKS_CONFIG_PROFILE: 'b' }, undefined, 'b'],
    ['otherwise the file’s default', `${two}[__settings__]\ndefault_profile = b`, {}, undefined, 'b'],
    [
      'the file’s default over [DEFAULT]',
      `${two}[DEFAULT]\nhost = d.com\n[__settings__]\ndefault_profile = b`,
      {},
      undefined,
      'b',
    ],
    ['else [DEFAULT]', `${two}[DEFAULT]\nhost = d.com`, {}, undefined, 'DEFAULT'],
  ])('is chosen in order: %s', (_, text, env, requested, expected) => {
    expect(chooseProfile(book(text, env), requested)).toBe(expected);
  });

  test.each<[string, string | undefined, string, string, string]>([
    [two, 'c', 'profile_not_found', 'There is no profile "c" in ~/.databrickscfg.', 'The file has a, b.'],
    [
      '',
      'c',
      'profile_not_found',
      'There is no profile "c" in ~/.databrickscfg.',
      'Sign in with: causeway login --host https://YOUR-WORKSPACE --profile c.',
    ],
    [
      '',
      undefined,
      'profile_not_found',
      'There is no profile in ~/.databrickscfg.',
      'Sign in with: causeway login --host https://YOUR-WORKSPACE.',
    ],
    [
      two,
      undefined,
      'ambiguous',
      '~/.databrickscfg has several profiles, and none of them is the default.',
      'Choose one with --profile or DATABRICKS_CONFIG_PROFILE: a, b.',
    ],
    [
      two,
      '__settings__',
      'profile_not_found',
      'There is no profile "__settings__" in ~/.databrickscfg.',
      'The file has a, b.',
    ],
  ])('is not found in %j, asked for %s: %s', (text, requested, code, message, remedy) => {
    const choose = () => chooseProfile(book(text), requested);
    expect(choose).toThrow(expect.objectContaining({ code, message }));
    expect(thrownBy(choose)).toBe(remedy);
  });
});

/** The remedy on the command line of the error that is thrown. */
function thrownBy(choose: () => unknown): string | undefined {
  try {
    choose();
  } catch (error) {
    return remedyFor('command', asCausewayError(error));
  }
  return undefined;
}

describe('an invalid configuration file', () => {
  const problemsOf = (bytes: Buffer | string) => parseConfigBytes(Buffer.from(bytes)).problems;

  test.each<[string, Buffer | string, number, number, boolean, RegExp]>([
    ['a section that is not closed', '# x\n[ana\nhost = h\n', 2, 1, true, /does not end with \]/],
    ['a section without a name', '[a]\n  [ ]\n', 2, 3, true, /has no name/],
    ['UTF-16', Buffer.from('\uFEFF[a]\nhost = h\n', 'utf16le'), 1, 1, true, /UTF-16/],
    ['UTF-16 with the other byte order', Buffer.from('\uFEFF[a]\n', 'utf16le').swap16(), 1, 1, true, /UTF-16/],
    ['UTF-16 without a byte order mark', Buffer.from('[a]\nhost = h\n', 'utf16le'), 1, 1, true, /UTF-16/],
    ['Latin-1 in a comment', Buffer.from('[a]\n# für\nhost = h\n', 'latin1'), 2, 4, false, /0xFC is not UTF-8/],
    ['Latin-1 after a value', Buffer.from('[a]\nhost = h # für\n', 'latin1'), 2, 13, false, /0xFC/],
    ['Latin-1 in a value', Buffer.from('[a]\nhost = für\n', 'latin1'), 2, 9, true, /0xFC/],
    ['Latin-1 in a name', Buffer.from('# ä\n[für]\n', 'latin1'), 1, 3, false, /0xE4/],
    ['a character that is cut off at the end', Buffer.from([0x23, 0xc3, 0xa4, 0xe2, 0x82]), 1, 3, false, /0xE2/],
    ['a carriage return in a line', '[a]\rhost = h\n', 1, 4, true, /carriage return/],
    ['a line that is neither a section nor a key', '[a]\nnothing\n', 2, 1, false, /not a section, a comment/],
    ['a key without a name', '[a]\n = x\n', 2, 2, false, /not a section, a comment/],
    ['quotes that are never closed', '[a]\nk = """x\n[b]\n', 2, 4, false, /never closed/],
  ])('is reported with line and column: %s', (_name, bytes, line, column, isUnreadable, what) => {
    expect(problemsOf(bytes)[0]).toEqual({ line, column, isUnreadable, what: expect.stringMatching(what) });
  });

  test.each([
    ['no line break at the end', '[a]\nhost = h'],
    ['Windows line breaks, some of them doubled', '[a]\r\r\nhost = h\r\n'],
    ['lines that Python continues', '[a]\nscopes = sql\n  genie\n\thost\n'],
    ['a line that Go continues', '[a]\nscopes = sql \\\ngenie\n'],
    ['a value of several lines', '[a]\nnote = """one\n[b\nthree"""\nhost = h\n'],
    ['an inline list with any value', '[a]\nhost = h [x\n'],
    ['a Unicode line separator', '[a]\nhost = h\u2028x\n'],
  ])('is valid with %s', (_name, text) => {
    expect(problemsOf(text)).toEqual([]);
    expect(listProfiles(book(text)).map(({ name }) => name)).toEqual(['a']);
  });
});
