import { z } from 'zod';
import { foreignText, type SentSecrets } from '../platform/foreign-text.ts';

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
 * what fits none of them is quoted. What it gives may stand in an error: servers and gateways echo requests.
 * @param sent the secrets that went out with the request
 */
export function readErrorBody(answer: RawAnswer, sent: SentSecrets): ErrorBody {
  const { requestId, errorCode, message, ...found } = findError(answer);
  return {
    ...found,
    errorCode: foreignText(errorCode, { sent, maxLength: 100 }),
    message: foreignText(message, { sent }) || 'no explanation',
    requestId: requestId === undefined ? undefined : foreignText(requestId, { sent, maxLength: 100 }),
  };
}

function findError(answer: RawAnswer): ErrorBody {
  const requestId = answer.header('x-request-id') ?? answer.header('x-databricks-request-id');
  const location = answer.header('location') ?? '';
  if (location.includes('error=private-link-validation-error')) {
    const message = 'The workspace can be reached over its private link only.';
    return { kind: 'private-link', errorCode: 'PRIVATE_LINK_VALIDATION_ERROR', message, requestId };
  }
  if (answer.status >= 300 && answer.status < 400) {
    const [where] = location.split('?');
    return { kind: 'redirect', errorCode: '', message: `a redirect to ${where || 'nowhere'}`, requestId };
  }
  const found = fromJson(answer.text) ?? fromText(answer.text) ?? fromHtml(answer.text);
  if (!found) return { kind: 'other', errorCode: '', message: answer.text, requestId };
  return { ...found, requestId: requestId ?? found.requestId };
}

function fromJson(text: string): ErrorBody | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const rest = Rest.safeParse(json);
  if (rest.success && (rest.data.error_code !== undefined || rest.data.message !== undefined)) {
    const requestId = rest.data.details?.find((detail) => detail.request_id !== undefined)?.request_id;
    return { kind: 'rest', errorCode: rest.data.error_code ?? '', message: rest.data.message ?? '', requestId };
  }
  const api12 = Api12.safeParse(json);
  if (api12.success) {
    const message = api12.data.error_description ?? api12.data.error;
    return { kind: 'api-1.2', errorCode: '', message, requestId: undefined };
  }
  const rpc = Rpc.safeParse(json);
  if (rpc.success) return { kind: 'other', errorCode: '', message: rpc.data.error.message, requestId: undefined };
  const scim = Scim.safeParse(json);
  if (!scim.success) return undefined;
  return { kind: 'scim', errorCode: scim.data.scimType ?? '', message: scim.data.detail, requestId: undefined };
}

function fromText(text: string): ErrorBody | undefined {
  const match = /^([A-Z][A-Z0-9_]+): (.*)$/s.exec(text.trim());
  if (!match) return undefined;
  return { kind: 'text', errorCode: match[1] ?? '', message: match[2] ?? '', requestId: undefined };
}

/** How much of a page is looked at, in characters: to look for tags that do not end takes as long as their number squared. */
const PAGE_LENGTH = 8 * 1024;

function fromHtml(page: string): ErrorBody | undefined {
  const text = page.slice(0, PAGE_LENGTH);
  if (!/<html|<!doctype html|<pre/i.test(text.slice(0, 2000))) return undefined;
  const pre = /<pre[^>]*>(.*?)<\/pre>/is.exec(text)?.[1] ?? /<title[^>]*>(.*?)<\/title>/is.exec(text)?.[1];
  const message = (pre ?? 'a web page instead of an answer').replace(/<[^>]*>/g, ' ');
  return {
    kind: pre !== undefined && /<pre/i.test(text) ? 'html' : 'page',
    errorCode: '',
    message,
    requestId: undefined,
  };
}
