import { describe, expect, it } from 'vitest';
import { explainFailure, type UpstreamFailure } from '../../../main/bridge/errors.ts';
import { inOneLine } from '../../../main/words/failure.ts';

const where = {
  host: 'acme.cloud.databricks.com',
  path: '/api/2.0/mcp/sql',
  profile: 'acme',
  by: 'oauth-user' as const,
};
const MAY_HAVE_RUN = 'It may have run. Check the result before you repeat it.';

function refused(status: number, body: unknown = '', headers: Record<string, string> = {}): UpstreamFailure {
  return { kind: 'refused', head: { status, headers }, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

function rest(code: string, message: string) {
  return { error_code: code, message };
}

function broken(code: string, sent: boolean, extra: object = {}): Extract<UpstreamFailure, { kind: 'broken' }> {
  return { kind: 'broken', error: Object.assign(new Error('low-level words'), { code }, extra), sent };
}

const words = (failure: UpstreamFailure, method = 'tools/call') => {
  const error = explainFailure(failure, where, method);
  return [error.code, inOneLine(error)];
};

describe('a refused sign-in', () => {
  it.each([
    ['oauth-user', 'check-sign-in'],
    ['databricks-cli', 'check-sign-in'],
    ['oauth-m2m', 'check-credentials'],
    ['pat', 'check-credentials'],
  ] as const)('leads a profile of the method %s to what can be done for it: %s', (by, what) => {
    const { code, action } = explainFailure(refused(401), { ...where, by }, 'tools/list');
    expect(code).toBe('unauthenticated');
    expect(action).toEqual({ do: what, profile: 'acme', path: '/api/2.0/mcp/sql' });
  });
});

describe('a refusal of an external connection', () => {
  const external = { ...where, path: '/api/2.0/mcp/external/issue%20tracker' };
  const challenged = (header: string) => refused(401, rest('401', 'No.'), { 'www-authenticate': header });

  it('that names where to sign in is not blamed on the sign-in to the workspace', () => {
    const metadata = 'Bearer resource_metadata="https://acme.cloud.databricks.com/.well-known/x"';
    const error = explainFailure(challenged(metadata), external, 'tools/call');
    expect([error.code, error.message]).toEqual([
      'service_signed_out',
      'acme.cloud.databricks.com refused the request (401). Connection "issue tracker" may need its own sign-in. Nothing was run.',
    ]);
    expect(error.remedy).toContain('Open the connection in the workspace');
    expect(explainFailure(challenged(metadata), where, 'tools/call').code).toBe('unauthenticated');
  });

  it.each(['Bearer', 'Bearer resource_metadata="https://x", error="invalid_token"'])(
    'that blames the token is: %s',
    (header) => {
      expect(explainFailure(challenged(header), external, 'tools/call').code).toBe('unauthenticated');
    },
  );
});

describe('the explanation of a refusal', () => {
  it.each<[name: string, failure: UpstreamFailure, code: string, text: string]>([
    [
      '401',
      refused(401, rest('401', 'Credential was not sent'), { 'www-authenticate': 'Bearer' }),
      'unauthenticated',
      'acme.cloud.databricks.com refused the sign-in of profile "acme" (401). Run `causeway whoami --profile acme`: if that works, /api/2.0/mcp/sql belongs to another workspace; if not, run `causeway login --profile acme`.',
    ],
    [
      '403 from the IP access list',
      refused(403, rest('403', 'Source IP address: 203.0.113.7 is blocked by Databricks IP ACL for workspace: 12')),
      'ip_blocked',
      'acme.cloud.databricks.com does not accept connections from this network (403: Source IP address: 203.0.113.7 is blocked by Databricks IP ACL for workspace: 12). Connect through your VPN or office network, or ask a workspace admin to allow this IP address.',
    ],
    [
      'the private link',
      refused(302, '', { location: '/login.html?error=private-link-validation-error' }),
      'ip_blocked',
      'acme.cloud.databricks.com does not accept connections from this network (302: The workspace can be reached only over its private link.). Connect through your VPN or office network, or ask a workspace admin to allow this IP address.',
    ],
    ...['/api/2.0/mcp/sql/', 'http://acme.cloud.databricks.com/api/2.0/mcp/sql/'].map(
      (location): [string, UpstreamFailure, string, string] => [
        `a redirect to ${location}`,
        refused(307, '', { location }),
        'feature_unavailable',
        'acme.cloud.databricks.com redirects /api/2.0/mcp/sql to /api/2.0/mcp/sql/. Nothing was run. Use that path for the server.',
      ],
    ),
    [
      '403 for a scope',
      refused(403, rest('PERMISSION_DENIED', 'Provided OAuth token does not have required scopes: sql')),
      'missing_scope',
      'The sign-in of profile "acme" does not cover /api/2.0/mcp/sql (403: Provided OAuth token does not have required scopes: sql). Run `causeway login --profile acme` and grant the missing scope.',
    ],
    ...[
      'Bearer error="insufficient_scope", scope="sql genie"',
      'Negotiate, bearer ERROR = "insufficient_scope",scope="sql genie",resource_metadata="https://ana@evil.example/"',
      'Bearer realm="a \\"b\\", c",error=insufficient_scope,scope="sql genie"',
    ].map((challenge): [string, UpstreamFailure, string, string] => [
      `403 with the challenge ${challenge}`,
      refused(403, '', { 'www-authenticate': challenge }),
      'missing_scope',
      'The sign-in of profile "acme" does not cover /api/2.0/mcp/sql (403: insufficient_scope: sql genie). Run `causeway login --profile acme` and grant the missing scope.',
    ]),
    [
      '403 for missing grants',
      refused(403, rest('PERMISSION_DENIED', 'User does not have USE SCHEMA on main.finance')),
      'permission_denied',
      'The user of profile "acme" has no access to /api/2.0/mcp/sql (403: User does not have USE SCHEMA on main.finance). Ask its owner for access to the catalog, schema, function, index or Genie space behind it.',
    ],
    [
      '404 for one resource',
      refused(404, rest('RESOURCE_DOES_NOT_EXIST', 'Genie space 01ef does not exist')),
      'not_found',
      'acme.cloud.databricks.com found nothing at /api/2.0/mcp/sql (404: Genie space 01ef does not exist). Check the catalog, schema, index, function or Genie space that the path names.',
    ],
    [
      '404 for the whole API',
      refused(404, rest('ENDPOINT_NOT_FOUND', "No API found for 'POST /mcp/sql'")),
      'feature_unavailable',
      'acme.cloud.databricks.com has no managed MCP server at /api/2.0/mcp/sql (404: No API found for \'POST /mcp/sql\'). Check the path. If it is right, ask a workspace admin to enable the "Managed MCP Servers" preview.',
    ],
    [
      '400 for a disabled service',
      refused(400, rest('BAD_REQUEST', 'The MCP service is administratively suspended')),
      'feature_unavailable',
      '/api/2.0/mcp/sql is not switched on at acme.cloud.databricks.com (400: The MCP service is administratively suspended). The server "sql" at /api/2.0/mcp/sql works without it. Ask an account admin to switch on the preview "Enhanced Unity Gateway".',
    ],
    [
      '429',
      refused(429, rest('REQUEST_LIMIT_EXCEEDED', 'Too many')),
      'rate_limited',
      'acme.cloud.databricks.com is limiting requests (429: Too many). Wait a minute and try again.',
    ],
    [
      '503',
      refused(503, rest('TEMPORARILY_UNAVAILABLE', 'Busy.')),
      'unavailable',
      'acme.cloud.databricks.com could not answer (503: Busy). The workspace may be restarting. Try again in a minute.',
    ],
    [
      '502 with a page, after which the call may have run',
      refused(502, '<html><title>502 Bad Gateway</title><body><h1>502 Bad Gateway</h1></body></html>'),
      'unavailable',
      `acme.cloud.databricks.com could not answer (502: 502 Bad Gateway). ${MAY_HAVE_RUN}`,
    ],
    [
      '504 with nothing',
      refused(504),
      'unavailable',
      `acme.cloud.databricks.com could not answer (504). ${MAY_HAVE_RUN}`,
    ],
    [
      'a sign-in page in place of an answer',
      refused(200, '\n<!DOCTYPE html><html><body>Welcome to the hotel</body></html>'),
      'login_page',
      'A sign-in page answered instead of acme.cloud.databricks.com. A captive portal or a company proxy is in between. Open the workspace in a browser, sign in to the network, and try again.',
    ],
    [
      'a redirect to a sign-in page',
      refused(302, '', { location: 'http://portal.example/login' }),
      'login_page',
      'A sign-in page answered instead of acme.cloud.databricks.com. A captive portal or a company proxy is in between. Open the workspace in a browser, sign in to the network, and try again.',
    ],
    [
      'anything else',
      refused(418, 'short and stout'),
      'unexpected_answer',
      'acme.cloud.databricks.com answered 418: short and stout.',
    ],
  ])('has its code and message: %s', (_name, failure, code, text) => {
    expect(words(failure)).toEqual([code, text]);
  });

  it('does not warn that a list may have run if a gateway answers it with 502', () => {
    expect(words(refused(502, 'bad gateway'), 'tools/list')[1]).toBe(
      'acme.cloud.databricks.com could not answer (502: bad gateway). The workspace may be restarting. Try again in a minute.',
    );
  });

  it('is one short line, whatever the body contains', () => {
    const [, text] = words(refused(403, rest('X', `line\nline\u001b[31m ${'long '.repeat(1_000)}`)));
    expect(text).not.toMatch(/\p{Cc}/u);
    expect(text?.length).toBeLessThan(1_000);
  });
});

describe('the explanation of a broken exchange', () => {
  const unreachable = (code: string) =>
    `acme.cloud.databricks.com cannot be reached (${code}). Check the host name and your network, VPN and proxy.`;
  const untrusted = (code: string) =>
    `The connection to acme.cloud.databricks.com is not trusted (${code}). Check the host. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate file.`;
  const lost = (method: string) =>
    `The connection to acme.cloud.databricks.com was lost before it answered ${method}. ${MAY_HAVE_RUN}`;

  it.each<[name: string, failure: UpstreamFailure, method: string, code: string, text: string]>([
    ['an unknown host', broken('ENOTFOUND', false), 'tools/call', 'unreachable', unreachable('ENOTFOUND')],
    ['a closed port', broken('ECONNREFUSED', false), 'tools/call', 'unreachable', unreachable('ECONNREFUSED')],
    [
      'a host that drops packets',
      broken('UND_ERR_CONNECT_TIMEOUT', false),
      'tools/call',
      'unreachable',
      unreachable('UND_ERR_CONNECT_TIMEOUT'),
    ],
    [
      'no route',
      broken('ETIMEDOUT', false, { syscall: 'connect' }),
      'tools/call',
      'unreachable',
      unreachable('ETIMEDOUT'),
    ],
    [
      'an own certificate',
      broken('DEPTH_ZERO_SELF_SIGNED_CERT', false),
      'tools/call',
      'tls',
      untrusted('DEPTH_ZERO_SELF_SIGNED_CERT'),
    ],
    [
      "a company proxy's certificate",
      broken('SELF_SIGNED_CERT_IN_CHAIN', false),
      'initialize',
      'tls',
      untrusted('SELF_SIGNED_CERT_IN_CHAIN'),
    ],
    [
      "another host's certificate",
      broken('ERR_TLS_CERT_ALTNAME_INVALID', false),
      'tools/call',
      'tls',
      untrusted('ERR_TLS_CERT_ALTNAME_INVALID'),
    ],
    [
      'a connection that broke during a call',
      broken('ECONNRESET', true),
      'tools/call',
      'outcome_unknown',
      lost('tools/call'),
    ],
    [
      'a response that was cut off',
      broken('UND_ERR_SOCKET', true),
      'tools/call',
      'outcome_unknown',
      lost('tools/call'),
    ],
    [
      'a connection that broke before the call was sent',
      broken('ECONNRESET', false),
      'tools/call',
      'unreachable',
      'The connection to acme.cloud.databricks.com was cut (ECONNRESET). Check your network, VPN and proxy, then try again.',
    ],
    [
      'a connection that broke during a list',
      broken('ECONNRESET', true),
      'tools/list',
      'unreachable',
      'The connection to acme.cloud.databricks.com was cut (ECONNRESET). Check your network, VPN and proxy, then try again.',
    ],
    [
      'no answer to a call',
      broken('UND_ERR_HEADERS_TIMEOUT', true),
      'tools/call',
      'timeout',
      'acme.cloud.databricks.com has not answered tools/call for minutes. It may still be running. Check the result before you repeat it.',
    ],
    [
      'no answer to a list with a short time limit',
      { ...broken('UND_ERR_HEADERS_TIMEOUT', true), silenceMs: 15_000 },
      'tools/list',
      'timeout',
      'acme.cloud.databricks.com has not answered tools/list within 15 seconds. Try again in a minute.',
    ],
    [
      'no answer from a host to initialize',
      { ...broken('UND_ERR_HEADERS_TIMEOUT', true), silenceMs: 15_000 },
      'initialize',
      'unreachable',
      'acme.cloud.databricks.com did not answer within 15 seconds. Likely causes: a wrong address, a DNS name of another computer, or a blocking firewall, VPN or proxy.',
    ],
    [
      'silence in the middle of a response',
      broken('UND_ERR_BODY_TIMEOUT', true),
      'tools/list',
      'timeout',
      'acme.cloud.databricks.com has not answered tools/list for minutes. Try again in a minute.',
    ],
    [
      'a proxy that refuses',
      {
        kind: 'broken',
        sent: false,
        error: Object.assign(new Error('Proxy response (407) !== 200 when HTTP Tunneling'), {
          code: 'UND_ERR_ABORTED',
        }),
      },
      'tools/call',
      'unreachable',
      "The proxy does not connect to acme.cloud.databricks.com (407). Check the address, user name and password in HTTPS_PROXY or in this computer's settings, or add the host to NO_PROXY.",
    ],
    [
      'a stream that ends without the response',
      { kind: 'unanswered' },
      'tools/call',
      'outcome_unknown',
      `acme.cloud.databricks.com ended the response to tools/call before it was complete. ${MAY_HAVE_RUN}`,
    ],
    [
      'a stream that ends without the list',
      { kind: 'unanswered' },
      'tools/list',
      'outcome_unknown',
      'acme.cloud.databricks.com ended the response to tools/list before it was complete. Try again in a minute.',
    ],
  ])('has its code and message: %s', (_name, failure, method, code, text) => {
    expect(words(failure, method)).toEqual([code, text]);
  });
});

describe('a refusal by administrators', () => {
  const service = {
    ...where,
    path: '/ai-gateway/mcp-services/main.support.tickets',
    ask: 'Ask your administrator (it@acme.example).',
  };
  const limit = (of: string) => `User defined rate limit(s) exceeded for 'a'. RPM rate limit exceeded for ${of}`;

  it.each<[refusal: string, status: number, body: unknown, code: string, text: RegExp]>([
    [
      'network-policy',
      403,
      'CUSTOMER_UNAUTHORIZED: Access to a.test is denied because of serverless network policy.',
      'permission_denied',
      /refused the request to \S+ \(403: Access to a\.test is denied because of serverless network policy\.\)\. Your administrators decided this.*it@acme\.example/,
    ],
    [
      'network-policy',
      401,
      rest('X', 'denied because of serverless network policy'),
      'permission_denied',
      /\(401: denied/,
    ],
    [
      'budget',
      403,
      rest('PERMISSION_DENIED', 'Spend budget exceeded'),
      'permission_denied',
      /\(403: Spend budget exceeded\).*budget that is used up/,
    ],
    [
      'user-rate-limit',
      429,
      rest('REQUEST_LIMIT_EXCEEDED', limit('user')),
      'rate_limited',
      /exceeded for user\)\. .*each user/,
    ],
    [
      'service-rate-limit',
      429,
      rest('REQUEST_LIMIT_EXCEEDED', limit('endpoint')),
      'rate_limited',
      /exceeded for endpoint\)\. .*all users together/,
    ],
    ['rate-limit', 429, '', 'rate_limited', /is limiting requests \(429\)\. Wait a minute/],
    [
      'rate-limit',
      429,
      { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Slow down' } },
      'rate_limited',
      /limiting requests \(429: Slow down\)/,
    ],
    [
      'policy',
      403,
      { jsonrpc: '2.0', id: 1, error: { code: -32003, message: 'No exports' } },
      'permission_denied',
      /refused the request to \S+ \(403: No exports\)\. Your administrators decided this/,
    ],
    [
      'missing',
      404,
      rest('RESOURCE_DOES_NOT_EXIST', 'No such service'),
      'not_found',
      /\(404: No such service\)\. .*without EXECUTE/,
    ],
  ])('%s, with status %i, has the words of the server and the next step', (refusal, status, body, code, text) => {
    const error = explainFailure(refused(status, body), service, 'tools/call');
    expect([error.refusal, error.code]).toEqual([refusal, code]);
    expect(inOneLine(error)).toMatch(text);
  });
});
