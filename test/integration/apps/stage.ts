import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { createBridge } from '../../../main/bridge/bridge.ts';
import { openEndpoint } from '../../../main/bridge/endpoint.ts';
import { openServers, withServer } from '../../../main/clients/servers.ts';
import { sharedPools } from '../../../main/platform/connections.ts';
import { openPool } from '../../../main/platform/http.ts';
import { userNamed } from '../../workspace/caller.ts';
import { fixtureApps, hostileApps } from '../../workspace/gateway-fixture.ts';
import { type BrowserStage, setBrowserStage } from '../auth/stage.ts';
import { type Answered, CollectingSink } from '../bridge/harness.ts';

/** Databricks Apps and whatever else listens, with users who may use them. */

export const pathOf = (app: string) => `/apps/${app}/mcp`;

/** A workspace with all apps, hostile ones too; a service principal, a user with a personal token, one who signs in. */
export function setAppStage(): BrowserStage {
  const stage = setBrowserStage(
    (workspace) => `[agent]
host = ${workspace.host}
client_id = ${workspace.servicePrincipal.clientId}
client_secret = ${workspace.servicePrincipal.clientSecret}
[token]
host = ${workspace.host}
token = ${userNamed(workspace, 'ben').token}
[azure]
host = ${workspace.host}
auth_type = azure-cli
`,
    { autoApprove: 'ben@example.com' },
  );
  // Tests change them.
  beforeEach(() => stage.workspace.state.replace({ apps: [...fixtureApps(), ...hostileApps()], startupMs: 30 }));
  return stage;
}

/** The application's services for a test, closed after it. */
export function causewayFor(stage: BrowserStage): Causeway {
  const causeway = createCauseway({ env: stage.home.env });
  stage.atEnd(() => causeway.close());
  return causeway;
}

/** Puts an app into the list of servers, with a confirmed origin or, as someone who edits the file would, without. */
export async function listApp(stage: BrowserStage, app: string, confirmed?: string, profile = 'agent'): Promise<void> {
  const list = await openServers(stage.home.env);
  const server = { name: app, profile, kind: 'app' as const, path: pathOf(app), ...(confirmed ? { confirmed } : {}) };
  await list.change(({ servers }) => withServer({ servers: servers.filter(({ name }) => name !== app) }, server));
}

export interface AppSession {
  request(method: string, params?: object): Promise<Answered>;
  /** All that the client was sent, as one text. */
  received(): string;
}

/** A client's session with an app. */
export async function sessionWith(stage: BrowserStage, app: string, profile = 'agent'): Promise<AppSession> {
  const { env } = stage.home;
  const causeway = causewayFor(stage);
  const pools = sharedPools((origin) => openPool(origin, { env, silenceMs: 10_000 }));
  const endpoint = await openEndpoint(
    { profile, path: pathOf(app) },
    { auth: await causeway.auth(), pool: pools.to, env, services: causeway.services, apps: causeway.apps },
  );
  const sink = new CollectingSink();
  const { memory: _none, ...rest } = endpoint;
  const bridge = createBridge(rest, sink);
  stage.atEnd(() => pools.close());
  stage.atEnd(() => bridge.close());
  let last = 0;
  return {
    request(method, params = {}) {
      last += 1;
      bridge.receive(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: last, method, params })));
      return sink.answerTo(last);
    },
    received: () => sink.frames.map(String).join('\n'),
  };
}

export const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** A host of someone's own. */
export interface Host {
  origin: string;
  /** Every request that reached it: its line, and all headers. */
  requests: string[];
  /** The bearer tokens that reached it. */
  tokens: string[];
}

/** Starts a host on this computer that answers as it is told. */
export async function startHost(
  stage: BrowserStage,
  answer: RequestListener = (_, response) => void response.end('{}'),
): Promise<Host> {
  const host: Host = { origin: '', requests: [], tokens: [] };
  const server = createServer((request, response) => {
    note(host, request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return host;
}

function note(host: Host, { method, url, rawHeaders, headers }: IncomingMessage): void {
  host.requests.push([`${method} ${url}`, ...rawHeaders].join('\n'));
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  if (token) host.tokens.push(token);
}

/** Lets the workspace name another address for an app. */
export function nameAddress(stage: BrowserStage, app: string, url: unknown): void {
  const { faults } = stage.workspace;
  faults.clear();
  const body = { name: app, url, app_status: { state: 'RUNNING' }, compute_status: { state: 'ACTIVE' } };
  faults.add({
    path: `/api/2.0/apps/${app}`,
    effect: {
      kind: 'answer',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    times: 'always',
  });
}

/** The bearer tokens that reached any origin but the workspace's. */
export async function tokensBesideWorkspace(stage: BrowserStage): Promise<string[]> {
  const { tokens, apps, state } = stage.workspace;
  const origins = [await apps.foreignOrigin(), ...(await Promise.all(state.apps.map(({ name }) => apps.origin(name))))];
  return origins.flatMap((origin) => tokens.tokensAt(origin));
}
