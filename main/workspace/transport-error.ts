import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import { foreignCause, type SentSecrets } from '../platform/foreign-text.ts';
import { answerFault } from '../platform/network-failure.ts';
import { SilentHostError } from '../platform/silent-host.ts';
import { IN_DOUBT, WorkspaceError } from './errors.ts';

const BEFORE_SENDING = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN']);
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|EPROTO|HOSTNAME_MISMATCH)/;

interface SystemFailure {
  code: string;
  syscall: string | undefined;
}

/** What became of a request that got no whole answer. */
export interface TransportFailure {
  error: WorkspaceError;
  /** The request never left this computer. */
  unsent: boolean;
}

/** Classifies a failed exchange: unreachable, untrusted, too slow, cut off, or canceled by the caller. @throws any other */
export function transportFailure(
  cause: unknown,
  request: { method: string; host: string; sent?: SentSecrets },
  signal?: AbortSignal,
): TransportFailure {
  if (cause instanceof WorkspaceError) return { error: cause, unsent: false };
  if (cause instanceof SilentHostError) {
    const { code, message, remedy } = cause;
    const mayHaveRun = request.method !== 'GET';
    return { error: new WorkspaceError(code, message, { cause, remedy, mayHaveRun }), unsent: false };
  }
  if (signal?.aborted) return { error: cancelledRequest(signal.reason, request.method !== 'GET'), unsent: false };
  // A token that cannot be sent, or an invalid proxy address: the error says so, and nothing left this computer.
  if (cause instanceof CausewayError) {
    const { code, message, remedy, action } = cause;
    return { error: new WorkspaceError(code, message, { cause, remedy, action }), unsent: true };
  }
  const { code, syscall } = systemFailure(cause);
  // Whatever fails on a connection has a code; what has none is a mistake in this program.
  if (code === '') throw cause;
  const unsent = BEFORE_SENDING.has(code) || syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT';
  const mayHaveRun = !unsent && request.method !== 'GET' && !TLS.test(code);
  const [word, message, remedy] = describe(code, unsent, request.host, mayHaveRun);
  const error = new WorkspaceError(word, message, { cause: foreignCause(cause, request.sent), remedy, mayHaveRun });
  return { error, unsent };
}

/** The error for a request that its caller has given up, in the caller's own words if it gave any. */
export function cancelledRequest(reason: unknown, mayHaveRun: boolean): WorkspaceError {
  if (reason instanceof CausewayError) {
    return new WorkspaceError(reason.code, reason.message, { cause: reason, mayHaveRun });
  }
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  const [code, message] = timedOut
    ? (['timeout', 'The request timed out.'] as const)
    : (['cancelled', 'Canceled.'] as const);
  return new WorkspaceError(code, message, { cause: reason, mayHaveRun });
}

function describe(code: string, unsent: boolean, host: string, mayHaveRun: boolean): [ErrorCode, string, string] {
  if (TLS.test(code)) {
    return [
      'tls',
      `The connection to ${host} is not trusted (${code}).`,
      'Check the host. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate file.',
    ];
  }
  if (unsent) {
    return [
      'unreachable',
      `${host} cannot be reached (${code}).`,
      'Check the host name and your network, VPN and proxy.',
    ];
  }
  const fault = answerFault(code);
  if (fault !== undefined) {
    const message = `${host} ${fault} (${code}).`;
    if (mayHaveRun) return ['outcome_unknown', message, IN_DOUBT];
    return ['unreachable', message, 'Check whether a proxy or gateway in between changes its answers.'];
  }
  if (mayHaveRun) {
    return ['outcome_unknown', `The connection to ${host} was lost before it answered (${code}).`, IN_DOUBT];
  }
  if (TIMEOUTS.has(code)) return ['timeout', `${host} did not answer in time (${code}).`, 'Try again in a minute.'];
  return [
    'unreachable',
    `The connection to ${host} was cut (${code}).`,
    'Check your network, VPN and proxy, then try again.',
  ];
}

/** The system's code for a failure, from anywhere in the chain of causes (or of tried addresses). */
function systemFailure(cause: unknown): SystemFailure {
  let found: SystemFailure = { code: '', syscall: undefined };
  for (let at: unknown = cause; at instanceof Error; at = at instanceof AggregateError ? at.errors[0] : at.cause) {
    // undici gives an answer that is no HTTP no code in every case, and the answer itself as a property.
    const unnamed = at.name === 'HTTPParserError' ? 'UND_ERR_HTTP_PARSER' : '';
    const code = 'code' in at && typeof at.code === 'string' ? at.code : unnamed;
    const syscall = 'syscall' in at && typeof at.syscall === 'string' ? at.syscall : undefined;
    if (code) found = { code, syscall: syscall ?? found.syscall };
  }
  return found;
}
