/** What a server answered, as far as it can tell that a session is gone. */
export interface Answer {
  status: number;
  /** The answer's text, or its beginning. */
  text: string;
}

/** JSON-RPC error codes that only servers of the stateless revision (2026-07-28) use: there, 404 means "no such method". */
const MODERN_ERROR_CODES = new Set([-32601, -32020, -32021, -32022]);
const SESSION_LOST =
  /session\b.{0,40}\b(not found|expired|invalid|unknown|terminated|does not exist)|\b(no|invalid|unknown|expired|missing|bad)\b.{0,20}\bsession|\bnot initiali[sz]ed\b/is;

/**
 * Tells whether an answer to a request that carried a session id says that the session is gone. Servers spell it as 404
 * (MCP › Session Management), 410 (spec/managed-mcp-endpoints.md › States), 400 or a JSON-RPC error that names the session.
 */
export function isSessionDeath(answer: Answer): boolean {
  if (answer.status === 410) return true;
  const error = jsonRpcError(answer.text);
  if (answer.status === 404) return !(error !== undefined && MODERN_ERROR_CODES.has(error.code));
  if (answer.status === 400) return SESSION_LOST.test(error?.message ?? answer.text);
  return false;
}

/** Whether a JSON-RPC error inside a 200 answer says that the session is gone: nothing was run then. */
export function isSessionDeathFrame(frame: Buffer): boolean {
  // Read only where it can be true: answers may be large and errors are short.
  if (frame.length > 4096 || !frame.includes('"error"')) return false;
  const error = jsonRpcError(frame.toString('utf8'));
  return error !== undefined && (error.code === -32600 || error.code === -32001) && SESSION_LOST.test(error.message);
}

/**
 * Whether a refusal is a JSON-RPC error that the client should see as it is. Where the status already says what a person
 * has to do (sign in, ask for access, wait), the bridge's own words serve better.
 */
export function isServersOwnError(status: number, text: string): boolean {
  return ![401, 403, 429, 503].includes(status) && jsonRpcError(text) !== undefined;
}

/** The error in an answer's text; undefined where there is none. */
export function jsonRpcError(text: string): { code: number; message: string } | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Not JSON is an answer too: a proxy's page, or plain text.
    return undefined;
  }
  if (typeof json !== 'object' || json === null || !('error' in json)) return undefined;
  const { error } = json;
  if (typeof error !== 'object' || error === null) return undefined;
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
  return { code, message };
}
