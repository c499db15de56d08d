import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SignInOptions } from '../../../main/auth/auth.ts';
import { openAuth } from '../../../main/auth/open.ts';
import { openSecretStore } from '../../../main/auth/secrets/open-store.ts';
import { unpackRecord } from '../../../main/auth/secrets/token-record.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { initializeThroughProxy, installBrowser, runCauseway } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { scriptedBrowser } from './scripted-browser.ts';

const APPLICATION_SECRET = 'application-secret-of-many-letters';
let workspace: EmbeddedWorkspace;
let home: OwnHome;
/** What must be found nowhere, by what it is. */
let secrets: Map<string, string>;
/** Everything that was printed, thrown or shown in a list of processes, by where. */
let seen: Map<string, string>;
let watch: NodeJS.Timeout | undefined;

beforeEach(async () => {
  workspace = await startWorkspace({
    autoApprove: 'ana@example.com',
    oauthClients: [{ clientId: 'our-app', clientSecret: APPLICATION_SECRET, redirectUris: ['http://localhost'] }],
  });
  const { host, users, servicePrincipal } = workspace;
  const token = users[0]?.token ?? '';
  home = await ownHome(`[pat]
host = ${host}
token = ${token}
[agent]
host = ${host}
client_id = ${servicePrincipal.clientId}
client_secret = ${servicePrincipal.clientSecret}
[wrong]
host = ${host}
client_id = ${servicePrincipal.clientId}
client_secret = a-wrong-secret-of-many-letters
`);
  seen = new Map();
  secrets = new Map([
    ['personal access token', token],
    ['client secret', servicePrincipal.clientSecret],
    ['wrong client secret', 'a-wrong-secret-of-many-letters'],
    ['application secret', APPLICATION_SECRET],
  ]);
});
afterEach(async () => {
  clearInterval(watch);
  await workspace.close();
  await home.remove();
});

/** Notes the arguments of every process that this computer shows while the test runs. */
function watchArguments(): void {
  const lines = new Set<string>();
  // At once, without waiting for each file: where the computer is busy, a process would come and go meanwhile.
  watch = setInterval(() => {
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) lines.add(argumentsOf(id));
    seen.set('process arguments', [...lines].join('\n'));
  }, 15);
}

function argumentsOf(processId: string): string {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

/** Takes the tokens that are stored now to the list of what must be found nowhere. */
async function learnStored(profile: string): Promise<void> {
  const store = await openSecretStore({ env: home.env, service: 'Causeway', onNotice: () => undefined });
  const text = await store.get(`${workspace.host} ${profile}`);
  const record = text && unpackRecord(text);
  expect(record).toBeDefined();
  secrets.set(`access token ${secrets.size}`, record?.access.token.reveal() ?? '');
  secrets.set(`refresh token ${secrets.size}`, record?.refreshToken?.reveal() ?? '');
}

async function run(args: string[], input = ''): Promise<void> {
  const { stdout, stderr } = await runCauseway(home, args, input);
  seen.set(`causeway ${args.join(' ')} #${seen.size}`, stdout + stderr);
}

/** Signs in to something that goes wrong, and keeps the error as a careless program would print it. */
async function failToSignIn(what: string, alter?: (url: URL) => URL, options?: SignInOptions): Promise<void> {
  const browser = scriptedBrowser(alter);
  const auth = openAuth({ env: home.env, openBrowser: browser.open });
  const error = await auth.signIn(await auth.profile('me'), options).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(Error);
  const printed = inspect(error, { depth: 20, showHidden: true, getters: true });
  seen.set(`error: ${what}`, `${printed}${JSON.stringify(error)}${String(Object(error).stack)}`);
  const page = await browser.page().catch(() => undefined);
  if (page) {
    seen.set(`page: ${what}`, page.text);
    learnAddress(page.url);
  }
  await auth.close();
}

function learnAddress(address: string): void {
  const code = new URL(address).searchParams.get('code');
  if (code && code !== 'spent') secrets.set(`code ${secrets.size}`, code);
}

async function readFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    seen.set(path, await readFile(path, 'utf8'));
  }
}

/** A secret may have been written down as it is, or in one of the usual disguises. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, encodeURIComponent(secret), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
}

/** Whether a code verifier is in a text (RFC 7636 §4.2: what hashes to a challenge that went out). */
function hasVerifier(text: string, challenges: ReadonlySet<string | null>): boolean {
  const candidates = text.match(/[\w.~-]{43,128}/g) ?? [];
  return candidates.some((each) => challenges.has(createHash('sha256').update(each).digest('base64url')));
}

/** Each secret that was seen, and where. */
function findings(challenges: ReadonlySet<string | null>): [what: string, where: string][] {
  const found: [string, string][] = [];
  for (const [where, text] of seen) {
    for (const [what, secret] of secrets) {
      if (disguises(secret).some((form) => text.includes(form))) found.push([what, where]);
    }
    if (hasVerifier(text, challenges)) found.push(['code verifier', where]);
  }
  return found;
}

describe.skipIf(process.platform !== 'linux')('a complete sign-in lifecycle', { timeout: 120_000 }, () => {
  test('leaves no token, secret, code or verifier in any file, output, error or process argument', async () => {
    watchArguments();
    const browser = await installBrowser(home);
    await run(['login', '--host', workspace.host, '--profile', 'me']);
    await learnStored('me');
    await run(['whoami', '--profile', 'me']);
    await run(['profiles', '--json']);
    workspace.faults.expireAccessTokens();
    const proxies = await Promise.all([1, 2, 3].map(() => initializeThroughProxy(home, 'me')));
    for (const [index, { stderr, frame }] of proxies.entries())
      seen.set(`proxy ${index}`, stderr + JSON.stringify(frame));
    await learnStored('me');
    await run(
      ['proxy', '--profile', 'wrong', '--path', '/api/2.0/mcp/sql'],
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    );
    await run(['whoami', '--profile', 'wrong']);
    await run(['whoami', '--profile', 'agent', '--json']);

    await failToSignIn('spent code', (url) => {
      if (url.hostname === 'localhost') url.searchParams.set('code', 'spent');
      return url;
    });
    await failToSignIn('another issuer', (url) => {
      if (url.hostname === 'localhost') url.searchParams.set('iss', 'https://other.example');
      return url;
    });
    workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'html' } });
    await failToSignIn('a gateway in between');
    const notTokens = JSON.stringify({ access_token: 'half-an-answer-of-many-letters', refresh_token: 7 });
    secrets.set('half an answer', 'half-an-answer-of-many-letters');
    const headers = { 'content-type': 'application/json' };
    workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'answer', status: 200, headers, body: notTokens } });
    await failToSignIn('half an answer');
    workspace.faults.add({ path: '/api/2.0/preview/scim/v2/Me', effect: { kind: 'refuse-token' } });
    await failToSignIn('a token that is refused');

    await run(
      ['login', '--host', workspace.host, '--profile', 'app', '--client-id', 'our-app', '--client-secret-stdin'],
      APPLICATION_SECRET,
    );
    await learnStored('app');
    await run(['logout', '--profile', 'app']);
    await run(['logout', '--profile', 'me']);
    for (const address of await browser.arrived()) learnAddress(address);

    const auth = openAuth({ env: home.env });
    seen.set(
      'the service, printed',
      inspect([auth, await auth.profiles(), new Secret('x')], { depth: 20, showHidden: true }),
    );
    await readFolder(home.folder);

    // The configuration file is the Databricks tools' own: the credentials that the user put there stay there.
    const theirs = new Set(['personal access token', 'client secret', 'wrong client secret']);
    const challenges = new Set((await browser.opened()).map((url) => new URL(url).searchParams.get('code_challenge')));
    expect(challenges.size).toBe(2);
    expect(secrets.size).toBeGreaterThan(12);
    expect(seen.get('process arguments')).toContain('--client-secret-stdin');
    const isTheirs = (what: string, where: string) => where.startsWith(home.configFile) && theirs.has(what);
    expect(findings(challenges).filter(([what, where]) => !isTheirs(what, where))).toEqual([]);
  });

  test('is searched by a method that finds a secret in every encoding', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    secrets = new Map([['token', 'dapi+1/2']]);
    seen = new Map([
      ['plain', 'x dapi+1/2 y'],
      ['address', 'http://h/?t=dapi%2B1%2F2'],
      ['base64', `"${Buffer.from('dapi+1/2').toString('base64')}"`],
      ['hexadecimal', Buffer.from('dapi+1/2').toString('hex')],
      ['form', `code_verifier=${verifier}&x=y`],
      ['nothing', `dapi ${challenge}`],
    ]);
    expect(findings(new Set([challenge]))).toEqual([
      ['token', 'plain'],
      ['token', 'address'],
      ['token', 'base64'],
      ['token', 'hexadecimal'],
      ['code verifier', 'form'],
    ]);
  });
});
