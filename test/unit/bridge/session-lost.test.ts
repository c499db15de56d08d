import { describe, expect, it } from 'vitest';
import {
  isServersOwnError,
  isSessionLost,
  isSessionLostFrame,
  jsonRpcError,
  mayBeSessionLost,
} from '../../../main/bridge/session.ts';

const rpcError = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
const restError = (errorCode: string, message: string) => JSON.stringify({ error_code: errorCode, message });

/** A JSON-RPC error about a session of so many bytes. */
function longError(length: number): string {
  const empty = rpcError(-32001, 'Session not found ');
  return rpcError(-32001, `Session not found ${'.'.repeat(length - empty.length)}`);
}

describe('an answer to a request that carried a session id', () => {
  it.each([
    ['404 with nothing', 404, ''],
    ['404 in the wording of the REST API', 404, restError('RESOURCE_DOES_NOT_EXIST', 'Session not found')],
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
    ['400: a server that has restarted', 400, rpcError(-32000, 'Bad Request: Server not initialized')],
    ['400: the British spelling', 400, rpcError(-32000, 'Server not initialised')],
    ['400: no such session', 400, 'Session 1f2e does not exist'],
    ['400: a session that was not found', 400, rpcError(-32000, 'SESSION NOT FOUND')],
    ['400: the header is missing', 400, rpcError(-32000, 'Missing Mcp-Session-Id header')],
    ['400: an expired session', 400, rpcError(-32000, 'Expired session')],
    ['400: a bad session', 400, rpcError(-32000, 'Bad session id')],
    ['400: the words are on two lines', 400, 'Session\n1f2e\nnot found'],
    ['400: the words are on two lines, in reverse order', 400, 'Unknown\nMCP session'],
    ['400: not initialized', 400, rpcError(-32602, 'Received request before initialization was complete')],
    ['401: session not found', 401, rpcError(-32001, 'Session not found')],
    ['401: session unknown, as text', 401, 'session 1f2e is unknown'],
    ['401: session terminated', 401, 'The session was terminated'],
    ['401: no such session', 401, 'Session 1f2e does not exist'],
    ['401: no session id', 401, 'No valid session ID'],
    ['401: invalid session id', 401, 'invalid Mcp-Session-Id'],
    ['401: unknown session id', 401, 'Unknown sessionid'],
    ['401: missing session id', 401, 'Missing\nsession-id'],
    ['401: the words are on two lines', 401, 'Session\n1f2e\nnot found'],
    ['422: session not found', 422, rpcError(-32001, 'Session not found')],
    ['422: not initialized', 422, 'Request before the initialization is finished'],
    ['422 as the Rust SDK words it', 422, 'Unexpected message, expect initialize request'],
  ])('says that the session is gone: %s', (_name, status, text) => {
    expect(isSessionLost({ status, text })).toBe(true);
  });

  it.each([
    ['404 of a server without sessions: no such method', 404, rpcError(-32601, 'Method not found')],
    ['404 of such a server: header mismatch', 404, rpcError(-32020, 'Header mismatch')],
    ['404 of such a server: unsupported version', 404, rpcError(-32022, 'Unsupported protocol version')],
    ['400 about something else', 400, rpcError(-32602, 'Invalid params')],
    ['400 about a Spark session setting', 400, restError('INVALID_PARAMETER_VALUE', 'Set spark.session.timeout first')],
    ['404 of such a server: a missing capability', 404, rpcError(-32021, 'Missing required client capability')],
    ['400 about something unrelated near the word session', 400, `session ${'.'.repeat(60)} not found`],
    ['400 about the invalid name of something in a session', 400, `invalid ${'.'.repeat(40)} session`],
    ['400 about obsessions', 400, 'no obsessions not found'],
    ['400 about sessions in the plural', 400, 'sessions not found'],
    ['400 about something else that is uninitialized', 400, 'not initializedly'],
    ['400 with an error that has no message', 400, '{"error":{"code":-32000},"detail":"session not found"}'],
    [
      '400 with an error whose message is not a string',
      400,
      '{"error":{"code":-32000,"message":["session not found"]}}',
    ],
    ['422 about something else', 422, rpcError(-32602, 'Invalid params')],
    ['401: a sign-in that has expired', 401, 'session expired'],
    ['401: a sign-in that is invalid', 401, 'Invalid session'],
    ['401: no sign-in', 401, 'No session: sign in'],
    ['401: an expired token', 401, 'The access token expired'],
    ['401 with a mention of a session far from the reason', 401, `session ${'.'.repeat(60)} not found`],
    [
      '401 before anything was initialized',
      401,
      rpcError(-32602, 'Received request before initialization was complete'),
    ],
    ['403', 403, restError('PERMISSION_DENIED', 'invalid session')],
    ['500', 500, 'session not found'],
    ['200', 200, rpcError(-32001, 'Session not found')],
  ])('does not say so: %s', (_name, status, text) => {
    expect(isSessionLost({ status, text })).toBe(false);
  });
});

describe('a JSON-RPC error in a successful response', () => {
  it.each([
    ['a JSON-RPC error for the session', rpcError(-32001, 'Session not found'), true],
    ['an invalid request for the session', rpcError(-32600, 'Invalid Request: session expired'), true],
    ['an invalid request for anything else', rpcError(-32600, 'Invalid Request'), false],
    ['an internal error that mentions a session', rpcError(-32603, 'Session not found'), false],
    ['a JSON-RPC error for something else', rpcError(-32001, 'Table not found'), false],
    ['invalid parameters of a session', rpcError(-32602, 'Invalid session in the arguments'), false],
    ['invalid parameters', rpcError(-32602, 'Invalid params'), false],
    ['a request before initialization', rpcError(-32602, 'Received request before initialization was complete'), true],
    [
      'a request before initialisation, in British spelling',
      rpcError(-32602, 'before the initialisation has been done'),
      true,
    ],
    [
      'a request before a session is initialized',
      rpcError(-32602, 'Invalid request before initialization finished'),
      true,
    ],
    [
      'the same words with another code',
      rpcError(-32000, 'Received request before initialization was complete'),
      false,
    ],
    ['an error of the maximum length that is read', longError(4096), true],
    ['an error that is longer than what is read', longError(4097), false],
    ['a list', '["error"]', false],
    ['an error that is a string', '{"error":"session not found"}', false],
    ['an error that is null', '{"error":null}', false],
    ["a tool's own error", '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":"session not found"}}', false],
    [
      'a result that quotes the same error',
      `{"id":1,"result":{"text":${JSON.stringify(rpcError(-32001, 'Session not found'))}}}`,
      false,
    ],
    ['a long error', rpcError(-32001, `Session not found ${'.'.repeat(5_000)}`), false],
    ['something that is not JSON', '"error" session not found', false],
  ])('says that the session is gone, or not: %s', (_name, frame, gone) => {
    expect(isSessionLostFrame(Buffer.from(frame))).toBe(gone);
  });
});

describe('an internal error', () => {
  const internal = { code: -32603, message: 'Session not found' };

  it.each([
    ['in a frame', { frame: Buffer.from(rpcError(-32603, 'Session not found')) }],
    ['in the text of a refusal', { text: rpcError(-32603, 'Session not found') }],
    ['in the long text of a refusal', { text: `${rpcError(-32603, 'Session not found')}${' '.repeat(5_000)}` }],
  ])('can say that the session is gone %s', (_name, answer) => {
    expect(mayBeSessionLost(answer)).toEqual(internal);
  });

  it.each([
    ['of something else', { frame: Buffer.from(rpcError(-32603, 'Table not found')) }],
    ['with another code', { frame: Buffer.from(rpcError(-32001, 'Session not found')) }],
    ['in a page', { text: '<html>Session not found</html>' }],
    ['in a frame that is too long for an error', { frame: Buffer.from(longError(5_000).replace('-32001', '-32603')) }],
  ])('does not say so %s', (_name, answer) => {
    expect(mayBeSessionLost(answer)).toBeUndefined();
  });
});

describe('the JSON-RPC error in an answer', () => {
  it.each([
    [rpcError(-32601, 'Method not found'), { code: -32601, message: 'Method not found' }],
    ['{"error":{}}', { code: 0, message: '' }],
    ['{"error":{"code":"x","message":5}}', { code: 0, message: '' }],
    ['{"error":null}', undefined],
    ['{"error":"x"}', undefined],
    ['{"result":{}}', undefined],
    ['null', undefined],
    ['"error"', undefined],
    ['<error>', undefined],
  ])('%s is %j', (text, error) => {
    expect(jsonRpcError(text)).toEqual(error);
  });
});

describe('the body of a refusal reaches the client unchanged', () => {
  it.each([
    [400, rpcError(-32602, 'Invalid params'), true],
    [404, rpcError(-32601, 'Method not found'), true],
    [500, rpcError(-32603, 'Internal error'), true],
    // These the bridge explains itself: the status says what a user has to do.
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
