import { memberAt } from './frame/members.ts';

/** Where a request of revision 2026-07-28 names its client. */
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/**
 * What a client calls itself in a message: in `initialize`, or in each request of the stateless revision (MCP 2026-07-28 › Request
 * Metadata). Undefined where it does not.
 */
export function clientNamedIn(json: unknown): string | undefined {
  const isOpening = memberAt(json, 'method') === 'initialize';
  return clientNameOf(
    isOpening ? memberAt(json, 'params', 'clientInfo') : memberAt(json, 'params', '_meta', CLIENT_INFO),
  );
}

/** The name in `clientInfo`. */
export function clientNameOf(clientInfo: unknown): string | undefined {
  const name = memberAt(clientInfo, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}
