import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Apps } from './apps/apps.ts';
import { type Fault, type FaultRule, type FaultRules, parseFaultRule } from './faults.ts';
import type { Gateway } from './gateway.ts';
import { type Features, readJson, sendJson } from './http.ts';
import type { ManagedServerSettings } from './mcp/index.ts';
import { gatewayRefusal } from './mcp/refusals.ts';
import type { RequestLog } from './request-log.ts';
import type { Approval } from './sign-in/page.ts';
import type { Lifetimes } from './sign-in/sign-in.ts';
import type { TokenRecord } from './token-record.ts';

/** What tests do to a workspace, in its own process; control-client.ts does the same from another one. */
export interface Faults {
  /** The first rule that fits a request decides it; the returned object counts its hits. */
  add(rule: FaultRule): Fault;
  remove(id: number): void;
  clear(): void;
  list(): Fault[];
  /** Every MCP session that exists is answered with this status from now on. */
  expireSessions(how: 404 | 410): void;
  /** Every access token of the sign-in is refused from now on; refresh tokens and personal ones stay good. */
  expireAccessTokens(): void;
  /** Every refresh token is refused from now on. */
  revokeRefreshTokens(): void;
  /** This token, personal or not, is refused from now on. */
  refuseToken(token: string): void;
}

export interface ControlParts {
  faults: Faults;
  log: RequestLog;
  features: Features;
  lifetimes: Lifetimes;
  approve(approval: Approval): void;
  gateway: Gateway;
  apps: Apps;
  tokens: TokenRecord;
  /** The settings of the MCP servers. */
  mcp: ManagedServerSettings;
}

const sessionExpiry = z.strictObject({ how: z.union([z.literal(404), z.literal(410)]) });
const tokenRefusal = z.strictObject({ token: z.string() });
const approval = z.union([z.enum(['ask', 'deny']), z.strictObject({ as: z.string() })]);
const lifetimes = z.strictObject({
  accessToken: z.int().positive().optional(),
  refreshToken: z.int().positive().optional(),
  authorizationCode: z.int().positive().optional(),
});
const features = z.strictObject({
  overrides: z.boolean().optional(),
  defaultWarehouse: z.boolean().optional(),
  defaultWarehouseSetting: z.boolean().optional(),
  mcpServices: z.boolean().optional(),
  connectionCredentials: z.boolean().optional(),
  serviceCredentials: z.boolean().optional(),
  servicesWithoutParent: z.enum(['system.ai', 'metastore']).optional(),
  metastoreWalkMs: z.int().nonnegative().optional(),
  apps: z.boolean().optional(),
  scimGroups: z.boolean().optional(),
  chosenPageSize: z.int().positive().optional(),
});

/** What of the MCP servers' settings is plain data. */
const managedSettings = z.strictObject({
  sessions: z.enum(['demanded', 'none']).optional(),
  answers: z.enum(['json', 'sse']).optional(),
  listening: z.enum(['absent', 'supported']).optional(),
  revision: z.enum(['legacy', 'modern']).optional(),
  waitMs: z.number().optional(),
  serviceSessions: z.enum(['demanded', 'none']).optional(),
  signInSignal: z.enum(['challenge', 'elicitation']).optional(),
  signInNeededFor: z.enum(['tools/call', 'every-method']).optional(),
  challengeBlamesToken: z.boolean().optional(),
  activationMs: z.number().optional(),
  rejectedToken: z.enum(['401', '400']).optional(),
  preview: z.enum(['on', 'suspended']).optional(),
  warehousePin: z.enum(['first', 'behind-override', 'ignored']).optional(),
  disallowWrites: z.boolean().optional(),
  refusals: z.array(gatewayRefusal).optional(),
  demandedTag: z.string().optional(),
  missingExecute: z.literal([403, 404]).optional(),
  oldGenieOne: z.enum(['absent', 'gone', 'served']).optional(),
});
const appSettings = z.strictObject({
  unauthenticated: z.enum(['redirect', '401']).optional(),
  stoppedStatus: z.int().optional(),
});
const gatewayChange = z.strictObject({
  change: z.enum(['grant', 'revoke', 'signIn', 'signOut']),
  person: z.string(),
  service: z.string(),
});

type Command = (parts: ControlParts, body: unknown, query: URLSearchParams) => unknown;

const COMMANDS: Record<string, Command> = {
  'GET /rules': ({ faults }) => faults.list(),
  'POST /rules': ({ faults }, body) => faults.add(parseFaultRule(body)),
  'DELETE /rules': ({ faults }, _body, query) => {
    const id = query.get('id');
    if (id === null) faults.clear();
    else faults.remove(Number(id));
  },
  'POST /expire-sessions': ({ faults }, body) => faults.expireSessions(sessionExpiry.parse(body).how),
  'POST /expire-access-tokens': ({ faults }) => faults.expireAccessTokens(),
  'POST /revoke-refresh-tokens': ({ faults }) => faults.revokeRefreshTokens(),
  'POST /refuse-token': ({ faults }, body) => faults.refuseToken(tokenRefusal.parse(body).token),
  'PUT /approval': ({ approve }, body) => approve(approval.parse(body)),
  'GET /lifetimes': ({ lifetimes }) => lifetimes,
  'PUT /lifetimes': (parts, body) => Object.assign(parts.lifetimes, lifetimes.parse(body)),
  'GET /features': ({ features }) => features,
  'PUT /features': (parts, body) => Object.assign(parts.features, features.parse(body)),
  'GET /mcp': ({ mcp }) => mcp,
  'PUT /mcp': ({ mcp }, body) => Object.assign(mcp, managedSettings.parse(body)),
  'POST /gateway': ({ gateway }, body) => {
    const { change, person, service } = gatewayChange.parse(body);
    gateway[change](person, service);
  },
  'PUT /apps': ({ apps }, body) => Object.assign(apps.settings, appSettings.parse(body)),
  'GET /apps/origin': async ({ apps }, _body, query) => ({ origin: await apps.origin(query.get('name') ?? '') }),
  'GET /tokens': ({ tokens }) => tokens.digests(),
  'GET /requests/counts': ({ log }, _body, query) => log.countsByPath({ path: query.get('path') ?? undefined }),
  'GET /requests': ({ log }, _body, query) =>
    log.list({
      method: query.get('method') ?? undefined,
      path: query.get('path') ?? undefined,
      grantType: query.get('grantType') ?? undefined,
    }),
  'DELETE /requests': ({ log }) => log.clear(),
};

/** Answers requests to the control address, `base` being its path. */
export function createControl(
  base: string,
  parts: ControlParts,
): (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> {
  return async (request, response, url) => {
    const name = `${request.method} ${url.pathname.slice(base.length)}`;
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) {
      sendJson(response, 404, { message: `There is no ${name}. There is: ${Object.keys(COMMANDS).join(', ')}` });
      return;
    }
    try {
      const body = await readJson(request);
      sendJson(response, 200, (await command(parts, body, url.searchParams)) ?? {});
    } catch (error) {
      sendJson(response, 400, { message: error instanceof Error ? error.message : String(error) });
    }
  };
}

/** The faults of a workspace, made of its parts. */
export function createFaults(
  rules: FaultRules,
  parts: Pick<Faults, 'expireSessions' | 'expireAccessTokens' | 'revokeRefreshTokens' | 'refuseToken'>,
): Faults {
  return {
    add: (rule) => rules.add(rule),
    remove: (id) => rules.remove(id),
    clear: () => rules.clear(),
    list: () => rules.list(),
    ...parts,
  };
}
