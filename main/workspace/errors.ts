import { z } from 'zod';
import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { REFUSAL_FACTS } from '../../preload/contract/refusals.ts';
import { SAYS_SCOPES_ARE_MISSING } from '../auth/oauth/scopes.ts';
import { asSentence, CausewayError, type CausewayErrorOptions } from '../platform/errors.ts';
import { foreignText, type SentSecrets } from '../platform/foreign-text.ts';
import type { NextAction } from '../platform/next-action.ts';
import { REMEDIES } from '../words/remedies.ts';
import { refusalIn } from './refusals.ts';

export interface WorkspaceErrorOptions extends CausewayErrorOptions {
  /** The response's HTTP status; absent if no response arrived. */
  status?: number | undefined;
  /** The workspace's own word, such as `RESOURCE_DOES_NOT_EXIST`. */
  errorCode?: string | undefined;
  requestId?: string | undefined;
  /** What the workspace said, word for word; absent if it said nothing. */
  said?: string | undefined;
  mayHaveRun?: boolean;
}

/**
 * A REST request that failed, whether the workspace refused it or no usable answer arrived. Switch on `code`;
 * `errorCode` and `requestId` are for support and for the one case that statuses do not settle (a missing API).
 */
export class WorkspaceError extends CausewayError {
  readonly status: number | undefined;
  readonly errorCode: string;
  readonly requestId: string | undefined;
  /** What the workspace said, word for word, apart from secrets; undefined if it said nothing. */
  readonly said: string | undefined;
  /** Whether the workspace may have carried the request out in spite of the error. */
  readonly mayHaveRun: boolean;

  constructor(code: ErrorCode, message: string, options: WorkspaceErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status;
    this.errorCode = options.errorCode ?? '';
    this.requestId = options.requestId;
    this.said = options.said;
    this.mayHaveRun = options.mayHaveRun ?? false;
  }

  /** The same refusal, for a request whose earlier attempt may have run. */
  mayHaveRunBefore(): WorkspaceError {
    const { code, message, remedy, action, cause } = this;
    return new WorkspaceError(code, message, { ...this.#facts, remedy, action, cause, mayHaveRun: true });
  }

  /** The same failure with another thing to do about it. */
  withNext(next: Pick<WorkspaceErrorOptions, 'remedy' | 'action'>): WorkspaceError {
    const { code, message, cause } = this;
    return new WorkspaceError(code, message, { ...this.#facts, cause, ...next });
  }

  /** The same failure with a message that fits the operation. */
  rephrased(code: ErrorCode, message: string, remedy: string | undefined, action?: NextAction): WorkspaceError {
    return new WorkspaceError(code, message, { ...this.#facts, remedy, action, cause: this });
  }

  get #facts() {
    const { status, errorCode, requestId, said, mayHaveRun } = this;
    return { status, errorCode, requestId, said, mayHaveRun };
  }
}

const CODE_BY_STATUS: Record<number, ErrorCode> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  407: 'login_page',
  501: 'feature_unavailable',
  // A network that wants a sign-in of its own (RFC 6585 §6).
  511: 'login_page',
};

const INSUFFICIENT_SCOPE = 'insufficient_scope';

/** Error codes that are more specific than their status; otherwise the status decides. */
const CODE_BY_ERROR_CODE: Record<string, ErrorCode> = {
  ENDPOINT_NOT_FOUND: 'feature_unavailable',
  FEATURE_DISABLED: 'feature_unavailable',
  NOT_IMPLEMENTED: 'feature_unavailable',
  ALREADY_EXISTS: 'already_exists',
  RESOURCE_ALREADY_EXISTS: 'already_exists',
  // RFC 6750 §3.1.
  [INSUFFICIENT_SCOPE]: 'missing_scope',
};

/** Refusals without the data with which the workspace gives its reasons, by status and kind. */
const CODE_BY_KIND: Record<string, ErrorCode> = {
  // That of a proxy, a gateway or a hotel.
  '403 page': 'login_page',
  // From something in front of the API, not from a missing record.
  '404 page': 'feature_unavailable',
  '404 other': 'feature_unavailable',
};

/** Refusals that share a status and differ only in their text. */
const CODE_BY_MESSAGE: [status: number, pattern: RegExp, code: ErrorCode][] = [
  [403, /invalid (access )?token|token (is|has) (been )?(invalid|expired|revoked)/i, 'unauthenticated'],
  // AI Gateway says so with the bare text (`Invalid Token`).
  [400, /^invalid token\.?$/i, 'unauthenticated'],
  [403, SAYS_SCOPES_ARE_MISSING, 'missing_scope'],
  [403, /blocked by .*IP (ACL|access list)/i, 'ip_blocked'],
  [403, /private.link/i, 'ip_blocked'],
];

/** The remedy for every error that leaves open whether a change was made. */
export const IN_DOUBT = 'The change may have taken effect. Check the current state before you repeat it.';

/** Statuses of 500 and above that say that nothing was done. */
const NEVER_REACHED_IT = new Set([501, 503, 511]);

/** Stands for what a refusal does not say. */
const NO_EXPLANATION = 'no explanation';
/** The kinds of refusals whose message is Causeway's, for they have none. */
const OWN_WORDS: ReadonlySet<ErrorBody['kind']> = new Set(['private-link', 'redirect', 'page']);

/** Turns a refusal into the error that is thrown for it. `method` decides whether it may have run anyway. */
export function workspaceRefusal(method: string, status: number, body: ErrorBody): WorkspaceError {
  const code = classify(status, body);
  // A gateway's 500, 502 or 504 says nothing about what happened behind it.
  const mayHaveRun = method !== 'GET' && status >= 500 && !NEVER_REACHED_IT.has(status);
  const known: Partial<Record<ErrorCode, string>> = REMEDIES;
  const remedy = mayHaveRun ? IN_DOUBT : known[code];
  return new WorkspaceError(code, asSentence(`The workspace answered ${status}: ${body.message}`), {
    status,
    errorCode: body.errorCode,
    requestId: body.requestId,
    said: OWN_WORDS.has(body.kind) || body.message === NO_EXPLANATION ? undefined : body.message,
    mayHaveRun,
    remedy,
  });
}

function classify(status: number, body: ErrorBody): ErrorCode {
  if (body.kind === 'private-link') return 'ip_blocked';
  if (status >= 300 && status < 400) return 'login_page';
  const refusal = refusalIn({ status, words: body.message, errorCode: body.errorCode, isService: false });
  if (refusal) return REFUSAL_FACTS[refusal].code;
  const byMessage = CODE_BY_MESSAGE.find(([when, pattern]) => when === status && pattern.test(body.message));
  if (byMessage) return byMessage[2];
  const known = CODE_BY_KIND[`${status} ${body.kind}`] ?? CODE_BY_ERROR_CODE[body.errorCode] ?? CODE_BY_STATUS[status];
  return known ?? (status >= 500 ? 'unavailable' : 'unexpected_answer');
}

/** What a refusal says about itself, whichever of its five spellings it came in. */
export interface ErrorBody {
  kind: 'rest' | 'api-1.2' | 'scim' | 'text' | 'html' | 'page' | 'private-link' | 'redirect' | 'other';
  errorCode: string;
  message: string;
  requestId: string | undefined;
}

export interface RawAnswer {
  status: number;
  text: string;
  /** The value of a response header, by its lower-case name. */
  header(name: string): string | undefined;
}

const Details = z.array(z.looseObject({ request_id: z.string().optional() })).catch([]);
const Rest = z.looseObject({
  error_code: z.union([z.string(), z.number().transform(String)]).optional(),
  message: z.string().optional(),
  details: Details.optional(),
});
const Api12 = z.looseObject({ error: z.string(), error_description: z.string().optional() });
/** An MCP server's own refusal (JSON-RPC 2.0 §5.1). */
const Rpc = z.looseObject({ error: z.looseObject({ message: z.string() }) });
const Scim = z.looseObject({ detail: z.string(), scimType: z.string().optional() });

/**
 * Reads a refusal in the order in which the workspace's own clients do: REST, API 1.2, SCIM, `CODE: message` text,
 * HTML with `<pre>`, the private-link redirect. A web page that is none of the workspace's is a `page`. Never throws:
 * what fits none of them is quoted. What it gives may be in an error: servers and gateways echo requests.
 * @param sent the secrets that went out with the request
 */
export function readErrorBody(answer: RawAnswer, sent: SentSecrets): ErrorBody {
  const found = findError(answer);
  const requestId = answer.header('x-request-id') ?? answer.header('x-databricks-request-id') ?? found.requestId;
  return {
    kind: found.kind,
    errorCode: foreignText(found.errorCode ?? '', { sent, maxLength: 100 }),
    message: foreignText(found.message, { sent }) || NO_EXPLANATION,
    requestId: requestId === undefined ? undefined : foreignText(requestId, { sent, maxLength: 100 }),
  };
}

/** An error as one of its spellings has it. */
interface FoundError extends Pick<ErrorBody, 'kind' | 'message'> {
  errorCode?: string | undefined;
  requestId?: string | undefined;
}

function findError(answer: RawAnswer): FoundError {
  const { text } = answer;
  const redirect = fromLocation(answer);
  if (redirect) return redirect;
  const found = fromJson(text) ?? fromText(text) ?? fromHtml(text);
  const lacking = scopeInChallenge(answer);
  if (lacking === undefined) return found ?? { kind: 'other', message: text };
  const message = found?.message || lacking;
  return { kind: 'other', errorCode: INSUFFICIENT_SCOPE, message, requestId: found?.requestId };
}

function fromLocation({ status, header }: RawAnswer): FoundError | undefined {
  const location = header('location') ?? '';
  if (location.includes('error=private-link-validation-error')) {
    const message = 'The workspace can be reached only over its private link.';
    return { kind: 'private-link', errorCode: 'PRIVATE_LINK_VALIDATION_ERROR', message };
  }
  if (status < 300 || status >= 400) return undefined;
  const [where] = location.split('?');
  return { kind: 'redirect', message: `a redirect to ${where || 'nowhere'}` };
}

/** What a challenge says that the token lacks; undefined if it says nothing about that (RFC 6750 §3). */
function scopeInChallenge(answer: RawAnswer): string | undefined {
  const challenge = answer.header('www-authenticate') ?? '';
  if (answer.status !== 403 || !/\berror\s*=\s*"?insufficient_scope\b/i.test(challenge)) return undefined;
  const scope = /\bscope\s*=\s*"([^"\\]+)"/i.exec(challenge)?.[1];
  return scope === undefined ? INSUFFICIENT_SCOPE : `${INSUFFICIENT_SCOPE}: ${scope}`;
}

/** The spellings in JSON, in the order in which they are tried. */
const FROM_JSON: ((json: unknown) => FoundError | undefined)[] = [
  (json) => {
    const { error_code: errorCode, message, details } = Rest.safeParse(json).data ?? {};
    if (errorCode === undefined && message === undefined) return undefined;
    const requestId = details?.find((detail) => detail.request_id !== undefined)?.request_id;
    return { kind: 'rest', errorCode, message: message ?? '', requestId };
  },
  (json) => {
    const found = Api12.safeParse(json).data;
    if (!found) return undefined;
    const errorCode = found.error === INSUFFICIENT_SCOPE ? found.error : '';
    return { kind: 'api-1.2', errorCode, message: found.error_description ?? found.error };
  },
  (json) => {
    const found = Rpc.safeParse(json).data;
    return found && { kind: 'other', message: found.error.message };
  },
  (json) => {
    const found = Scim.safeParse(json).data;
    return found && { kind: 'scim', errorCode: found.scimType, message: found.detail };
  },
];

function fromJson(text: string): FoundError | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (const read of FROM_JSON) {
    const found = read(json);
    if (found) return found;
  }
  return undefined;
}

function fromText(text: string): FoundError | undefined {
  const [, errorCode, message = ''] = /^([A-Z][A-Z0-9_]+): (.*)$/s.exec(text.trim()) ?? [];
  return errorCode === undefined ? undefined : { kind: 'text', errorCode, message };
}

/** How much of a page is looked at, in characters: to look for tags that do not end takes as long as their number squared. */
const PAGE_LENGTH = 8 * 1024;

function fromHtml(page: string): FoundError | undefined {
  const text = page.slice(0, PAGE_LENGTH);
  if (!/<html|<!doctype html|<pre/i.test(text.slice(0, 2000))) return undefined;
  const pre = /<pre[^>]*>(.*?)<\/pre>/is.exec(text)?.[1] ?? /<title[^>]*>(.*?)<\/title>/is.exec(text)?.[1];
  const message = (pre ?? 'a web page instead of a response').replace(/<[^>]*>/g, ' ');
  return { kind: pre !== undefined && /<pre/i.test(text) ? 'html' : 'page', message };
}

/** What the workspace said with a refusal, word for word; undefined for every other error. */
export function saidBy(error: unknown): string | undefined {
  return error instanceof WorkspaceError ? error.said : undefined;
}
