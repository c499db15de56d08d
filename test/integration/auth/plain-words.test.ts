import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { runCauseway } from './causeway-process.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage, signInOutcome } from './stage.ts';

const HOUR = 60 * 60_000;
const stage = setStage(
  ({ host, servicePrincipal }) => `[agent]
host = ${host}
client_id = ${servicePrincipal.clientId}
client_secret = ${servicePrincipal.clientSecret}
`,
  { issuer: 'plain' },
);
/** What a runtime or a library says, and nobody can act on. */
const RUNTIMES_OWN =
  /is not (a function|iterable|defined|valid JSON|a string)|Cannot (read|destructure|convert|set)|fetch failed|Unexpected (token|end)|\bundefined\b|\bNaN\b|\[object |TypeError|SyntaxError|RangeError|Invalid URL|must be a|"response" /;
const JUNK = [null, 0, 7, true, '', 'junk', [], [null], {}, { a: [1] }];
const NAMES = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'code_challenge_methods_supported',
];
const MEMBERS = [
  'access_token',
  'token_type',
  'expires_in',
  'refresh_token',
  'scope',
  'id_token',
  'error',
  'error_description',
];
let clock: number;

beforeEach(() => {
  clock = Date.now();
});

const json = (body: unknown, status = 200) =>
  ({
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }) as const;
const open = () => stage.open({ now: () => clock, openBrowser: scriptedBrowser().open, signInTimeoutMs: 5_000 });

/** Checks that an outcome is no error, or one that says in words what happened. */
function expectWords(outcome: unknown): void {
  if (!(outcome instanceof Error)) return;
  expect(outcome).toBeInstanceOf(CausewayError);
  expect(Object(outcome).code).not.toBe('internal');
  expect(inOneLine(outcome)).not.toMatch(RUNTIMES_OWN);
}

describe('a message is in plain words, and never a runtime’s own,', () => {
  it.each(NAMES.flatMap((name) => JUNK.map((value) => [name, value] as const)))(
    'if the sign-in service is described with %s: %j',
    async (name, value) => {
      const { host } = stage.workspace;
      const metadata = {
        issuer: `${host}/oidc`,
        authorization_endpoint: `${host}/oidc/v1/authorize`,
        token_endpoint: `${host}/oidc/v1/token`,
        revocation_endpoint: `${host}/oidc/v1/revoke`,
        code_challenge_methods_supported: ['S256'],
        [name]: value,
      };
      stage.workspace.faults.add({ path: '/oidc/.well-known/*', effect: json(metadata), times: 'always' });
      const auth = open();
      const outcome = await signInOutcome(auth);
      expectWords(outcome);
      expectWords(
        await auth
          .tokens(await auth.profile('agent'))
          .token()
          .catch((error: unknown) => error),
      );
      // What may be missing may be null.
      const isOptional = name === 'token_endpoint' || name === 'revocation_endpoint';
      if (value === null && isOptional) expect(outcome).toMatchObject({ state: 'signed-in' });
    },
  );

  it.each(MEMBERS.flatMap((name) => JUNK.map((value) => [name, value] as const)))(
    'if tokens are answered with %s: %j',
    async (name, value) => {
      const { oddities } = stage.workspace;
      if (!oddities) throw new Error('The workspace has the other issuer.');
      const auth = open();
      await signInOutcome(auth);
      oddities.members = { [name]: value };
      clock += 2 * HOUR;
      expectWords(
        await auth
          .tokens(await auth.profile('user'))
          .token()
          .catch((error: unknown) => error),
      );
      expectWords(
        await auth
          .tokens(await auth.profile('agent'))
          .token()
          .catch((error: unknown) => error),
      );
      expectWords(await signInOutcome(auth));
    },
  );

  it.each([
    ['nothing', json('')],
    ['text', json('not JSON')],
    ['half of it', json('{"access_token":"a')],
    ['a list', json([])],
    ['null', json('null')],
    ['a page', { kind: 'html' } as const],
    ['a refusal with junk', json({ error: 7, error_description: {} }, 400)],
    ['a refusal that is no object', json('[]', 401)],
    ['nothing at all', { kind: 'drop', when: 'before-headers' } as const],
    ['a redirect', { kind: 'redirect' } as const],
  ])('if a request is answered with %s', async (_what, effect) => {
    const auth = open();
    await signInOutcome(auth);
    for (const path of ['/oidc/v1/token', '/oidc/.well-known/*', '/api/2.0/preview/scim/v2/Me', '/oidc/v1/revoke']) {
      stage.workspace.faults.add({ path, effect, times: 'always' });
      clock += 2 * HOUR;
      expectWords(
        await auth
          .tokens(await auth.profile('user'))
          .token()
          .catch((error: unknown) => error),
      );
      expectWords(
        await auth
          .tokens(await auth.profile('agent'))
          .token()
          .catch((error: unknown) => error),
      );
      expectWords(await signInOutcome(open()));
      stage.workspace.faults.clear();
    }
  });

  it.each([
    new TypeError('e.slice is not a function'),
    new TypeError('fetch failed'),
    new SyntaxError('Unexpected token < in JSON at position 0'),
    new RangeError('Invalid time value'),
    new ReferenceError('x is not defined'),
  ])('if the program itself is wrong: %s', (error) => {
    expect(inOneLine(error)).toBe(`Something unexpected happened in Causeway (${error.name}).`);
  });
});

it('a store that cannot be decrypted is named, by every command, and a new sign-in replaces it', async () => {
  const auth = open();
  await signInOutcome(auth);
  const keyFile = join(stage.home.folder, 'causeway', 'config', 'token-key');
  const key = await readFile(keyFile, 'utf8');
  await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'));
  const [file = ''] = await readdir(join(stage.home.folder, 'causeway', 'state', 'tokens'));
  const { code, stderr } = await runCauseway(stage.home, ['whoami', '--profile', 'user']);
  expect(code).toBe(3);
  expect(stderr).toContain(file);
  expect(stderr).toContain(
    `cannot be decrypted: it was stored with another key than that in ${keyFile}, on another computer, or is damaged. Restore the key file, or sign in again.`,
  );
  // The stored sign-in stays where it is.
  await writeFile(keyFile, key);
  expect(await ownerOf(stage, await tokenOf(open()))).toBe('ana@example.com');
  await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'));
  expect(await signInOutcome(open())).toMatchObject({ state: 'signed-in' });
  expect(await ownerOf(stage, await tokenOf(open()))).toBe('ana@example.com');
});

const tokenOf = async (auth: ReturnType<typeof open>) => auth.tokens(await auth.profile('user')).token();
