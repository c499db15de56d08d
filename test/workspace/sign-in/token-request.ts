import { IncomingMessage, type ServerResponse } from 'node:http';
import { readText, sendJson } from '../http.ts';
import type { RequestLog } from '../request-log.ts';
import { ACCOUNT_CLIENT, TOKEN_EXCHANGE } from './token-exchange.ts';

/** RFC 7636 §4.1; the workspace looks at this before it looks at the client. */
const SHORTEST_VERIFIER = 43;

/**
 * A request to the token endpoint, as the provider is to see it: an exchange that names no client is the account's.
 * Undefined if it has been answered here.
 */
export async function tokenRequest(
  request: IncomingMessage,
  response: ServerResponse,
  log: RequestLog,
): Promise<IncomingMessage | undefined> {
  const form = new URLSearchParams(await readText(request));
  const grantType = form.get('grant_type');
  const entry = log.entryOf(request);
  if (entry && grantType !== null) entry.grantType = grantType;
  const verifier = form.get('code_verifier');
  if (verifier !== null && verifier.length < SHORTEST_VERIFIER) {
    sendJson(response, 400, { error: 'invalid_request', error_description: 'code_verifier is too short' });
    return undefined;
  }
  const namesClient = form.has('client_id') || request.headers.authorization !== undefined;
  if (grantType === TOKEN_EXCHANGE && !namesClient) form.set('client_id', ACCOUNT_CLIENT);
  return replayed(request, form.toString());
}

/** The same request once more, with another body: a stream is read only once. */
function replayed(request: IncomingMessage, body: string): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method ?? 'POST';
  copy.headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
  delete copy.headers['transfer-encoding'];
  copy.complete = true;
  copy.push(body);
  copy.push(null);
  return copy;
}
