import { describe, expect, it } from 'vitest';
import { isServersOwnError, isSessionDeath, isSessionDeathFrame } from '../../../main/bridge/session-death.ts';

const rpcError = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
const restError = (errorCode: string, message: string) => JSON.stringify({ error_code: errorCode, message });

describe('an answer to a request that carried a session id', () => {
  it.each([
    ['404 with nothing', 404, ''],
    ['404 in the words of the REST API', 404, restError('RESOURCE_DOES_NOT_EXIST', 'Session not found')],
    ['404 with a JSON-RPC error', 404, rpcError(-32001, 'Session not found')],
    ['404 with a page', 404, '<html><body>Not Found</body></html>'],
    ['410 with nothing', 410, ''],
    ['410 with anything', 410, rpcError(-32601, 'Method not found')],
    ['400: no valid session id', 400, rpcError(-32000, 'Bad Request: No valid session ID provided')],
    ['400: invalid session id', 400, rpcError(-32600, 'Invalid session ID')],
    ['400: session expired', 400, restError('BAD_REQUEST', 'The session has expired')],
    ['400: unknown session, as text', 400, 'Unknown session'],
    ['400: session terminated', 400, rpcError(-32000, 'Session 1f2e was terminated')],
    ['400: header required', 400, rpcError(-32000, 'Bad Request: Mcp-Session-Id header is required')],
    ['400: a server that has begun anew', 400, rpcError(-32000, 'Bad Request: Server not initialized')],
  ])('says that the session is gone: %s', (_name, status, text) => {
    expect(isSessionDeath({ status, text })).toBe(true);
  });

  it.each([
    ['404 of a server without sessions: no such method', 404, rpcError(-32601, 'Method not found')],
    ['404 of such a server: header mismatch', 404, rpcError(-32020, 'Header mismatch')],
    ['404 of such a server: unsupported version', 404, rpcError(-32022, 'Unsupported protocol version')],
    ['400 about something else', 400, rpcError(-32602, 'Invalid params')],
    ['400 about a Spark session setting', 400, restError('INVALID_PARAMETER_VALUE', 'Set spark.session.timeout first')],
    ['401', 401, 'session expired'],
    ['403', 403, restError('PERMISSION_DENIED', 'invalid session')],
    ['500', 500, 'session not found'],
    ['200', 200, rpcError(-32001, 'Session not found')],
  ])('does not say so: %s', (_name, status, text) => {
    expect(isSessionDeath({ status, text })).toBe(false);
  });
});

describe('a frame of a good answer', () => {
  it.each([
    ['a JSON-RPC error for the session', rpcError(-32001, 'Session not found'), true],
    ['an invalid request for the session', rpcError(-32600, 'Invalid Request: session expired'), true],
    ['an invalid request for anything else', rpcError(-32600, 'Invalid Request'), false],
    ['an internal error that speaks of a session', rpcError(-32603, 'Session not found'), false],
    ["a tool's own error", '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":"session not found"}}', false],
    [
      'a result that quotes such an error',
      `{"id":1,"result":{"text":${JSON.stringify(rpcError(-32001, 'Session not found'))}}}`,
      false,
    ],
    ['a long error', rpcError(-32001, `Session not found ${'.'.repeat(5_000)}`), false],
    ['what is not JSON', '"error" session not found', false],
  ])('%s', (_name, frame, gone) => {
    expect(isSessionDeathFrame(Buffer.from(frame))).toBe(gone);
  });
});

describe("a refusal's body reaches the client as it is", () => {
  it.each([
    [400, rpcError(-32602, 'Invalid params'), true],
    [404, rpcError(-32601, 'Method not found'), true],
    [500, rpcError(-32603, 'Internal error'), true],
    // These the bridge explains itself: the status says what a person has to do.
    [401, rpcError(-32001, 'Unauthorized'), false],
    [403, rpcError(-32002, 'Forbidden'), false],
    [429, rpcError(-32000, 'Slow down'), false],
    [503, rpcError(-32000, 'Busy'), false],
    [400, restError('BAD_REQUEST', 'no'), false],
    [400, '{"error":"invalid_request","error_description":"no"}', false],
    [502, '<html></html>', false],
    [400, '', false],
  ])('%i %s: %s', (status, text, own) => {
    expect(isServersOwnError(status, text)).toBe(own);
  });
});
