import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { REFUSAL_FACTS, type RefusalKind } from '../../preload/contract/refusals.ts';
import { type AuthMethod, maySignIn } from '../auth/auth.ts';
import { missingScopeRemedy } from '../auth/oauth/scopes.ts';
import { askWhom } from '../permissions/policy/policy.ts';
import { asSentence, CausewayError } from '../platform/errors.ts';
import { foreignCause, foreignText, type SentSecrets } from '../platform/foreign-text.ts';
import { answerFault, networkFailure } from '../platform/network-failure.ts';
import type { NextAction } from '../platform/next-action.ts';
import { percentDecoded } from '../platform/percent.ts';
import { retryAfterMs } from '../platform/retry.ts';
import { SilentHostError } from '../platform/silent-host.ts';
import { refusalStep } from '../words/refusal-steps.ts';
import { REMEDIES } from '../words/remedies.ts';
import { readErrorBody, workspaceRefusal } from '../workspace/errors.ts';
import { refusalIn } from '../workspace/refusals.ts';
import { serviceOf } from '../workspace/service-name.ts';
import { transportFailure } from '../workspace/transport-error.ts';
import { parseText } from './frame/frame.ts';
import { membersOf, rpcErrorIn } from './frame/members.ts';
import { encodingOf, header, mediaType, type ResponseHead } from './http-exchange.ts';
import { FRAME_LIMIT } from './limits.ts';
import { isSafeToRepeat } from './methods.ts';

/** Why a frame got no answer from the managed server. */
export type UpstreamFailure =
  | { kind: 'refused'; head: ResponseHead; text: string }
  | { kind: 'broken'; error: Error; sent: boolean; silenceMs?: number | undefined }
  /** The event stream ended before the answer came. */
  | { kind: 'unanswered' }
  /** The server answered it with another request's id. */
  | { kind: 'misaddressed' }
  /** The answer is longer than a frame may be. */
  | { kind: 'too-long' }
  /** The server speaks the transport of revision 2024-11-05, HTTP+SSE. */
  | { kind: 'old-transport' }
  /** The server lost every session that was opened for the request, so the request was never run. */
  | { kind: 'forgotten' };

/** Which server of which workspace was asked, as whom. */
export interface FailureContext {
  host: string;
  path: string;
  profile: string;
  /** How the profile signs in. */
  by: AuthMethod;
  /** The tokens that were sent: an answer may repeat them. */
  sent?: SentSecrets;
  /** Whom users ask about what administrators have decided, as a sentence. */
  ask?: string;
}

/** Message and remedy for one kind of refusal; `detail` is the status and the workspace's own message. */
type RefusalText = (where: FailureContext, detail: string) => [message: string, remedy: string | NextAction];

/** spec/managed-mcp-endpoints.md › Errors, and the refusals that real workspaces add to it. */
const REFUSALS: Partial<Record<ErrorCode, RefusalText>> = {
  unauthenticated: ({ host, path, profile, by }) => [
    `${host} refused the sign-in of profile "${profile}" (401).`,
    { do: maySignIn({ method: by }) ? 'check-sign-in' : 'check-credentials', profile, path },
  ],
  ip_blocked: ({ host }, detail) => [
    `${host} does not accept connections from this network (${detail}).`,
    REMEDIES.ip_blocked,
  ],
  missing_scope: ({ path, profile, by }, detail) => {
    const next = missingScopeRemedy({ name: profile, method: by });
    const message = `The sign-in of profile "${profile}" does not cover ${path} (${detail}).`;
    return [message, 'action' in next ? next.action : next.remedy];
  },
  permission_denied: ({ path, profile }, detail) => [
    `The user of profile "${profile}" has no access to ${path} (${detail}).`,
    'Ask its owner for access to the catalog, schema, function, index or Genie space behind it.',
  ],
  feature_unavailable: ({ host, path }, detail) => [
    `${host} has no managed MCP server at ${path} (${detail}).`,
    'Check the path. If it is right, ask a workspace admin to enable the "Managed MCP Servers" preview.',
  ],
  not_found: ({ host, path }, detail) => [
    `${host} found nothing at ${path} (${detail}).`,
    'Check the catalog, schema, index, function or Genie space that the path names.',
  ],
  unavailable: ({ host }, detail) => [`${host} could not answer (${detail.replace(/\.$/, '')}).`, REMEDIES.unavailable],
  login_page: ({ host }) => [`A sign-in page answered instead of ${host}.`, REMEDIES.login_page],
};

/** The same for a refusal of which it is known who refuses (`refusalIn`). */
const BY_RULES: Record<RefusalKind, (where: FailureContext, detail: string) => string> = {
  'tool-selection': refusedBy,
  policy: refusedBy,
  approval: refusedBy,
  'network-policy': refusedBy,
  budget: refusedBy,
  'user-rate-limit': limits,
  'service-rate-limit': limits,
  'rate-limit': limits,
  suspended: ({ host, path }, detail) => `${path} is not switched on at ${host} (${detail}).`,
  missing: ({ host, path }, detail) => `${host} found nothing at ${path} (${detail}).`,
};

function refusedBy({ host, path }: FailureContext, detail: string): string {
  return `${host} refused the request to ${path} (${detail}).`;
}

function limits({ host }: FailureContext, detail: string): string {
  return `${host} is limiting requests (${detail}).`;
}

/**
 * An upstream failure as an error that names the host, the path and the profile, and says what to do. It always says
 * whether a call may have run.
 */
export function explainFailure(failure: UpstreamFailure, where: FailureContext, method: string): CausewayError {
  switch (failure.kind) {
    case 'refused':
      return explainRefusal(failure.head, failure.text, where, method);
    case 'broken':
      return explainBreak(failure, where, method);
    case 'unanswered':
      return unknownOutcome(`${where.host} ended the response to ${method} before it was complete.`, method);
    case 'misaddressed':
      return unknownOutcome(`${where.host} answered ${method} with the id of another request.`, method);
    case 'too-long':
      return new CausewayError('unexpected_answer', tooLong(where, method), {
        remedy: `${isSafeToRepeat(method) ? '' : 'It has probably run. '}Request less at a time.`,
      });
    case 'old-transport':
      return new CausewayError('feature_unavailable', oldTransport(where), {
        remedy:
          'Nothing was run. Ask its owner for an address that supports streamable HTTP (MCP 2025-03-26 or later).',
      });
    case 'forgotten':
      return new CausewayError('unavailable', `${where.host} drops each session as soon as it starts.`, {
        remedy: `It has not run ${method}. Try again in a minute, or ask your workspace admin.`,
      });
  }
}

function tooLong({ host }: FailureContext, method: string): string {
  return `The response of ${host} to ${method} is larger than ${FRAME_LIMIT}. It was not read to the end.`;
}

function oldTransport({ host, path }: FailureContext): string {
  return `${host} uses the old HTTP+SSE transport of MCP at ${path}. Causeway does not support it.`;
}

function explainRefusal(head: ResponseHead, text: string, where: FailureContext, method: string): CausewayError {
  const moved = otherSpelling(head, where);
  if (moved !== undefined) {
    return new CausewayError('feature_unavailable', `${where.host} redirects ${where.path} to ${moved}.`, {
      remedy: 'Nothing was run. Use that path for the server.',
    });
  }
  if (isSignInPage(head, text)) return refusalError('login_page', where, '');
  const outcome = outcomeIn(head, text, where, method);
  if (outcome !== undefined) return unknownOutcome(`${where.host} ${outcome}.`, method);
  // A challenge may be in several headers (RFC 9110 §11.6.1).
  const headerOf = (name: string) => [head.headers[name] ?? []].flat().join(', ') || undefined;
  if (head.status === 401 && asksForConnection(where.path, headerOf('www-authenticate'))) return notConnected(where);
  const body = readErrorBody({ status: head.status, text, header: headerOf }, where.sent ?? []);
  return explainStatus(head, { ...body, rpcCode: rpcErrorIn(parseText(text))?.code }, where, method);
}

/** What an answer may hold instead of a refusal. It is not quoted, because it can be the result itself. */
function outcomeIn(
  head: ResponseHead,
  text: string,
  { sent = [] }: FailureContext,
  method: string,
): string | undefined {
  if (head.status < 300) {
    const form = [mediaType(head), encodingOf(head) ?? ''].filter((word) => word !== '').join(', ');
    return `did not answer ${method} with a valid MCP message (${foreignText(form, { sent, maxLength: 80 }) || 'no type'})`;
  }
  const hasResult = Object.hasOwn(membersOf(parseText(text)), 'result');
  return hasResult ? `answered ${method} with status ${head.status} and a result` : undefined;
}

function explainStatus(
  head: ResponseHead,
  body: ReturnType<typeof readErrorBody> & { rpcCode: number | undefined },
  where: FailureContext,
  method: string,
): CausewayError {
  const known = workspaceRefusal('POST', head.status, body);
  if (known.code === 'login_page') return refusalError('login_page', where, '');
  const detail = refusalDetail(head.status, body);
  const retryAfter = retryAfterMs(header(head, 'retry-after'));
  const { errorCode, rpcCode, message: words } = body;
  const isService = serviceOf(where.path) !== undefined;
  const refusal = refusalIn({ status: head.status, rpcCode, errorCode, words, isService });
  if (refusal) {
    const remedy = refusalStep(refusal, { path: where.path, ask: where.ask ?? askWhom(null) });
    const { code } = REFUSAL_FACTS[refusal];
    return new CausewayError(code, BY_RULES[refusal](where, detail), { remedy, refusal, retryAfterMs: retryAfter });
  }
  const code = head.status === 401 ? 'unauthenticated' : head.status >= 500 ? 'unavailable' : known.code;
  if (!(code in REFUSALS)) {
    const { remedy, action } = known;
    return new CausewayError(code, asSentence(`${where.host} answered ${detail}`), { remedy, action });
  }
  const error = refusalError(code, where, detail, retryAfter);
  const mayHaveRun = known.mayHaveRun && !isSafeToRepeat(method);
  return mayHaveRun ? new CausewayError(code, error.message, { remedy: MAY_HAVE_RUN }) : error;
}

/** A refusal's status, and what the server says about it. */
export function refusalDetail(status: number, { message }: ReturnType<typeof readErrorBody>): string {
  return message === 'no explanation' || message === '' ? String(status) : `${status}: ${message}`;
}

const CONNECTION_PATH = /^\/api\/2\.0\/mcp\/external\/([^/?#]+)/;

/**
 * Whether a refusal may be about the connection behind an external server: it names where to sign in (RFC 9728 §5.1), and does
 * not say that the token is bad. How workspaces ask for such a sign-in is not documented, and no API tells whether there is one.
 */
function asksForConnection(path: string, challenge: string | undefined): boolean {
  return (
    CONNECTION_PATH.test(path) &&
    /\bresource_metadata\b/i.test(challenge ?? '') &&
    !challenge?.includes('invalid_token')
  );
}

function notConnected({ host, path, profile }: FailureContext): CausewayError {
  const name = percentDecoded(CONNECTION_PATH.exec(path)?.[1] ?? '');
  const message = `${host} refused the request (401). Connection "${foreignText(name, { maxLength: 200 })}" may need its own sign-in. Nothing was run.`;
  return new CausewayError('service_signed_out', message, {
    remedy: 'Open the connection in the workspace and sign in to it there, then try again.',
    action: { do: 'sign-in-again', profile },
  });
}

function refusalError(code: ErrorCode, where: FailureContext, detail: string, retryAfterMs?: number): CausewayError {
  const [message, next] = REFUSALS[code]?.(where, detail) ?? [detail, ''];
  const todo = typeof next === 'string' ? { remedy: next } : { action: next };
  return new CausewayError(code, message, { ...todo, retryAfterMs });
}

/** The path that a redirect leads to, if that differs only in its last slash: web frameworks redirect so. */
function otherSpelling(head: ResponseHead, { host, path }: FailureContext): string | undefined {
  const location = header(head, 'location') ?? '';
  const base = `https://${host}`;
  if (head.status < 301 || head.status > 308 || !URL.canParse(location, base)) return undefined;
  const target = new URL(location, base);
  const isSame = target.host === host && target.pathname.replace(/\/$/, '') === path.replace(/\/$/, '');
  return isSame && target.pathname !== path ? target.pathname : undefined;
}

/** A redirect, or a web page with a good status: no managed server answers with either. */
function isSignInPage(head: ResponseHead, text: string): boolean {
  if (head.status >= 300 && head.status < 400) return !(header(head, 'location') ?? '').includes('private-link');
  return head.status < 300 && /^\s*<(!doctype|!--|\?xml|html|head|body|meta|script)/i.test(text);
}

type Broken = Extract<UpstreamFailure, { kind: 'broken' }>;

function explainBreak({ error, sent, silenceMs }: Broken, where: FailureContext, method: string): CausewayError {
  // No connection could be opened, because of a setting of this computer.
  if (error instanceof CausewayError) return error;
  const { kind, code } = networkFailure(error);
  const cause = foreignCause(error, where.sent);
  if (sent && kind === 'timeout') return timedOut(silenceMs, where, method, cause);
  if (sent && kind === 'cut' && !isSafeToRepeat(method)) {
    const fault = answerFault(code);
    const message = fault ? `${where.host} ${fault} (${code}).` : lostBefore(where, method);
    return unknownOutcome(message, method, cause);
  }
  const tunnel = TUNNEL_REFUSED.exec(error.message);
  if (tunnel) {
    return new CausewayError('unreachable', `The proxy does not connect to ${where.host} (${tunnel[1]}).`, {
      remedy:
        "Check the address, user name and password in HTTPS_PROXY or in this computer's settings, or add the host to NO_PROXY.",
      cause,
    });
  }
  // At this point the request is safe to repeat, like a GET.
  return transportFailure(error, { method: 'GET', host: where.host, sent: where.sent ?? [] }).error;
}

function timedOut(
  silenceMs: number | undefined,
  { host }: FailureContext,
  method: string,
  cause: unknown,
): CausewayError {
  if (silenceMs !== undefined && BEGINS_SESSION.has(method)) return new SilentHostError(host, silenceMs);
  const howLong = silenceMs === undefined ? 'for minutes' : `within ${Math.round(silenceMs / 1000)} seconds`;
  const isSafe = isSafeToRepeat(method);
  const remedy = isSafe ? 'Try again in a minute.' : 'It may still be running. Check the result before you repeat it.';
  return new CausewayError('timeout', `${host} has not answered ${method} ${howLong}.`, { remedy, cause });
}

function lostBefore({ host }: FailureContext, method: string): string {
  return `The connection to ${host} was lost before it answered ${method}.`;
}

const BEGINS_SESSION = new Set(['initialize', 'server/discover']);

/** undici gives the status of a refused CONNECT in no other way. */
const TUNNEL_REFUSED = /^Proxy response \((\d+)\)/;

const MAY_HAVE_RUN = 'It may have run. Check the result before you repeat it.';

function unknownOutcome(message: string, method: string, cause?: unknown): CausewayError {
  const remedy = isSafeToRepeat(method) ? 'Try again in a minute.' : MAY_HAVE_RUN;
  return new CausewayError('outcome_unknown', message, { remedy, cause });
}
