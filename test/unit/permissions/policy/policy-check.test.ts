import { describe, expect, it } from 'vitest';
import { tryPolicy } from '../../../../main/app/diagnosis/policy-check/check.ts';
import type { Computer } from '../../../../main/app/diagnosis/policy-check/computer.ts';
import { parsePolicy } from '../../../../main/permissions/policy/parse-policy.ts';
import { NO_POLICY } from '../../../../main/permissions/policy/policy.ts';
import { serverKey } from '../../../../main/permissions/server-key.ts';

const HOST = 'https://adb-1.7.azuredatabricks.net';
const SQL = '/api/2.0/mcp/sql';
const GENIE = '/api/2.0/mcp/genie/01ab';

const reads = { readOnlyHint: true };
const COMPUTER: Computer = {
  home: '/home/ana',
  accounts: [
    { profile: 'work', host: HOST, signsIn: true, method: 'oauth-user' },
    { profile: 'robot', host: 'https://acme.cloud.databricks.com', signsIn: false, method: 'pat' },
  ],
  servers: [
    {
      name: 'sql',
      profile: 'work',
      path: SQL,
      host: HOST,
      key: serverKey(HOST, SQL),
      tools: [
        { name: 'execute_sql', hints: {} },
        { name: 'execute_sql_read_only', hints: reads },
      ],
    },
    {
      name: 'sales',
      profile: 'work',
      path: GENIE,
      host: HOST,
      key: serverKey(HOST, GENIE),
      tools: [{ name: 'query_space', hints: reads }],
    },
  ],
  clients: [
    { id: 'cursor', name: 'Cursor', isInstalled: true, entries: ['sql'] },
    { id: 'codex', name: 'Codex', isInstalled: true, entries: [] },
    { id: 'zed', name: 'Zed', isInstalled: false, entries: [] },
  ],
  tokenStore: 'encrypted-file',
  permissions: { version: 1 },
};

const locked = <Value>(value: Value) => ({ value, locked: true });

async function trial(keys: object, computer = COMPUTER, current = NO_POLICY) {
  const policy = await parsePolicy('POLICY', Buffer.from(JSON.stringify({ version: 1, ...keys })));
  return tryPolicy(policy, current, computer);
}

/** Each issue as one line. */
async function issues(keys: object, computer = COMPUTER): Promise<string[]> {
  return (await trial(keys, computer)).issues.map(({ severity, at, message, suggestions }) =>
    `${severity} ${at}: ${message} ${suggestions.join(' ')}`.trim(),
  );
}

const required = (more: object) => ({ name: 'sql', profile: 'work', path: SQL, ...more });
const toolPermissions = (server: string, of: object) => ({ rules: locked({ servers: { [server]: of } }) });
const client = (...wireNames: string[]) => ({ name: 'Any', wireNames });

describe('checking a policy finds', () => {
  it.each<[what: string, keys: object, line: RegExp]>([
    [
      'an AI client that is misspelt',
      { clients: locked(['claude-cod', 'cursor']) },
      /^error clients\.value\.0: .*"claude-cod"\. claude-code$/,
    ],
    [
      'a required AI client that does not exist',
      { requiredClients: locked(['qqqqqqqq']) },
      /^error requiredClients\.value\.0: There is no AI client "qqqqqqqq"\.$/,
    ],
    [
      'a required AI client outside the allowed ones',
      { clients: locked(['cursor']), requiredClients: locked(['codex']) },
      /^error requiredClients\.value\.0: .*"clients" does not allow codex/,
    ],
    ['that no AI client is allowed', { clients: locked([]) }, /^warning clients\.value: It allows no AI client/],
    ['that no workspace is allowed', { workspaces: locked([]) }, /^error workspaces\.value: It allows no workspace/],
    [
      'a pattern for the workspaces of every customer',
      { workspaces: locked(['https://*.azuredatabricks.net']) },
      /^warning workspaces\.value\.0: .*all customers/,
    ],
    [
      'such a pattern for a part of them',
      { workspaces: locked(['https://*.7.azuredatabricks.net']) },
      /^warning workspaces\.value\.0: .*all customers/,
    ],
    [
      'a misspelt domain',
      { workspaces: locked([HOST, 'https://adb-2.azuredatabrick.net']) },
      /^error workspaces\.value\.1: .* https:\/\/adb-2\.azuredatabricks\.net$/,
    ],
    [
      'a misspelt domain in a pattern',
      { workspaces: locked([HOST, 'https://*.azuredatabrick.net']) },
      /^error workspaces\.value\.1: .* https:\/\/\*\.azuredatabricks\.net$/,
    ],
    [
      'a host that is none of Databricks',
      { workspaces: locked([HOST, 'https://example.com']) },
      /^warning workspaces\.value\.1: example\.com is not a host/,
    ],
    [
      'an account console',
      { workspaces: locked([HOST, 'https://accounts.azuredatabricks.net']) },
      /^error workspaces\.value\.1: .*account console/,
    ],
    [
      'a workspace for which there is no account',
      { workspaces: locked([HOST, 'https://adb-2.7.azuredatabricks.net']) },
      /^warning workspaces\.value\.1: No account .* https:\/\/adb-1\.7\.azuredatabricks\.net$/,
    ],
    [
      'a workspace that is listed twice',
      { workspaces: locked([HOST, `${HOST}/`]) },
      /^warning workspaces\.value\.1: .*twice/,
    ],
    [
      'a misspelt path of a server',
      { servers: locked([SQL, '/api/2.0/mcp/geni/*']) },
      /^error servers\.value\.1: .* \/api\/2\.0\/mcp\/genie\/\*$/,
    ],
    [
      'a path of no server',
      { servers: locked([SQL, '/api/9/nothing/at/all']) },
      /^warning servers\.value\.1: .*no kind of server/,
    ],
    ['that no server is allowed', { servers: locked([]) }, /^error servers\.value: It allows no server/],
    [
      'a required server outside the allowed ones',
      { servers: locked(['/api/2.0/mcp/genie/*']), requiredServers: locked([required({})]) },
      /^error requiredServers\.value\.0\.path: .*"servers" does not allow/,
    ],
    [
      'two required servers of one name',
      { requiredServers: locked([required({}), required({ path: GENIE })]) },
      /^error requiredServers\.value\.1\.name: /,
    ],
    [
      'an unknown kind of a required server',
      { requiredServers: locked([required({ kind: 'geenie' })]) },
      /^error requiredServers\.value\.0\.kind: .* genie$/,
    ],
    [
      'a misspelt path of a required server',
      { requiredServers: locked([required({ path: '/api/2.0/mcp/sqll' })]) },
      /^error requiredServers\.value\.0\.path: .* \/api\/2\.0\/mcp\/sql$/,
    ],
    [
      'a profile that is misspelt',
      { requiredServers: locked([required({ profile: 'wrk' })]) },
      /^error requiredServers\.value\.0\.profile: There is no profile "wrk".* work$/,
    ],
    [
      'a profile that does not exist',
      { requiredServers: locked([required({ profile: 'production' })]) },
      /^warning requiredServers\.value\.0\.profile: There is no profile "production"/,
    ],
    [
      'a required server whose profile leads to another workspace',
      { workspaces: locked([HOST]), requiredServers: locked([required({ profile: 'robot' })]) },
      /^error requiredServers\.value\.0\.profile: .*acme.cloud.databricks.com/,
    ],
    [
      'a misspelt tool of the SQL server',
      toolPermissions(SQL, { off: ['exec_sql'] }),
      /^error rules\.value\.servers\.\/api\/2\.0\/mcp\/sql\.off: .* execute_sql$/,
    ],
    [
      'a misspelt tool of a server that has listed its tools',
      toolPermissions(GENIE, { ask: ['query_spaces'] }),
      /^error .*\.ask: The server has no tool "query_spaces"\. query_space$/,
    ],
    [
      'a tool that is not on record',
      toolPermissions(GENIE, { off: ['drop'] }),
      /^warning .*\.off: The server has no tool "drop"\.$/,
    ],
    [
      'a misspelt tool in the permissions of a client',
      {
        rules: locked({
          clients: { codex: client('codex-mcp-client') },
          servers: { [SQL]: { clients: { codex: { off: ['exec_sql'] } } } },
        }),
      },
      /^error .*\.clients\.codex\.off: .* execute_sql$/,
    ],
    [
      'tools that are not known here',
      toolPermissions('/api/2.0/mcp/genie/other', { off: ['drop'] }),
      /^note .*: The tools of this server are not known/,
    ],
    [
      'a tool in two lists',
      toolPermissions(SQL, { on: ['execute_sql'], off: ['execute_sql'] }),
      /^warning .*"execute_sql" is in several lists\. "off" decides/,
    ],
    [
      'permissions for a server that is not allowed',
      { servers: locked([SQL]), ...toolPermissions(GENIE, { readOnly: true }) },
      /^warning rules\.value\.servers\..*: "servers" does not allow/,
    ],
    [
      'permissions for a workspace that is not allowed',
      {
        workspaces: locked([HOST]),
        ...toolPermissions(`https://adb-9.7.azuredatabricks.net${SQL}`, { readOnly: true }),
      },
      /^error rules\.value\.servers\..*: "workspaces" does not allow https:\/\/adb-9/,
    ],
    [
      'a client by a name that is misspelt',
      { rules: locked({ clients: { codex: { ...client('codex-mcp-clint'), readOnly: true } } }) },
      /^error rules\.value\.clients\.codex\.wireNames: .* codex-mcp-client$/,
    ],
    [
      'a client by the name of another one',
      { rules: locked({ clients: { cursor: client('codex-mcp-client') } }) },
      /^error rules\.value\.clients\.cursor\.wireNames: .*another AI client/,
    ],
    [
      'two clients of one name',
      { rules: locked({ clients: { a: client('codex-mcp-client'), codex: client('codex-mcp-client') } }) },
      /^error rules\.value\.clients\.codex\.wireNames: "a" has one of these names/,
    ],
    [
      'scopes with which an allowed server cannot be called',
      {
        servers: locked([SQL, '/api/2.0/mcp/genie/*']),
        oauthApplication: locked({ clientId: 'x', scopes: ['genie'] }),
      },
      /^error oauthApplication\.value\.scopes: .*"sql".*\/api\/2\.0\/mcp\/sql refuses/,
    ],
    ['a locked value that forbids nothing', { readOnly: locked(false) }, /^warning readOnly\.value: /],
    [
      'an optional key that is not there',
      { optional: ['readOnlyy'], readOnly: locked(true) },
      /^warning optional: "readOnlyy" is not in this policy\. readOnly$/,
    ],
    [
      'an optional key that this version does not know',
      { optional: ['later'], later: 1 },
      /^warning later: This version does not know it/,
    ],
    [
      'that no account could be used',
      { workspaces: locked(['https://adb-9.7.azuredatabricks.net']) },
      /^error workspaces\.value: No account on this computer could be used: work, robot/,
    ],
    [
      'that no server could be used',
      { servers: locked(['/api/2.0/mcp/functions/**']) },
      /^error servers\.value: No server on this computer could be used: sql, sales/,
    ],
    [
      'that no AI client could be used',
      { clients: locked(['zed']) },
      /^error clients\.value: No AI client that has entries.*: cursor/,
    ],
    [
      'that no tool of a server could be used',
      { rules: locked({ all: { newTools: 'off' } }) },
      /^warning rules: No tool of "sales" could be used/,
    ],
  ])('%s', async (_, keys, line) => {
    expect(await issues(keys)).toContainEqual(expect.stringMatching(line));
  });

  it('nothing in a policy that names what is there', async () => {
    const keys = {
      workspaces: locked([HOST, 'https://acme.cloud.databricks.com']),
      servers: locked([SQL, '/api/2.0/mcp/**', '/ai-gateway/mcp-services/*', '/apps/*/mcp']),
      requiredServers: locked([required({ kind: 'sql' })]),
      clients: locked(['cursor', 'codex']),
      requiredClients: locked(['cursor']),
      oauthApplication: locked({ clientId: 'x', scopes: ['all-apis'] }),
      readOnly: locked(true),
      rules: locked({
        clients: { codex: { ...client('codex-mcp-client'), readOnly: true } },
        servers: {
          [SQL]: { off: ['EXECUTE_SQL'], on: ['poll_sql_result'] },
          [`https://*.7.azuredatabricks.net${GENIE}`]: { off: ['query_space'] },
        },
      }),
    };
    expect((await issues(keys)).filter((line) => !/No tool of "sales"|OAuth application "x"/.test(line))).toEqual([]);
  });

  it('no fault with workspaces and profiles on a computer without accounts', async () => {
    const empty = { ...COMPUTER, accounts: [], servers: [], clients: [] };
    expect(await issues({ workspaces: locked([HOST]), readOnly: locked(true) }, empty)).toEqual([]);
  });
});

describe('trying a policy shows', () => {
  const effects = async (keys: object) => (await trial(keys)).effects;

  it('the accounts, servers and AI clients that it refuses, and by which key', async () => {
    const found = await effects({
      workspaces: locked([HOST]),
      servers: locked([SQL]),
      clients: locked(['codex']),
    });
    expect(found).toMatchObject([
      { what: 'account', name: 'robot', effect: 'refused', key: 'workspaces' },
      { what: 'server', name: 'sales', effect: 'refused', key: 'servers' },
      {
        what: 'client',
        name: 'cursor',
        effect: 'refused',
        key: 'clients',
        why: expect.stringContaining('stays and works: sql'),
      },
    ]);
  });

  it('the tools that it turns off or has ask first, for whom, and until when', async () => {
    const readOnly = await effects({ readOnly: { value: true, locked: false } });
    expect(readOnly).toMatchObject([
      { what: 'tool', name: 'execute_sql', server: 'sql', effect: 'refused', key: 'readOnly', locked: false },
    ]);
    const ofClient = await effects({
      rules: locked({
        clients: { codex: { ...client('codex-mcp-client'), readOnly: true } },
        servers: { [GENIE]: { ask: ['query_space'] } },
      }),
    });
    expect(ofClient).toMatchObject([
      {
        what: 'tool',
        name: 'execute_sql',
        server: 'sql',
        client: 'codex',
        effect: 'refused',
        key: 'rules',
        locked: true,
      },
      { what: 'tool', name: 'query_space', server: 'sales', effect: 'asks', key: 'rules', locked: true },
    ]);
  });

  it('nothing of a tool that the user has turned off already', async () => {
    const permissions = { version: 1 as const, all: { readOnly: true } };
    expect((await trial({ readOnly: locked(true) }, { ...COMPUTER, permissions })).effects).toEqual([]);
  });

  it('what it adds, replaces, and keeps from being removed', async () => {
    const found = await effects({
      requiredServers: locked([
        required({ path: GENIE }),
        required({ name: 'sales', path: GENIE }),
        required({ name: 'new' }),
      ]),
      requiredClients: locked(['cursor', 'codex']),
      updates: locked('off'),
    });
    expect(found.map(({ what, name, effect }) => `${what} ${name} ${effect}`)).toEqual([
      'server sql replaced',
      'server sales stays',
      'server new added',
      'client cursor stays',
      'client codex stays',
      'setting Causeway stays',
      'setting Updates locked',
    ]);
  });

  it('who has to sign in through the OAuth application, and which servers its scopes leave out', async () => {
    const found = await effects({ oauthApplication: locked({ clientId: 'acme', scopes: ['sql'] }) });
    expect(found).toMatchObject([
      { what: 'account', name: 'work', effect: 'signs-in', key: 'oauthApplication' },
      {
        what: 'server',
        name: 'sales',
        effect: 'refused',
        key: 'oauthApplication',
        why: expect.stringContaining('"genie"'),
      },
    ]);
  });

  it('who has to sign in again, because secrets are kept elsewhere now', async () => {
    expect(await effects({ tokenStore: locked('keychain') })).toMatchObject([
      {
        what: 'account',
        name: 'work',
        effect: 'signs-in',
        key: 'tokenStore',
        why: 'Secrets are kept in the encrypted file now, not in the keychain.',
      },
      { what: 'setting', name: 'Credential storage', effect: 'locked' },
    ]);
    expect(await effects({ tokenStore: locked('encrypted-file') })).toHaveLength(1);
  });

  it('which of this holds already', async () => {
    const keys = { workspaces: locked([HOST]), readOnly: locked(true) };
    const current = await parsePolicy('POLICY', Buffer.from(JSON.stringify({ version: 1, readOnly: locked(true) })));
    expect((await trial(keys, COMPUTER, current)).effects.map(({ what, already }) => [what, already])).toEqual([
      ['account', false],
      ['tool', true],
    ]);
  });
});
