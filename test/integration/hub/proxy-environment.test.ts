import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { json, orderly, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

let server: ScriptedServer;
let home: string;
let sessions: () => number;
const ends: (() => Promise<unknown>)[] = [];

/** A workspace, and a running application whose environment knows nothing but the home folder. */
beforeEach(async () => {
  const { script } = orderly();
  server = await startScriptedServer((arrival, response) => {
    const at = (place: string) => `${server.origin}/oidc${place}`;
    if (arrival.path.startsWith('/api/')) script(arrival, response);
    else if (arrival.path === '/oidc/v1/token') json(response, { access_token: 'exchanged', expires_in: 3600 });
    else json(response, { issuer: at(''), token_endpoint: at('/v1/token') });
  });
  const host = server.origin;
  const own = await homeWith({
    DEFAULT: { host, token: 'dapi-of-the-default' },
    other: { host, token: 'dapi-of-the-other' },
    machine: { host, auth_type: 'env-oidc' },
  });
  home = own.home;
  const causeway = createCauseway({ env: environment(home, { CAUSEWAY_HOME: home }) });
  const hub = await causeway.serveProxies();
  sessions = () => hub.sessions().length;
  ends.push(
    own.close,
    server.close,
    () => causeway.close(),
    () => hub.close(),
  );
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it.each([
  [{}, [], 'Bearer dapi-of-the-default', 1],
  [{ DATABRICKS_CONFIG_PROFILE: 'other' }, [], 'Bearer dapi-of-the-other', 1],
  [{ DATABRICKS_CONFIG_PROFILE: 'other' }, ['--profile', 'DEFAULT'], 'Bearer dapi-of-the-default', 1],
  [{ DATABRICKS_OIDC_TOKEN: 'an-id-token' }, ['--profile', 'machine'], 'Bearer exchanged', 0],
])("a proxy with %j and %j uses its own environment's identity", async (more, args, authorization, shared) => {
  const env = environment(home, { CAUSEWAY_HOME: home, ...more });
  const proxy = new ProxyProcess([...args, '--path', '/api/2.0/mcp/sql'], env);
  ends.push(() => proxy.close());
  await proxy.open();
  await proxy.request(1, 'tools/call', {});
  const calls = server.arrivals.filter(({ frame }) => frame?.method === 'tools/call');
  expect(calls.map(({ headers }) => headers.authorization)).toEqual([authorization]);
  expect(sessions()).toBe(shared);
});
