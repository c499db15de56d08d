import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAUSEWAY, environment, homeWith, ProxyProcess } from './proxy-process.ts';

const SQL = '/api/2.0/mcp/sql';
const PROFILES = {
  acme: { host: 'https://acme.cloud.databricks.com', token: 'dapi-secret' },
  account: { host: 'https://accounts.cloud.databricks.com', account_id: 'a-b', token: 'dapi-secret' },
  plain: { host: 'http://acme.example', token: 'dapi-secret' },
  hostless: { token: 'dapi-secret' },
  two: { host: 'https://acme.cloud.databricks.com', token: 'dapi-secret', client_id: 'c', client_secret: 'dose' },
};

let home: Awaited<ReturnType<typeof homeWith>>;
let empty: Awaited<ReturnType<typeof homeWith>>;
beforeAll(async () => {
  home = await homeWith(PROFILES, null);
  empty = await homeWith({});
});
afterAll(() => Promise.all([home.close(), empty.close()]));

async function outcome(args: string[], env: NodeJS.ProcessEnv) {
  const proxy = new ProxyProcess(args, env);
  const code = await proxy.finish();
  return { code, stdout: proxy.frames.map(String), stderr: proxy.stderr };
}

describe('incorrect usage ends with exit code 2, one line on stderr and nothing on stdout', () => {
  it.each<[name: string, args: string[], line: RegExp]>([
    ['an unknown flag', ['--path', SQL, '--trace'], /Unknown flag --trace\. `causeway proxy --help` lists the flags\./],
    ['no server', [], /No server was named\. Add --path \/api\/2\.0\/mcp\/sql, --url/],
    ['a malformed URL', ['--url', 'acme', '--profile', 'acme'], /--url "acme" is not a URL\. Use the form https:/],
    [
      'a path besides those of servers',
      ['--path', '/sql', '--profile', 'acme'],
      /--path "\/sql" is not a managed MCP server\. A path begins with \/api\//,
    ],
    [
      'a profile that does not exist',
      ['--path', SQL, '--profile', 'amce'],
      /There is no profile "amce" in .+\. Did you mean "acme"\? The file has acme, account, plain, hostless, two\./,
    ],
    [
      'no profile if there are several',
      ['--path', SQL],
      /has several profiles, and none of them is the default\. Choose one with --profile/,
    ],
    [
      'a profile without a host',
      ['--path', SQL, '--profile', 'hostless'],
      /Profile "hostless" of .+ cannot be used\. It has no host\. Set host to the address/,
    ],
    [
      'a profile with two ways to sign in',
      ['--path', SQL, '--profile', 'two'],
      /Profile "two" of .+ more than one authorization method .+ choose with auth_type\./,
    ],
    [
      "an account's profile",
      ['--path', SQL, '--profile', 'account'],
      /Profile "account" of .+ account host, not a workspace\. Use the address of a workspace\./,
    ],
    [
      'plain http beyond this computer',
      ['--path', SQL, '--profile', 'plain'],
      /"http:\/\/acme\.example" would send tokens unencrypted\. Use https:\/\/acme\.example instead\./,
    ],
    [
      "an account's URL",
      ['--url', `https://accounts.cloud.databricks.com${SQL}`, '--profile', 'acme'],
      /is an account's address\. Accounts have no MCP servers\. Use a workspace's own address\./,
    ],
    [
      "another workspace's URL",
      ['--url', `https://other.cloud.databricks.com${SQL}`, '--profile', 'acme'],
      /Profile "acme" signs in to https:\/\/acme\.cloud\.databricks\.com, not to https:\/\/other\.cloud\.databricks\.com\. Use --profile with a profile of that workspace\./,
    ],
    ['a two-line argument', ['--path', 'a\nb', '--profile', 'acme'], /--path "a b" is not a managed MCP server/],
  ])('%s', async (_name, args, line) => {
    const { code, stdout, stderr } = await outcome(args, environment(home.home));
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr).toMatch(/^causeway proxy: [^\n]+\n$/);
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain('secret');
  });

  it('if there is no configuration file', async () => {
    const { code, stdout, stderr } = await outcome(['--path', SQL], environment(join(empty.home, 'nowhere')));
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr).toMatch(/^causeway proxy: There is no profile in .+\. Sign in with: causeway login [^\n]+\n$/);
  });

  it('if a certificate file is missing', async () => {
    const env = environment(home.home, { SSL_CERT_FILE: join(home.home, 'ca.pem') });
    const { code, stdout, stderr } = await outcome(['--path', SQL, '--profile', 'acme'], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr).toMatch(
      /^causeway proxy: The certificate file .+ca\.pem cannot be read\. Correct NODE_EXTRA_CA_CERTS [^\n]+\n$/,
    );
  });
});

it('the profile may stand before the command', async () => {
  const args = [CAUSEWAY, '--profile', 'hostless', 'proxy', '--path', SQL];
  const child = spawn(process.execPath, args, { env: environment(home.home), stdio: 'pipe' });
  child.stdin.end();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect([code, stderr]).toEqual([2, expect.stringContaining('Profile "hostless" of ')]);
});

// `script` gives a command a terminal; elsewhere it takes other arguments.
it.skipIf(process.platform !== 'linux')(
  'a user who starts the proxy in a terminal sees what it waits for',
  async () => {
    const command = [process.execPath, CAUSEWAY, 'proxy', '--path', SQL, '--profile', 'acme'].join(' ');
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env: environment(home.home) });
    let printed = '';
    terminal.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await expect.poll(() => printed).toContain('causeway proxy: Waiting for an AI client on stdin.');
    terminal.kill();
    await once(terminal, 'close');
  },
);

it('help goes to stdout and is not an error', async () => {
  const { code, stdout, stderr } = await outcome(['--help'], environment(home.home));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.join('\n')).toContain('Usage: causeway proxy --profile NAME --path /api/2.0/mcp/SERVER');
});
