import type { ServerResponse } from 'node:http';
import type { BehaviorName } from './behaviors.ts';
import { errorBody, ScimFault, sendFault, sendJson } from './http.ts';
import type { RestFault } from './model.ts';

/** How the answers of the REST API look on the wire, by the workspace's behaviors. */

/** An answer whose text is ready, such as one with numbers that JavaScript cannot hold. */
export class ReadyJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function sendAnswer(
  response: ServerResponse,
  path: string,
  body: unknown,
  behaviors: ReadonlySet<BehaviorName>,
): void {
  if (body instanceof ReadyJson) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body.text);
    return;
  }
  sendJson(response, 200, shaped(path, body, behaviors));
}

/** The parts of the API whose records are written by Go, which leaves zero values out. */
const WRITTEN_BY_GO = ['/api/warehouses/', '/api/2.0/sql/', '/api/2.0/settings/', '/api/2.0/permissions/'];

/** Fields that no client needs: they are known from elsewhere, or only shown. */
const OPTIONAL = new Set([
  'default_warehouse_override_id',
  'setting_name',
  'size',
  'jdbc_url',
  'odbc_params',
  'num_active_sessions',
  'display_name',
  'object_id',
  'object_type',
  'emails',
  'entitlements',
  'roles',
  'totalResults',
  'itemsPerPage',
]);

function shaped(path: string, body: unknown, behaviors: ReadonlySet<BehaviorName>): unknown {
  const dropsZero = behaviors.has('omitsZeroValues') && WRITTEN_BY_GO.some((prefix) => path.startsWith(prefix));
  const dropsOptional = behaviors.has('omitsOptionalFields');
  if (!dropsZero && !dropsOptional) return body;
  const isKept = (name: string, value: unknown) =>
    !(dropsOptional && OPTIONAL.has(name)) && !(dropsZero && isZero(value));
  return withFields(body, isKept);
}

function withFields(value: unknown, isKept: (name: string, value: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withFields(item, isKept));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).map(([name, field]) => [name, withFields(field, isKept)] as const);
  return Object.fromEntries(kept.filter(([name, field]) => isKept(name, field)));
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === 0 || value === '';
}

/** What a refusal says where it does not say what it is about. */
const OTHER_TEXTS: Record<number, string> = {
  400: 'The request cannot be processed as given.',
  403: 'The caller is not authorized to perform this operation.',
  404: 'The requested entity could not be located.',
  409: 'The entity is in conflict with the request.',
};

/** A refusal, in the form in which this workspace writes it. */
export function sendRefusal(response: ServerResponse, fault: RestFault, behaviors: ReadonlySet<BehaviorName>): void {
  const text = OTHER_TEXTS[fault.status];
  if (behaviors.has('otherErrors') && text !== undefined && !isKnownByItsText(fault)) sendOther(response, fault, text);
  else sendFault(response, fault);
}

/** An unknown address is told from a missing record by its code alone, and the scope that a token lacks by the text. */
function isKnownByItsText({ errorCode, message }: RestFault): boolean {
  return errorCode === 'ENDPOINT_NOT_FOUND' || /required scopes/.test(message);
}

/** The other forms of errors (facts/workspace.md §7), one for each status. */
function sendOther(response: ServerResponse, fault: RestFault, text: string): void {
  const { status } = fault;
  if (fault instanceof ScimFault) sendJson(response, status, { detail: text, status: String(status) });
  else if (status === 400) send(response, status, 'text/plain', `BAD_REQUEST: ${text}`);
  else if (status === 404) send(response, status, 'text/html', `<html><body><pre>${text}</pre></body></html>`);
  else if (status === 409) sendJson(response, status, { error: text });
  else sendJson(response, status, errorBody('CUSTOMER_UNAUTHORIZED', text));
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}
