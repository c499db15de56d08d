import type { Call, Route } from '../http.ts';
import { type StatementRecord, statementBody } from '../mcp/statements.ts';
import { RestFault } from '../model.ts';

/**
 * Single statements, by their ids: shown to who ran them, and canceled. Neither says on which warehouse they run
 * (facts/observability.md §1e).
 */

const AT = '/api/2.0/sql/statements/:id';

export const statementRoutes: Route[] = [
  { method: 'GET', path: AT, scopes: ['sql'], handle: (call) => statementBody(find(call)) },
  { method: 'POST', path: `${AT}/cancel`, scopes: ['sql'], handle: cancel },
];

function cancel(call: Call): unknown {
  find(call).ending.abort();
  return {};
}

function find({ statements, principal, params }: Call): StatementRecord {
  const found = statements.find(({ statementId, user }) => statementId === params.id && user.id === principal.user.id);
  if (!found) throw new RestFault(404, 'NOT_FOUND', `The statement ${params.id} was not found.`);
  return found;
}
