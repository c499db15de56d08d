import { describe, expect, it } from 'vitest';
import { completedBy, PROXY_HELP, parseProxyArguments } from '../../../main/cli/proxy-arguments.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { inOneLine } from '../../../main/words/failure.ts';

/** What a misuse says, as the one line that goes to stderr. */
function complaint(args: string[]): string {
  try {
    parseProxyArguments(args);
  } catch (error) {
    expect(error).toBeInstanceOf(CausewayError);
    expect(error).toMatchObject({ code: 'usage' });
    return inOneLine(error);
  }
  throw new Error('it was taken');
}

const HOST = 'https://acme.cloud.databricks.com';
const SQL = '/api/2.0/mcp/sql';
const FLAGS = '`causeway proxy --help` lists the flags.';
const EXAMPLE = 'A path begins with /api/ or /ai-gateway/, for example /api/2.0/mcp/sql.';
const NO_SERVER = `is not a managed MCP server. ${EXAMPLE}`;

describe('both forms', () => {
  it('at once are refused once the client is there', () => {
    const { refusal } = parseProxyArguments(['--path', SQL, '--url', `${HOST}${SQL}`]);
    expect(refusal?.message).toBe('--url and --path were both given.');
  });

  it('name the same server', () => {
    const byPath = parseProxyArguments(['--profile', 'acme', '--path', SQL]);
    const byUrl = parseProxyArguments(['--url', `${HOST}${SQL}`, '--auth-type', 'databricks-cli', '--profile', 'acme']);
    expect(byPath).toEqual({ profile: 'acme', path: SQL, origin: undefined, authType: undefined, meta: undefined });
    expect(byUrl).toEqual({ profile: 'acme', path: SQL, origin: HOST, authType: 'databricks-cli', meta: undefined });
  });

  it.each([
    '/api/2.0/mcp/sql',
    '/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
    '/api/2.0/mcp/vector-search/main/support',
    '/api/2.0/mcp/functions/main/default/initials',
    '/ai-gateway/mcp-services/system.ai.dbsql',
    '/api/2.0/mcp/sql?o=12',
    '/api/2.0/mcp/sql/',
    '/api/2.0/mcp/functions/my catalog/größe',
  ])('send the same path: %s', (path) => {
    const byPath = parseProxyArguments(['--path', path]);
    const byUrl = parseProxyArguments(['--url', `${HOST}${path}`]);
    expect(byPath.path).toBe(byUrl.path);
    expect(byPath.path).toMatch(/^\/(api|ai-gateway)\/[!-~]+$/);
  });

  it.each([
    [['--profile=acme', `--path=${SQL}`]],
    [['--path', SQL, '--profile', 'acme']],
    [['--path', '/api/other', '--path', SQL, '--profile', 'other', '--profile', 'acme']],
    [['--path', SQL, '--profile', 'acme', '--']],
  ])('are read in any order, with or without "=", and the last value counts: %j', (args) => {
    expect(parseProxyArguments(args)).toMatchObject({ profile: 'acme', path: SQL });
  });

  it('leave the profile to the configuration file if none is named', () => {
    expect(parseProxyArguments(['--path', SQL]).profile).toBeUndefined();
  });

  it('accept a host with a port, in capitals, with the default port', () => {
    const origin = (url: string) => parseProxyArguments(['--url', url]).origin;
    expect(origin(`http://127.0.0.1:8080${SQL}`)).toBe('http://127.0.0.1:8080');
    expect(origin(`HTTPS://ACME.cloud.databricks.com:443${SQL}#x`)).toBe(HOST);
  });

  it('accept _meta members for calls, as often as the option is given', () => {
    const metaOf = (...args: string[]) => parseProxyArguments(['--path', SQL, ...args]).meta;
    expect(metaOf()).toBeUndefined();
    expect(metaOf('--meta', 'warehouse_id=a1', '--meta=columns=a,b=c')).toEqual({
      warehouse_id: 'a1',
      columns: 'a,b=c',
    });
    expect(metaOf('--meta', 'warehouse_id=a1', '--meta', 'warehouse_id=b2')).toEqual({ warehouse_id: 'b2' });
  });

  it.each([
    'databricks-cli',
    'pat',
    'oauth-m2m',
    'external-browser',
    'azure-cli',
    'azure-client-secret',
    'github-oidc',
    'env-oidc',
    'file-oidc',
  ])('accept --auth-type %s', (authType) => {
    expect(parseProxyArguments(['--path', SQL, '--auth-type', authType]).authType).toBe(authType);
  });
});

describe('incorrect usage', () => {
  it.each<[args: string[], line: string]>([
    [
      [],
      'No server was named. Add --path /api/2.0/mcp/sql, --url with the full address, or --all for all servers in the list.',
    ],
    [
      ['--profile', 'acme'],
      'No server was named. Add --path /api/2.0/mcp/sql, --url with the full address, or --all for all servers in the list.',
    ],
    [['--path', SQL, '--meta'], `--meta needs a value. ${FLAGS}`],
    [
      ['--path', SQL, '--meta', 'progressToken=1'],
      `--meta "progressToken=1" sets the client's own progressToken. Leave it out.`,
    ],
    [
      ['--path', SQL, '--meta', 'a1'],
      '--meta "a1" is not NAME=VALUE. Use the form --meta warehouse_id=0123456789abcdef.',
    ],
    [
      ['--path', SQL, '--meta', '=a1'],
      '--meta "=a1" is not NAME=VALUE. Use the form --meta warehouse_id=0123456789abcdef.',
    ],
    [
      ['--path', SQL, '--meta', 'a b=1'],
      '--meta "a b=1" is not NAME=VALUE. Use the form --meta warehouse_id=0123456789abcdef.',
    ],
    [
      ['--path', SQL, '--meta', 'a='],
      '--meta "a=" is not NAME=VALUE. Use the form --meta warehouse_id=0123456789abcdef.',
    ],
    [['--path', SQL, '--verbose'], `Unknown flag --verbose. ${FLAGS}`],
    [['--path', SQL, '--Profile', 'acme'], `Unknown flag --Profile. ${FLAGS}`],
    [['--path', SQL, '-p', 'acme'], `Unknown flag -p. ${FLAGS}`],
    [['--path', SQL, '--no-profile'], `Unknown flag --no-profile. ${FLAGS}`],
    [['--path', SQL, '--__proto__', 'x'], `Unknown flag --__proto__. ${FLAGS}`],
    [['sql'], `"sql" is not an argument of proxy. ${FLAGS}`],
    [['--path', SQL, '--', '--profile'], `"--profile" is not an argument of proxy. ${FLAGS}`],
    [['--path'], `--path needs a value. ${FLAGS}`],
    [['--path='], `--path needs a value. ${FLAGS}`],
    [['--path', ''], `--path needs a value. ${FLAGS}`],
    [['--profile', '--path', SQL], `--profile needs a value. ${FLAGS}`],
    [['--path', SQL, '--auth-type'], `--auth-type needs a value. ${FLAGS}`],
    [
      ['--path', SQL, '--auth-type', 'databricks_cli'],
      '--auth-type "databricks_cli" is not known. Use one of pat, oauth-m2m, databricks-cli, external-browser, github-oidc, env-oidc, file-oidc, azure-client-secret, azure-cli, or leave it out.',
    ],
    [['--path', 'sql'], `--path "sql" ${NO_SERVER}`],
    [['--path', '/mcp/sql'], `--path "/mcp/sql" ${NO_SERVER}`],
    [['--path', '/api'], `--path "/api" ${NO_SERVER}`],
    [['--path', '/apis/x'], `--path "/apis/x" ${NO_SERVER}`],
    [['--path', '//evil.example/api/'], `--path "//evil.example/api/" ${NO_SERVER}`],
    [['--path', '/api/../secret'], `--path "/api/../secret" contains "..", which leads to another path. ${EXAMPLE}`],
    [
      ['--url', `${HOST}/api/../secret`],
      `The path of --url "/api/../secret" contains "..", which leads to another path. ${EXAMPLE}`,
    ],
    [
      ['--path', '/api/%2e%2E/secret'],
      `--path "/api/%2e%2E/secret" contains "%2e%2E", which leads to another path. ${EXAMPLE}`,
    ],
    [['--path', '/api/x;y=z'], `--path "/api/x;y=z" contains "x;y=z", which no server has as a name. ${EXAMPLE}`],
    [['--path', `${HOST}${SQL}`], `--path "${HOST}${SQL}" ${NO_SERVER}`],
    [['--path', 'a\nb\u001b[2J'], `--path "a b [2J" ${NO_SERVER}`],
    [['--url', SQL], `--url "${SQL}" is not a URL. Use the form https://HOST/api/2.0/mcp/sql.`],
    [['--url', 'https://'], '--url "https://" is not a URL. Use the form https://HOST/api/2.0/mcp/sql.'],
    [
      ['--url', 'acme.example/api/'],
      '--url "acme.example/api/" is not a URL. Use the form https://HOST/api/2.0/mcp/sql.',
    ],
    [
      ['--url', `ftp://acme.example${SQL}`],
      `--url "ftp://acme.example${SQL}" is not an https address. Use the form https://HOST/api/2.0/mcp/sql.`,
    ],
    [
      ['--url', `http://acme.example${SQL}`],
      '"http://acme.example" would send tokens unencrypted. Use https://acme.example instead.',
    ],
    [
      ['--url', `https://me:word@acme.example${SQL}`],
      '--url contains a user name or password. Leave them out: the profile signs in.',
    ],
    [['--url', HOST], `The path of --url "/" ${NO_SERVER}`],
    [['--url', `${HOST}/sql/editor`], `The path of --url "/sql/editor" ${NO_SERVER}`],
    [
      ['--url', `https://accounts.cloud.databricks.com${SQL}`],
      `--url "https://accounts.cloud.databricks.com${SQL}" is an account's address. Accounts have no MCP servers. Use a workspace's own address.`,
    ],
  ])('%j is answered in one line that names the error and the remedy', (args, line) => {
    expect(complaint(args)).toBe(line);
  });
});

it('the help names every option', () => {
  for (const flag of ['--profile', '--path', '--url', '--auth-type', '--help']) expect(PROXY_HELP).toContain(flag);
});

describe('the environment of a proxy', () => {
  const request = parseProxyArguments(['--path', SQL]);
  it.each([
    [{}, undefined, false],
    [{ DATABRICKS_CONFIG_PROFILE: 'acme' }, 'acme', false],
    [{ DATABRICKS_CONFIG_PROFILE: '' }, undefined, false],
    [{ DATABRICKS_HOST: HOST }, undefined, true],
    [{ DATABRICKS_HOST: HOST, DATABRICKS_CONFIG_PROFILE: 'acme' }, undefined, true],
    [{ DATABRICKS_TOKEN: 'dapi1', DATABRICKS_CONFIG_PROFILE: 'acme' }, undefined, true],
    [{ ARM_CLIENT_SECRET: 's' }, undefined, true],
    [{ ACTIONS_ID_TOKEN_REQUEST_URL: HOST }, undefined, true],
  ])('%j names the profile %j, and hides it from the application: %j', (env, profile, isOwn) => {
    expect(completedBy(env, request)).toEqual({ request: { ...request, profile }, isOwn });
  });

  it('does not override the profile that was asked for', () => {
    const named = parseProxyArguments(['--path', SQL, '--profile', 'mine']);
    expect(completedBy({ DATABRICKS_CONFIG_PROFILE: 'acme', DATABRICKS_HOST: HOST }, named)).toEqual({
      request: named,
      isOwn: false,
    });
  });
});
