import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../main/platform/redact.ts';

const PAT = 'dapi0123456789abcdef0123456789abcdef-2';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl_-x';
const OPAQUE = 'k3J9sQ2vXz7LmN0pR4tUwYbC5dEfGhI8aZ1oP6qS-_x';
const SPACE = '01f0a1b2c3d4e5f60718293a4b5c6d7e';
const SHORT = 'hunter2-shibboleth';

describe('redact removes every secret from a text', () => {
  it.each([
    ['a personal access token', `The token ${PAT} was refused.`, PAT],
    ['an OAuth secret', 'client dose0123456789abcdef0123456789abcdef ended', 'dose0123456789abcdef0123456789abcdef'],
    ['a bearer header', `authorization: Bearer ${SHORT}`, SHORT],
    ['a basic header', 'Proxy-Authorization: Basic YW5hOnNlY3JldA==', 'YW5hOnNlY3JldA'],
    ['a header of several words', `Authorization: Custom a="${SHORT}", b=${SHORT}`, SHORT],
    ['a cookie', `cookie: session=${SHORT}; other=1`, SHORT],
    ['a JSON web token', `got ${JWT}.`, JWT],
    ['an access token in JSON', `{"access_token":"${SHORT}","expires_in":3600}`, SHORT],
    ['a refresh token in JSON with spaces', `{"refresh_token" : "${SHORT}"}`, SHORT],
    ['a token in JSON within JSON', JSON.stringify({ body: JSON.stringify({ access_token: SHORT }) }), SHORT],
    ['a value with an escaped quote', JSON.stringify({ client_secret: `a"${SHORT}` }), SHORT],
    ['a printed object', inspect({ access_token: SHORT, nested: { password: SHORT } }), SHORT],
    ['an authorization code in an address', `http://127.0.0.1:8020/?code=${SHORT}&state=1`, SHORT],
    ['an authorization code in JSON', `{"code":"${SHORT}"}`, SHORT],
    ['a code verifier in a form', `grant_type=authorization_code&code_verifier=${SHORT}`, SHORT],
    ['a token from the configuration file', `host = https://a.example\ntoken = ${SHORT}\n`, SHORT],
    ['a client secret from the configuration file', `client_secret=${SHORT}`, SHORT],
    ['an environment variable', `DATABRICKS_TOKEN=${PAT} DATABRICKS_CLIENT_SECRET=${OPAQUE}`, PAT],
    ['an Azure client secret from the configuration file', `azure_client_secret = ${SHORT}`, SHORT],
    ['an Azure client secret in a variable', `ARM_CLIENT_SECRET=${SHORT}`, SHORT],
    ['an ID token in a variable', `DATABRICKS_OIDC_TOKEN=${SHORT}`, SHORT],
    ['the bearer token of a GitHub Actions job', `ACTIONS_ID_TOKEN_REQUEST_TOKEN: ${SHORT}`, SHORT],
    ['the output of the Azure CLI', `{ "accessToken": "${SHORT}", "tenant": "t" }`, SHORT],
    ['a token for Azure management', `x-databricks-azure-sp-management-token: ${SHORT}`, SHORT],
    ['a token exchange', `grant_type=a&subject_token=${SHORT}&scope=all-apis`, SHORT],
    ['a command line', `causeway login --client-secret ${SHORT} --profile ana`, SHORT],
    ['a password in an address', `http://ana:${SHORT}@proxy.example:8080/`, SHORT],
    ['a session id', `mcp-session-id: ${SHORT}`, SHORT],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${SHORT}\n-----END RSA PRIVATE KEY-----`, SHORT],
    ['a private key that was cut off', `-----BEGIN PRIVATE KEY-----\n${SHORT}`, SHORT],
    ['a token that looks like the id of a Genie space', `It answered ${SPACE}.`, SPACE],
    ['a named token that looks like one', `{"space_id": "1", "token": "${SPACE}"}`, SPACE],
    ['a token in a workspace', `The workspace ${SPACE} answered.`, SPACE],
    ['a longer token in place of a space id', `space ${SPACE}${SPACE}`, SPACE],
    ['a token of an unknown kind in place of a space id', `space ${OPAQUE}`, OPAQUE],
    ['a token after the id of a space', `space ${'0'.repeat(31)}1 ${OPAQUE}`, OPAQUE],
    ['a long token of an unknown kind', `It answered ${OPAQUE}.`, OPAQUE],
  ])('%s', (_name, text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('[redacted]');
  });

  it('removes a secret wherever it is among other words', () => {
    const words = fc.array(fc.stringMatching(/^[a-z ,.:]{0,12}$/), { maxLength: 6 });
    fc.assert(
      fc.property(words, words, fc.constantFrom(PAT, JWT, OPAQUE, `Bearer ${OPAQUE}`), (before, after, secret) => {
        const text = `${before.join(' ')} ${secret} ${after.join(' ')}`;
        return !redact(text).includes(secret.split(' ').at(-1) ?? secret);
      }),
    );
  });

  it('returns the same text when it is repeated', () => {
    const once = redact(`token=${SHORT} Bearer ${OPAQUE}`);
    expect(redact(once)).toBe(once);
  });
});

describe('redact keeps what helps to find a problem', () => {
  it.each([
    'Warehouse 0123456789abcdef is STOPPED.',
    'https://adb-1234567890123456.7.azuredatabricks.net/api/2.0/mcp/sql',
    'Profile "ana" is signed out of https://acme.cloud.databricks.com.',
    'request 6c1f2b0e-8a3d-4f5e-9b7a-0123456789ab failed with 403',
    '/home/ana/.config/causeway/settings.damaged-2026-01-02T03-04-05-678Z.json',
    'at openSource (/opt/Causeway/resources/app.asar/out/main/chunk-AbCdEf0123456789AbCdEf0123456789.js:1:2)',
    `/api/2.0/mcp/genie/${SPACE} may not be used`,
    `Genie space ${SPACE} does not exist.`,
    `Unable to get space [${SPACE}].`,
    `{"space_id": "${SPACE}", "title": "Sales"}`,
    `https://acme.cloud.databricks.com/genie/rooms?spaceId=${SPACE}`,
    `There is no tool query_space_${SPACE}.`,
    'The code of the answer was unauthenticated.',
    'client_id=databricks-cli',
    "{ code: 'unauthenticated', cause: { code: 'ECONNREFUSED', syscall: 'connect' } }",
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('redact removes no more than the secret', () => {
  it.each([
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nafter', '[redacted]\nafter'],
    ['before -----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY----- after', 'before [redacted] after'],
    ['x Bearer hunter22, then', 'x Bearer [redacted], then'],
    ['Basic  YW5h==, then', 'Basic [redacted], then'],
    ['Negotiate\tYW5h', 'Negotiate [redacted]'],
    ['DPoP YW5h', 'DPoP [redacted]'],
    ['"token"  :  "a\\"b" rest', '"token"  :  "[redacted]" rest'],
    ['token="x y", next', 'token="[redacted]", next'],
    ["{ password: 'a b', user: 'ana' }", "{ password: '[redacted]', user: 'ana' }"],
    ["{ 'password' = 'a b', user: 'ana' }", "{ 'password' = '[redacted]', user: 'ana' }"],
    ['token = abc def', 'token = [redacted] def'],
    ['secret: abc, next', 'secret: [redacted], next'],
    ['token=abc&x=1', 'token=[redacted]&x=1'],
    ['token=abc;x', 'token=[redacted];x'],
    ['[token=abc] x', '[token=[redacted]] x'],
    ['{token=abc} x', '{token=[redacted]} x'],
    ['Authorization: Custom a b c\r\nHost: x', 'Authorization: [redacted]\r\nHost: x'],
    ['set-cookie: a=1; b=2\nHost: x', 'set-cookie: [redacted]\nHost: x'],
    ['http://h/?code=hunter2&state=1#top', 'http://h/?code=[redacted]&state=1#top'],
    ['http://h/?a=1&code=hunter2#top', 'http://h/?a=1&code=[redacted]#top'],
    ["'http://h/?code=hunter2' failed", "'http://h/?code=[redacted]' failed"],
    ['code: "abc123def456ghi", next', 'code: "[redacted]", next'],
    ["'code' = 'abc.def-ghi/123'", "'code' = '[redacted]'"],
    ['code: 123456789012', 'code: [redacted]'],
    ['--client-secret hunter2 --profile ana', '--client-secret [redacted] --profile ana'],
    ['--client_secret hunter2 --profile ana', '--client_secret [redacted] --profile ana'],
    ['-token hunter2 x', '-token [redacted] x'],
    ['--password "a b" x', '--password [redacted] x'],
    ["--password 'a b' x", '--password [redacted] x'],
    ['http://ana:hunter2@proxy.example:8080/', 'http://[redacted]@proxy.example:8080/'],
    ['git+ssh.v-1://ana@h/', 'git+ssh.v-1://[redacted]@h/'],
    ['a dapi12345678 b dkea1234567 c dose1234567 d', 'a [redacted] b [redacted] c [redacted] d'],
    ['dsapi1234567 doseid1234567 dpac1234567', '[redacted] [redacted] [redacted]'],
    ['TOKEN="x y", Password="a b" end', 'TOKEN="[redacted]", Password="[redacted]" end'],
    ["TOKEN='x y', Password='a b' end", "TOKEN='[redacted]', Password='[redacted]' end"],
    ['TOKEN=xy, Password=ab end', 'TOKEN=[redacted], Password=[redacted] end'],
    ['--TOKEN xy --Password ab end', '--TOKEN [redacted] --Password [redacted] end'],
    ['DATABRICKS_CLIENT_SECRET=hunter22 A_TOKEN=xy B=c', 'DATABRICKS_CLIENT_SECRET=[redacted] A_TOKEN=[redacted] B=c'],
    ['x-api-key: hunter22, next', 'x-api-key: [redacted], next'],
    ['{"clientSecret":"hunter 22","accessToken":"a b"}', '{"clientSecret":"[redacted]","accessToken":"[redacted]"}'],
    ["{ refreshToken: 'hunter 22' }", "{ refreshToken: '[redacted]' }"],
    [
      '--databricks-token xy --db_client-secret ab end',
      '--databricks-token [redacted] --db_client-secret [redacted] end',
    ],
    ["'authorization' = Custom a b\nx", "'authorization' = [redacted]\nx"],
    ['Authorization : Custom a b\nx', 'Authorization : [redacted]\nx'],
    ['Authorization:Custom a b\nx', 'Authorization:[redacted]\nx'],
    ['Cookie=  a=1; b=2\nx', 'Cookie=  [redacted]\nx'],
    ['got eyJabcd.abc.def_-g.hi then', 'got [redacted] then'],
    ['got eyJabcd.x, then', 'got [redacted], then'],
    ['got eyJabcd.a.b.c.d then', 'got [redacted] then'],
    [`${'aA1'.repeat(11)}== then`, '[redacted] then'],
    [`a ${'aA1'.repeat(10)}aA b`, 'a [redacted] b'],
    [`${'ab1'.repeat(6)}_${'x'.repeat(20)}`, '[redacted]'],
    ['a k3J9-sQ2v-Xz7L-mN0p-R4tU-wYbC-5dEf-GhI8 b', 'a [redacted] b'],
    [`${'1'.repeat(31)}a b`, '[redacted] b'],
    [`${'a'.repeat(31)}1 b`, '[redacted] b'],
  ])('removes only the secret of %j', (text, left) => {
    expect(redact(text)).toBe(left);
  });

  it.each([
    'bearer abc',
    'MyBearer hunter22',
    'a Bearer token is wanted',
    'many Bearer tokens are wanted',
    'Basic auth failed',
    'Basic authentication failed',
    'Bearer authorization failed',
    'the Bearer scheme',
    'a Bearer challenge',
    'the Bearer header',
    'Bearer credentials were sent',
    'WWW-Authenticate: Bearer realm="x", error="invalid_token"',
    'WWW-Authenticate: Bearer error="invalid_token"',
    'WWW-Authenticate: Bearer scope="sql"',
    'Bearer is wanted, Bearer was sent, Bearer has ended',
    'mytoken="x" tokens = abc',
    'code=abcdefghijklmnop',
    'code: 12345678901',
    '?code= &state=1',
    '--token --profile ana',
    'see ://x@y',
    'http://a b@c',
    'http://host/path@version',
    'xdapi1234567 dapi123456',
    'eyJabcd eyJabc.x',
    'a'.repeat(40),
    '1'.repeat(40),
    `${'aA1'.repeat(10)}x`,
    `/${'aA1'.repeat(11)}`,
    `${'aA1'.repeat(11)}/x`,
    '6C1F2B0E-8A3D-4F5E-9B7A-0123456789AB',
    'abc1-abc2-abc3-abc4-abc5-abc6-abc7-abc8',
    'ABC1-ABC2-ABC3-ABC4-ABC5-ABC6-ABC7-ABC8',
    'Abc-Abc-Abc-Abc-Abc-Abc-Abc-Abc-Abc-Abc',
    'orders_by_region_and_week_2024_v2_for_all',
    'a_very_long_name_of_words_abcdefghijklmnopq_12345678901234567',
  ])('removes nothing of %j, which holds no secret', (text) => {
    expect(redact(text)).toBe(text);
  });
});
