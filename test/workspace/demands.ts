import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { BehaviorName } from './behaviors.ts';
import { type Call, type Route, readJson } from './http.ts';
import { RestFault } from './model.ts';

/** What a workspace demands of a REST request before it is handled, by its behaviors. */

/** @throws {RestFault} 400, 406 or 415 */
export async function readRequest(
  request: IncomingMessage,
  url: URL,
  route: Route,
  behaviors: ReadonlySet<BehaviorName>,
): Promise<unknown> {
  if (behaviors.has('refusesUnknownParameters')) checkParameters(route, url);
  if (behaviors.has('demandsJson')) checkAccept(request);
  if (request.method === 'GET' || request.method === 'DELETE') return undefined;
  const body = await readJson(request);
  if (behaviors.has('demandsJson') && body !== undefined) checkContentType(request);
  return body;
}

function checkParameters(route: Route, url: URL): void {
  const known = route.query ?? [];
  for (const name of url.searchParams.keys()) {
    if (route.repeated?.includes(name)) continue;
    if (!known.includes(name)) throw invalid(`Unknown query parameter: ${name}`);
    if (url.searchParams.getAll(name).length > 1) throw invalid(`The query parameter ${name} is given twice.`);
  }
}

function checkAccept({ headers }: IncomingMessage): void {
  const types = (headers.accept ?? '*/*').split(',').map((type) => type.split(';')[0]?.trim());
  if (types.some((type) => type === '*/*' || type === 'application/*' || type === 'application/json')) return;
  throw new RestFault(406, 'NOT_ACCEPTABLE', `Answers are application/json, and not ${headers.accept}.`);
}

function checkContentType({ headers }: IncomingMessage): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  throw new RestFault(415, 'UNSUPPORTED_MEDIA_TYPE', 'The Content-Type of a request body must be application/json.');
}

/** Refuses fields that no record of this kind has, where the workspace looks for them. @throws {RestFault} 400 */
export function checkFields({ behaviors, body }: Call, known: readonly string[]): void {
  if (!behaviors.has('refusesUnknownFields')) return;
  const fields = z.record(z.string(), z.unknown()).safeParse(body).data ?? {};
  for (const name of Object.keys(fields)) if (!known.includes(name)) throw invalid(`Unknown field: ${name}`);
}

function invalid(message: string): RestFault {
  return new RestFault(400, 'INVALID_PARAMETER_VALUE', message);
}
