import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Principal } from '../model.ts';
import { createState, type ReplaceableState, type StateOptions } from '../state.ts';
import { createManagedServers, type ManagedServers } from './index.ts';
import type { ManagedServerSettings } from './settings.ts';

/** The managed servers behind a bare HTTP server, for their own tests: the bearer token is the caller's user name. */
export interface TestHost {
  state: ReplaceableState;
  servers: ManagedServers;
  /** Scopes of every caller. */
  scopes: Set<string>;
  fetch(path: string, user: string, init?: RequestInit): Promise<Response>;
  /** One JSON-RPC request without a client around it. */
  post(path: string, user: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The official client, connected. */
  connect(path: string, user: string, client?: Client): Promise<Connection>;
  close(): Promise<void>;
}

export interface Connection {
  client: Client;
  transport: StreamableHTTPClientTransport;
  toolNames(): Promise<string[]>;
  /** Calls a tool and gives its structured content, once it is known to be the same as its text. */
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

export async function startTestHost(
  stateOptions: StateOptions = {},
  settings: Partial<ManagedServerSettings> = {},
): Promise<TestHost> {
  const state = createState({ startupMs: 5, ...stateOptions });
  const servers = createManagedServers({ state, host: () => origin, ...settings });
  const scopes = new Set(['all-apis']);
  const clients: Client[] = [];

  const server = createServer((request, response) => {
    const principal: Principal = {
      user: userNamed(state, request.headers.authorization ?? ''),
      scopes,
      token: 'oauth',
    };
    const url = new URL(request.url ?? '/', origin);
    servers.handle(request, response, principal, url).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const host: TestHost = {
    state,
    servers,
    scopes,
    fetch: (path, user, init = {}) =>
      fetch(origin + path, { ...init, headers: { ...headersOf(init), authorization: `Bearer ${user}` } }),
    post: (path, user, body, headers = {}) =>
      host.fetch(path, user, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      }),
    connect: async (path, user, client = new Client({ name: 'test', version: '0' })) => {
      const transport = new StreamableHTTPClientTransport(new URL(origin + path), {
        requestInit: { headers: { authorization: `Bearer ${user}` } },
      });
      clients.push(client);
      await client.connect(transport);
      return connection(client, transport);
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
      state.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await servers.close();
    },
  };
  return host;
}

function connection(client: Client, transport: StreamableHTTPClientTransport): Connection {
  return {
    client,
    transport,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, meta) => {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) };
      return bothForms(await client.callTool(params));
    },
  };
}

function bothForms({ content, structuredContent }: CallToolResult): Record<string, unknown> {
  const [text] = content;
  if (text?.type !== 'text') throw new Error('The answer has no text.');
  const body: unknown = JSON.parse(text.text);
  if (JSON.stringify(body) !== JSON.stringify(structuredContent)) throw new Error('Text and structure differ.');
  return body as Record<string, unknown>;
}

function userNamed(state: ReplaceableState, authorization: string): Principal['user'] {
  const name = authorization.replace('Bearer ', '');
  const user = state.users.find(({ userName }) => userName === name);
  if (!user) throw new Error(`No user is called ${name}.`);
  return user;
}

function headersOf({ headers }: RequestInit): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}
