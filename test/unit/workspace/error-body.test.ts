import { describe, expect, test } from 'vitest';
import { readErrorBody, workspaceRefusal } from '../../../main/workspace/errors.ts';

const answer = (status: number, text: string, headers: Record<string, string> = {}) => ({
  status,
  text,
  header: (name: string) => headers[name],
});

describe('readErrorBody reads every spelling, in the same order as the workspace’s own clients', () => {
  test.each([
    ['REST', '{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"gone"}', 'rest', 'RESOURCE_DOES_NOT_EXIST', 'gone'],
    ['REST with a number', '{"error_code":403,"message":"no"}', 'rest', '403', 'no'],
    ['REST before the others', '{"message":"rest","error":"api","detail":"scim"}', 'rest', '', 'rest'],
    ['API 1.2', '{"error":"bad things"}', 'api-1.2', '', 'bad things'],
    ['OAuth', '{"error":"invalid_token","error_description":"too old"}', 'api-1.2', '', 'too old'],
    ['SCIM', '{"detail":"no user","status":"404","scimType":"noTarget"}', 'scim', 'noTarget', 'no user'],
    ['text', 'INVALID_STATE: it sleeps', 'text', 'INVALID_STATE', 'it sleeps'],
    ['HTML', '<html><body><pre>deep\n <b>trouble</b></pre></body></html>', 'html', '', 'deep trouble'],
    ['HTML without pre', '<!DOCTYPE html><title>Bad gateway</title>', 'page', '', 'Bad gateway'],
    ['JSON-RPC', '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad"},"id":null}', 'other', '', 'Bad'],
    ['anything else', 'what?', 'other', '', 'what?'],
    ['nothing', '', 'other', '', 'no explanation'],
    ['JSON of an unknown form', '[1]', 'other', '', '[1]'],
  ])('%s', (_what, text, kind, errorCode, message) => {
    expect(readErrorBody(answer(400, text), [])).toMatchObject({ kind, errorCode, message });
  });

  test('reads the redirect of a private link', () => {
    const location = 'https://w.example.com/login.html?error=private-link-validation-error';
    expect(readErrorBody(answer(302, '', { location }), []).kind).toBe('private-link');
  });

  test('reads the request id from the header or from the details', () => {
    const body =
      '{"message":"x","details":[{"@type":"type.googleapis.com/google.rpc.RequestInfo","request_id":"in-body"}]}';
    expect(readErrorBody(answer(500, body), []).requestId).toBe('in-body');
    expect(readErrorBody(answer(500, body, { 'x-request-id': 'in-header' }), []).requestId).toBe('in-header');
  });

  test('shortens a message and removes its control characters', () => {
    const { message } = readErrorBody(answer(500, JSON.stringify({ message: `\u001b[2J${'x'.repeat(5000)}\n` })), []);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(700);
  });
});

describe('workspaceRefusal decides by the status, and by the error code only if the status is ambiguous', () => {
  const code = (status: number, text: string) =>
    workspaceRefusal('GET', status, readErrorBody(answer(status, text), [])).code;

  test.each([
    [400, '{"error_code":"INVALID_PARAMETER_VALUE","message":"m"}', 'invalid_argument'],
    [
      400,
      '{"error_code":"BAD_REQUEST","message":"The MCP service is administratively suspended"}',
      'feature_unavailable',
    ],
    [401, '{"error_code":401,"message":"m"}', 'unauthenticated'],
    [403, '{"error_code":"PERMISSION_DENIED","message":"m"}', 'permission_denied'],
    [403, '{"error_code":"403","message":"Invalid access token."}', 'unauthenticated'],
    [403, '<html><title>Blocked by your company</title></html>', 'login_page'],
    [403, '<html><pre>PERMISSION_DENIED</pre></html>', 'permission_denied'],
    [403, '', 'permission_denied'],
    [403, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}}', 'permission_denied'],
    [511, '<html><title>Hotel</title></html>', 'login_page'],
    [403, '{"message":"Provided OAuth token does not have required scopes: sql"}', 'missing_scope'],
    [403, '{"error":"insufficient_scope","error_description":"More is needed."}', 'missing_scope'],
    [403, '{"message":"User does not have permission on secret scope production"}', 'permission_denied'],
    [
      403,
      '{"error_code":"403","message":"Source IP address: 1.2.3.4 is blocked by Databricks IP ACL for workspace: 5"}',
      'ip_blocked',
    ],
    [404, '{"error_code":"NOT_FOUND","message":"m"}', 'not_found'],
    [404, '{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"m"}', 'not_found'],
    [404, '{"error_code":"A_NEW_WORD","message":"m"}', 'not_found'],
    [404, '{"error_code":"ENDPOINT_NOT_FOUND","message":"m"}', 'feature_unavailable'],
    [404, '<html><title>404</title></html>', 'feature_unavailable'],
    [409, '{"error_code":"ALREADY_EXISTS","message":"m"}', 'already_exists'],
    [409, '{"error_code":"RESOURCE_ALREADY_EXISTS","message":"m"}', 'already_exists'],
    [409, '{"error_code":"ABORTED","message":"m"}', 'conflict'],
    [429, '{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"m"}', 'rate_limited'],
    [500, '{"error_code":"UNKNOWN","message":"m"}', 'unavailable'],
    [501, '{"error_code":"NOT_IMPLEMENTED","message":"m"}', 'feature_unavailable'],
    [503, '{"error_code":"TEMPORARILY_UNAVAILABLE","message":"m"}', 'unavailable'],
    [302, '', 'login_page'],
    [418, 'x', 'unexpected_answer'],
  ])('%i %s → %s', (status, text, expected) => {
    expect(code(status, text)).toBe(expected);
  });

  test.each([
    ['GET', 502, false],
    ['PATCH', 502, true],
    ['POST', 500, true],
    ['DELETE', 504, true],
    ['PATCH', 503, false],
    ['PATCH', 429, false],
    ['PATCH', 400, false],
    ['PATCH', 501, false],
  ])('%s refused with %i may have run: %s', (method, status, mayHaveRun) => {
    expect(workspaceRefusal(method, status, readErrorBody(answer(status, ''), [])).mayHaveRun).toBe(mayHaveRun);
  });
});
