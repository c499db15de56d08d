import * as z from 'zod';
import type { AppSettings } from './apps/apps.ts';
import type { Fault, FaultRule } from './faults.ts';
import type { Gateway } from './gateway.ts';
import type { Features } from './http.ts';
import type { ManagedServerSettings } from './mcp/index.ts';
import type { LoggedRequest, RequestFilter } from './request-log.ts';
import type { Approval } from './sign-in/page.ts';
import type { Lifetimes } from './sign-in/sign-in.ts';

/** What `Faults` and its neighbours do, done to a workspace in another process: `address` is what it printed as `faults`. */
export interface RemoteControl {
  add(rule: FaultRule): Promise<Fault>;
  remove(id: number): Promise<void>;
  clear(): Promise<void>;
  list(): Promise<Fault[]>;
  expireSessions(how: 404 | 410): Promise<void>;
  expireAccessTokens(): Promise<void>;
  revokeRefreshTokens(): Promise<void>;
  refuseToken(token: string): Promise<void>;
  approve(approval: Approval): Promise<void>;
  setFeatures(features: Partial<Features>): Promise<void>;
  setLifetimes(lifetimes: Partial<Lifetimes>): Promise<void>;
  /** Settings of the MCP servers, those that are plain data. */
  setMcp(settings: Partial<ManagedServerSettings>): Promise<void>;
  setApps(settings: Partial<AppSettings>): Promise<void>;
  /** `grant`, `revoke`, `signIn` and `signOut` of the gateway. */
  gateway(change: Exclude<keyof Gateway, 'isSignedIn'>, person: string, service: string): Promise<void>;
  appOrigin(name: string): Promise<string>;
  /** Origin to the SHA-256 digests of the bearer tokens that reached it. */
  tokens(): Promise<Record<string, string[]>>;
  /** How many requests each path had. */
  requestCounts(path?: string): Promise<Record<string, number>>;
  requests(filter?: RequestFilter): Promise<LoggedRequest[]>;
  clearRequests(): Promise<void>;
}

const fault = z.custom<Fault>((value) => z.object({ id: z.number(), hits: z.number() }).safeParse(value).success);
const logged = z.custom<LoggedRequest>(
  (value) => z.object({ at: z.number(), path: z.string() }).safeParse(value).success,
);
const nothing = z.unknown().transform(() => undefined);

export function remoteControl(address: string): RemoteControl {
  async function send<T>(method: string, path: string, answer: z.ZodType<T>, body?: unknown): Promise<T> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(address + path, { method, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`The workspace refused ${method} ${path}: ${text}`);
    return answer.parse(JSON.parse(text));
  }
  return {
    add: (rule) => send('POST', '/rules', fault, rule),
    remove: (id) => send('DELETE', `/rules?id=${id}`, nothing),
    clear: () => send('DELETE', '/rules', nothing),
    list: () => send('GET', '/rules', z.array(fault)),
    expireSessions: (how) => send('POST', '/expire-sessions', nothing, { how }),
    expireAccessTokens: () => send('POST', '/expire-access-tokens', nothing, {}),
    revokeRefreshTokens: () => send('POST', '/revoke-refresh-tokens', nothing, {}),
    refuseToken: (token) => send('POST', '/refuse-token', nothing, { token }),
    approve: (approval) => send('PUT', '/approval', nothing, approval),
    setFeatures: (features) => send('PUT', '/features', nothing, features),
    setLifetimes: (lifetimes) => send('PUT', '/lifetimes', nothing, lifetimes),
    setMcp: (settings) => send('PUT', '/mcp', nothing, settings),
    setApps: (settings) => send('PUT', '/apps', nothing, settings),
    gateway: (change, person, service) => send('POST', '/gateway', nothing, { change, person, service }),
    appOrigin: async (name) =>
      (await send('GET', `/apps/origin?${new URLSearchParams({ name })}`, z.object({ origin: z.string() }))).origin,
    tokens: () => send('GET', '/tokens', z.record(z.string(), z.array(z.string()))),
    requestCounts: (path = '*') =>
      send('GET', `/requests/counts?${new URLSearchParams({ path })}`, z.record(z.string(), z.number())),
    requests: (filter = {}) => {
      const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return send('GET', `/requests?${new URLSearchParams(given)}`, z.array(logged));
    },
    clearRequests: () => send('DELETE', '/requests', nothing),
  };
}
