import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuthService } from '../../../main/auth/open.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage, signInOutcome } from './stage.ts';

const HOUR = 60 * 60_000;
const ANA = 'ana@example.com';
const CONFIDENTIAL = { clientId: 'our-app-1', clientSecret: 'dose-0a1b_2c3d.4e~', redirectUris: ['http://localhost'] };
const stage = setStage(
  ({ host }) => `[ours]
host = ${host}
client_id = ${CONFIDENTIAL.clientId}
client_secret = ${CONFIDENTIAL.clientSecret}
auth_type = external-browser
`,
  { issuer: 'plain', oauthClients: [CONFIDENTIAL] },
);
let clock: number;

beforeEach(() => {
  clock = Date.now();
});

const open = () => stage.open({ now: () => clock, openBrowser: scriptedBrowser().open });
const oddities = () => {
  if (!stage.workspace.oddities) throw new Error('The workspace has the other issuer.');
  return stage.workspace.oddities;
};
const tokenOf = async (auth: AuthService, name = 'user') => auth.tokens(await auth.profile(name)).token();
const owner = async (auth: AuthService, name?: string) => ownerOf(stage, await tokenOf(auth, name));
const stored = () => readdir(join(stage.home.folder, 'causeway', 'state', 'tokens')).catch(() => []);

describe('an issuer of its own kind', () => {
  it('that does not rotate refresh tokens keeps its users signed in', async () => {
    oddities().rotates = false;
    await signInOutcome(open());
    for (let round = 0; round < 3; round += 1) {
      clock += 2 * HOUR;
      expect(await owner(open())).toBe(ANA);
    }
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(3);
  });

  it('that takes HTTP Basic verbatim knows a confidential application, its refresh included', async () => {
    const auth = open();
    await auth.signIn(await auth.profile('ours'));
    clock += 2 * HOUR;
    expect(await owner(auth, 'ours')).toBe(ANA);
  });

  it.each([
    { expires_in: null },
    { expires_in: -1 },
    { expires_in: 'soon' },
    { token_type: 'urn:ours' },
    { token_type: 0 },
    { scope: 7 },
    { id_token: { not: 'a token' } },
    { error: null, error_description: 3 },
  ])('that answers with %j loses nobody’s sign-in, at sign-in and at refresh', async (members) => {
    oddities().members = members;
    const auth = open();
    expect(await signInOutcome(auth)).toMatchObject({ state: 'signed-in', userName: ANA, renewable: true });
    const first = await tokenOf(auth);
    clock += 2 * HOUR;
    const source = auth.tokens(await auth.profile('user'));
    for (const rejected of [first, await source.token({ rejected: first })]) {
      expect(await ownerOf(stage, await source.token({ rejected }))).toBe(ANA);
    }
  });
});

describe('an answer with tokens in another form than RFC 6749 says', () => {
  type Pair = Record<'access_token' | 'refresh_token', string>;
  const json = (pair: Pair) => JSON.stringify({ ...pair, expires_in: 3600 });
  const answers: Record<string, [status: number, text: (pair: Pair) => string]> = {
    'with NaN, as Python writes it': [200, (pair) => json(pair).replace('3600', 'NaN')],
    'with a comma too many': [200, (pair) => json(pair).replace('}', ',}')],
    'with text around it': [200, (pair) => `)]}'\n${json(pair)}\nOK`],
    'as a form': [200, (pair) => `${new URLSearchParams({ ...pair, expires_in: '3600' })}`],
    'with the status of a refusal': [400, json],
    'with the status of a failure': [500, json],
  };

  it.each(Object.keys(answers))('%s renews the sign-in, and its refresh token is kept', async (what) => {
    const [status, text] = answers[what] ?? [0, json];
    const auth = open();
    await signInOutcome(auth);
    clock += 2 * HOUR;
    oddities().form = (body) => [status, text(Object(body))];
    expect(await owner(auth)).toBe(ANA);
    oddities().form = undefined;
    clock += 2 * HOUR;
    // The second use of the earlier one would end the sign-in.
    expect(await owner(open())).toBe(ANA);
  });

  it.each([
    [400, '{"error":"invalid_grant","access_token":"the one that was sent"}'],
    [400, 'refresh_token=unknown'],
  ])('does not make a success of a refusal (HTTP %i): %s', async (status, text) => {
    const auth = open();
    await signInOutcome(auth);
    clock += 2 * HOUR;
    oddities().form = () => [status, text];
    await expect(tokenOf(auth)).rejects.toMatchObject({ code: expect.stringMatching(/^(signed_out|sign_in_failed)$/) });
  });
});

describe('a renewal that brings a refresh token, and no access token that can be used', () => {
  it.each([
    [null, 'sent an answer without an access token'],
    ['a\nb', 'returned an access token with a line break in it. That cannot be sent'],
  ])('fails in words (%j), and the new refresh token continues the sign-in', async (token, said) => {
    const auth = open();
    await signInOutcome(auth);
    clock += 2 * HOUR;
    oddities().members = { access_token: token };
    await expect(tokenOf(auth)).rejects.toMatchObject({
      code: 'unexpected_answer',
      message: expect.stringContaining(said),
    });
    oddities().members = {};
    // The second use of the earlier one would end the sign-in.
    expect(await owner(open())).toBe(ANA);
    expect(await owner(auth)).toBe(ANA);
  });
});

it('a sign-in whose token has a line break in it is refused in words, and nothing is stored', async () => {
  oddities().members = { access_token: 'a\nb' };
  const browser = scriptedBrowser();
  expect(await signInOutcome(stage.open({ openBrowser: browser.open }))).toMatchObject({
    code: 'unexpected_answer',
    message: `The sign-in service of ${stage.workspace.host} returned an access token with a line break in it. That cannot be sent and was not stored.`,
  });
  expect((await browser.page()).text).toContain('a line break in it');
  // The refresh token that came with it can be used, and must not be.
  expect(stage.workspace.requests.count({ path: '/oidc/v1/revoke' })).toBe(1);
  expect(await stored()).toEqual([]);
});

it('a captive portal in between is named, and nobody has to sign in again', async () => {
  const auth = open();
  await signInOutcome(auth);
  clock += 2 * HOUR;
  oddities().portal = '<!doctype html><title>Guest Wi-Fi</title>';
  await expect(tokenOf(auth)).rejects.toMatchObject({
    code: 'login_page',
    message: expect.stringMatching(
      /^A web page answered instead of the sign-in service of .*\. You are still signed in\.$/,
    ),
    remedy: expect.stringContaining('captive portal'),
  });
  oddities().portal = undefined;
  expect(await owner(auth)).toBe(ANA);
});
