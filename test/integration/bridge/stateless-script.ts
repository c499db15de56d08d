import type { ServerResponse } from 'node:http';
import { type Arrival, json, result, type Script } from './scripted-server.ts';

const DISCOVERED = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  instructions: 'Ask in SQL.',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '2' } },
};

/** Answers with a status and a JSON-RPC error, as the stateless revision refuses. */
export function refuse(response: ServerResponse, status: number, id: unknown, code: number, data?: unknown): void {
  const error = { code, message: `refused with ${code}`, ...(data === undefined ? {} : { data }) };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

/** What a frame says in its `_meta` about itself. */
export function metaOf({ frame }: Arrival): Record<string, unknown> {
  return Object(Object(frame?.params)._meta);
}

/** A server of the stateless revision, as strict as the revision demands; `onCall` answers what it does not know. */
export function modern(onCall: Script = ({ frame }, response) => json(response, result(frame?.id, {}))): Script {
  return (arrival, response) => {
    const { frame, headers } = arrival;
    if (arrival.method !== 'POST') return void response.writeHead(405).end();
    if (metaOf(arrival)['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') {
      return refuse(response, 400, frame?.id, -32022, { supported: ['2026-07-28'] });
    }
    if (headers['mcp-protocol-version'] !== '2026-07-28' || headers['mcp-method'] !== frame?.method) {
      return refuse(response, 400, frame?.id, -32020);
    }
    if (headers['mcp-session-id'] !== undefined) return refuse(response, 400, frame?.id, -32600);
    if (frame?.method === 'server/discover') return json(response, result(frame.id, DISCOVERED));
    return onCall(arrival, response);
  };
}
