/** The point at which communication with another computer failed, and the system's code for it (`ECONNREFUSED`, `CERT_HAS_EXPIRED`). */
export interface NetworkFailure {
  kind: 'tls' | 'unsent' | 'timeout' | 'cut';
  /** Empty if the system gave none. */
  code: string;
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|EPROTO|HOSTNAME_MISMATCH)/;
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_UNSENT',
]);
const TIMEOUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

/** Finds what went wrong in the network from an error and its causes. */
export function networkFailure(error: unknown): NetworkFailure {
  let code = '';
  let connecting = false;
  for (let at: unknown = error; at instanceof Error; at = at instanceof AggregateError ? at.errors[0] : at.cause) {
    // undici does not give a code to every answer that is not HTTP.
    if (at.name === 'HTTPParserError') code = 'UND_ERR_HTTP_PARSER';
    if ('code' in at && typeof at.code === 'string') code = at.code;
    if ('syscall' in at && at.syscall === 'connect') connecting = true;
  }
  if (TLS.test(code)) return { kind: 'tls', code };
  if (UNSENT.has(code) || connecting) return { kind: 'unsent', code };
  return { kind: TIMEOUT.has(code) ? 'timeout' : 'cut', code };
}

/** What was wrong with an answer that did arrive, after the host's name; undefined for every other code. */
export function answerFault(code: string): string | undefined {
  // undici passes on both its own code and its parser's.
  if (/HEADERS?_OVERFLOW/.test(code)) return 'returned more than 16 KB of headers';
  if (code === 'UND_ERR_WIRE_BUDGET') return 'returned an HTTP response with too much beside its content';
  return /^HPE_|HTTP_PARSER/.test(code) ? 'returned an invalid HTTP response' : undefined;
}
