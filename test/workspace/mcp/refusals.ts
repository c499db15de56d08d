import { z } from 'zod';
import { errorBody } from '../http.ts';
import type { NamedServer } from './services.ts';
import type { ManagedServerSettings } from './settings.ts';

/** What the gateway refuses by the rules of administrators, in the wordings that are known. */

interface Wording {
  /** The JSON-RPC code, where it comes as such an error. */
  code: number;
  /** The status, where it comes as the REST APIs word it. */
  status: number;
  errorCode: string;
  /** `{service}` stands for the name of the service. */
  words: string;
}

const byRule = (words: string): Wording => ({ code: -32003, status: 403, errorCode: 'PERMISSION_DENIED', words });
const limit = (of: string): Wording => ({
  code: -32000,
  status: 429,
  errorCode: 'REQUEST_LIMIT_EXCEEDED',
  words: `User defined rate limit(s) exceeded for '{service}'. Requests-per-minute (RPM) rate limit exceeded for ${of}`,
});

export const WORDINGS = {
  'tool-selection': byRule('Tool not allowed by MCP service configuration.'),
  /** A policy's own reason, which administrators write. */
  policy: byRule('Customer names stay in the workspace'),
  approval: byRule('Writes to production need the approval of a data steward.'),
  guardrail: byRule('Access denied: this request is not permitted by a policy on this service.'),
  'rate-limit-user': limit('user'),
  'rate-limit-service': limit('endpoint'),
  'rate-limit': { code: -32000, status: 429, errorCode: 'REQUEST_LIMIT_EXCEEDED', words: 'Too many requests' },
  'network-policy': {
    code: -32603,
    status: 403,
    errorCode: 'CUSTOMER_UNAUTHORIZED',
    words: 'CUSTOMER_UNAUTHORIZED: Access to api.github.com is denied because of serverless network policy.',
  },
  budget: {
    code: -32000,
    status: 403,
    errorCode: 'PERMISSION_DENIED',
    words: 'The spend budget of this workspace is exceeded.',
  },
  suspended: {
    code: -32000,
    status: 400,
    errorCode: 'BAD_REQUEST',
    words: 'The MCP service is administratively suspended.',
  },
} satisfies Record<string, Wording>;

const RULES = Object.keys(WORDINGS).filter((name): name is keyof typeof WORDINGS => name in WORDINGS);

/** A refusal that tests switch on. It lasts until the settings are others. */
export const gatewayRefusal = z.strictObject({
  rule: z.enum(RULES),
  /** In place of the known wording. */
  words: z.string().optional(),
  /** The full name of a service; every one if left out. */
  service: z.string().optional(),
  /** `tools/call` if left out. */
  method: z.string().optional(),
  tool: z.string().optional(),
  /** A JSON-RPC error as JSON, the default, or as an event stream; or an error of the REST APIs. */
  form: z.enum(['json', 'sse', 'rest']).optional(),
  /** 200 for a JSON-RPC error and the wording's own for the other form, if left out. */
  status: z.int().optional(),
  retryAfter: z.string().optional(),
});

export type GatewayRefusal = z.infer<typeof gatewayRefusal>;

interface RefusedQuestion {
  settings: ManagedServerSettings;
  request: Request;
  body: unknown;
  calls: { method: string; tool?: string }[];
}

/** The answer to a request that the rules of the gateway forbid; undefined if none does. A batch is refused if one of its requests is. */
export function refusalAnswer(server: NamedServer, question: RefusedQuestion): Response | undefined {
  const { service } = server;
  const refusal = service === undefined ? undefined : refusalOf(server, service, question);
  return refusal && service !== undefined ? written(refusal, service, question.body) : undefined;
}

function refusalOf(server: NamedServer, service: string, question: RefusedQuestion): GatewayRefusal | undefined {
  const { settings, request, calls } = question;
  if (calls.some(({ tool }) => tool !== undefined && server.hidesTool?.(tool))) return { rule: 'tool-selection' };
  const { demandedTag } = settings;
  const isCall = calls.some(({ method }) => method === 'tools/call');
  if (demandedTag !== undefined && isCall && tagsOf(request)[demandedTag] === undefined) {
    return { rule: 'policy', words: `Requests need the tag ${demandedTag}.` };
  }
  return settings.refusals.find(
    (each) =>
      (each.service ?? service) === service &&
      calls.some(({ method, tool }) => method === (each.method ?? 'tools/call') && (each.tool ?? tool) === tool),
  );
}

const Tags = z.record(z.string(), z.string());

/** The tags of a request: one line of JSON, text to text. What is none has no tags. */
function tagsOf(request: Request): Record<string, string> {
  const text = request.headers.get('databricks-ai-gateway-request-tags');
  if (text === null) return {};
  try {
    return Tags.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

const Asked = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

function written(refusal: GatewayRefusal, service: string, body: unknown): Response {
  const wording: Wording = WORDINGS[refusal.rule];
  const message = (refusal.words ?? wording.words).replace('{service}', service);
  const headers: Record<string, string> = refusal.retryAfter === undefined ? {} : { 'retry-after': refusal.retryAfter };
  if (refusal.form === 'rest') {
    const status = refusal.status ?? wording.status;
    return Response.json(errorBody(wording.errorCode, message), { status, headers });
  }
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const errors = messages.flatMap((one) => {
    const asked = Asked.safeParse(one).data;
    return asked ? [{ jsonrpc: '2.0', id: asked.id, error: { code: wording.code, message } }] : [];
  });
  const status = refusal.status ?? 200;
  if (refusal.form !== 'sse') return Response.json(Array.isArray(body) ? errors : errors[0], { status, headers });
  const events = errors.map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`).join('');
  return new Response(events, { status, headers: { ...headers, 'content-type': 'text/event-stream' } });
}
