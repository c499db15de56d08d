import type { IncomingMessage, ServerResponse } from 'node:http';
import { endpointNotFound } from './http.ts';
import type { Principal } from './model.ts';
import type { ReplaceableState } from './state.ts';

/** The managed MCP servers, loaded when the first request for one of them comes. */
export interface Managed {
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal, url: URL): Promise<void>;
  expireSessions(how: 404 | 410): void;
  close(): Promise<void>;
}

export function createManaged(_state: ReplaceableState): Managed {
  return {
    handle: async (request, _response, _principal, url) => {
      throw endpointNotFound(request.method ?? 'GET', url.pathname);
    },
    expireSessions: () => undefined,
    close: async () => undefined,
  };
}
