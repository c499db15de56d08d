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

/** As `SESSION_LOST`, without what a status of 401 says of a sign-in: that its own session has expired. */
const SESSION_UNKNOWN =
  /session\b.{0,40}\b(not found|unknown|terminated|does not exist)|\b(no|invalid|unknown|missing)\b.{0,20}\bsession[- ]?id\b/is;
/** What a server of the Python SDK says of everything but a ping before a session is begun, and so of a session it forgot. */
const NOT_BEGUN = /\bbefore (the )?initiali[sz]ation (was|is|has been)? ?(complete|finished|done)/i;

/**
 * Tells whether an answer to a request that carried a session id says that the session is gone. Servers spell it as 404
 * (MCP › Session Management), 410 (spec/managed-mcp-endpoints.md › States), or 400, 401, 422 or a JSON-RPC error that names
 * the session.
 */
export function isSessionDeath(answer: Answer): boolean {
  if (answer.status === 410) return true;
  const error = jsonRpcError(answer.text);
  if (answer.status === 404) return !(error !== undefined && MODERN_ERROR_CODES.has(error.code));
  const words = error?.message ?? answer.text;
  if (answer.status === 401) return SESSION_UNKNOWN.test(words);
  if (answer.status === 400 || answer.status === 422) return SESSION_LOST.test(words) || NOT_BEGUN.test(words);
  return false;
}

/** Whether a JSON-RPC error inside a 200 answer says that the session is gone: nothing was run then. */
export function isSessionDeathFrame(frame: Buffer): boolean {
  const error = shortErrorIn(frame);
  if (!error) return false;
  if (error.code === -32600 || error.code === -32001) return SESSION_LOST.test(error.message);
  return error.code === -32602 && NOT_BEGUN.test(error.message);
}

/**
 * The internal error that an answer consists of, where it may say that the session is gone, or that a tool did not find
 * something else of that name, after it has run. Which of the two, only another request can show.
 */
export function doubtfulDeath(answer: { text: string } | { frame: Buffer }): RpcError | undefined {
  const error = 'frame' in answer ? shortErrorIn(answer.frame) : jsonRpcError(answer.text);
  return error?.code === -32603 && SESSION_LOST.test(error.message) ? error : undefined;
}

function shortErrorIn(frame: Buffer): RpcError | undefined {
  // Read only where it can be true: answers may be large and errors are short.
  return frame.length > 4096 || !frame.includes('"error"') ? undefined : jsonRpcError(frame.toString('utf8'));
}

/**
 * Whether a refusal is a JSON-RPC error that the client should see as it is. Where the status already says what a person
 * has to do (sign in, ask for access, wait), the bridge's own words serve better.
 */
export function isServersOwnError(status: number, text: string): boolean {
  return ![401, 403, 429, 503].includes(status) && jsonRpcError(text) !== undefined;
}

/** A JSON-RPC error (JSON-RPC 2.0 §5.1), as far as it can be read. */
export interface RpcError {
  code: number;
  message: string;
}

/** The error in an answer's text; undefined where there is none. */
export function jsonRpcError(text: string): RpcError | undefined {
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
