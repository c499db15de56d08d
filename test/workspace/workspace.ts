import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type Apps, createApps } from './apps/apps.ts';
import { Bearers } from './bearer.ts';
import { type Behaviors, behaviorsOf, profileOfTests, type WorkspaceProfile } from './behaviors.ts';
import { createControl, createFaults, type Faults } from './control.ts';
import { FaultRules } from './faults.ts';
import { createFront } from './front.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { ALL_FEATURES, type Features } from './http.ts';
import { listen, stop } from './listen.ts';
import {
  createManagedServers,
  type ManagedServerSettings,
  type ManagedServers,
  type StatementRecord,
} from './mcp/index.ts';
import type { User } from './model.ts';
import { newClientSecret, newPersonalToken, profileFileText, writeProfileFile } from './profile-file.ts';
import { RequestLog } from './request-log.ts';
import type { OAuthClient } from './sign-in/clients.ts';
import { Entra } from './sign-in/entra.ts';
import type { Approval } from './sign-in/page.ts';
import { createPlainIssuer, type Oddities } from './sign-in/plain-issuer.ts';
import { createServiceLogin } from './sign-in/service-login.ts';
import { createSignIn, type Lifetimes, type SignInOptions } from './sign-in/sign-in.ts';
import type { FederationPolicy } from './sign-in/token-exchange.ts';
import { createState, type ReplaceableState, type StateOptions } from './state.ts';
import { TokenRecord } from './token-record.ts';
import { type Exchange, WireRecord } from './wire.ts';

export interface WorkspaceOptions {
  /** A free port if left out. */
  port?: number;
  /** Where `.databrickscfg` is written; its own directory, gone afterwards, if left out. */
  home?: string;
  state?: StateOptions;
  features?: Partial<Features>;
  /** The user as whom every browser sign-in is allowed without a click; see `approve` too. */
  autoApprove?: string | false;
  lifetimes?: Partial<Lifetimes>;
  /** OAuth applications besides `databricks-cli`. */
  oauthClients?: OAuthClient[];
  /** Whether access tokens work until they expire, as self-contained ones do. Those of the plain issuer always do. */
  accessTokensOutliveRevocation?: boolean;
  /** Whether users may sign in with a code on another device, which admins of a workspace switch on. */
  deviceFlow?: boolean;
  /**
   * Who issues tokens: `oidc-provider`, or one that uses no library and differs wherever it may. By default the one that the
   * variable `WORKSPACE_ISSUER` names, so that the same tests can run against both.
   */
  issuer?: 'oidc-provider' | 'plain';
  /**
   * How strict, and how tidy, the workspace is. By default the profile that the variable `CAUSEWAY_TEST_WORKSPACE` names, so that the
   * same tests can run on each.
   */
  profile?: WorkspaceProfile;
  /** How the managed MCP servers behave. */
  mcp?: Partial<ManagedServerSettings>;
  /** Whether `wire` keeps what passes, bodies included. */
  keepsWire?: boolean;
}

interface WorkspaceUser {
  id: string;
  userName: string;
  admin: boolean;
  /** A personal access token. */
  token: string;
}

/** A workspace that is up. */
export interface EmbeddedWorkspace {
  /** Its origin, `http://127.0.0.1:PORT`. */
  host: string;
  profileFile: string;
  /** The people of the world it was started with; the service principal is not among them. */
  users: WorkspaceUser[];
  servicePrincipal: { clientId: string; clientSecret: string };
  /** Another client of the service principal, which trades other issuers' tokens; its policies may be changed at any time. */
  federation: { clientId: string; policies: FederationPolicy[] };
  /** Entra ID: its tokens are good for the workspace, not for apps, unless they are traded first. */
  entra: Entra;
  /** What the plain issuer does; undefined with the other one. */
  oddities: Oddities | undefined;
  /** Whether what is revoked ends access tokens, too. */
  endsAccessTokens: boolean;
  state: ReplaceableState;
  /** What it does of what its documents leave open; may be changed at any time. */
  behaviors: Behaviors;
  features: Features;
  lifetimes: Lifetimes;
  faults: Faults;
  /** Grants on services and sign-ins to their connections, by the names of people. */
  gateway: Gateway;
  /** Databricks Apps: each has its own origin. */
  apps: Apps;
  /** Which token reached which origin, apps and the foreign host included. */
  tokens: TokenRecord;
  requests: RequestLog;
  /** What passed, with bodies but without secrets; empty unless `keepsWire`. */
  wire: readonly Exchange[];
  /** The managed MCP servers: their settings may be changed at any time. */
  mcp: ManagedServers;
  /** Every statement that ran on a warehouse, in its order. */
  statements: readonly StatementRecord[];
  /** The control address, for other processes. */
  controlUrl: string;
  /** Decides browser sign-ins from now on: `{ as: userName }`, `deny`, or `ask`, which is the page with its buttons. */
  approve(approval: Approval): void;
  close(): Promise<void>;
}

const LIFETIMES: Lifetimes = { accessToken: 60 * 60, refreshToken: 7 * 24 * 60 * 60, authorizationCode: 60 };

/** Starts a workspace on the loopback interface. DuckDB is loaded by the first query. */
export async function startWorkspace(options: WorkspaceOptions = {}): Promise<EmbeddedWorkspace> {
  const state = createState(options.state);
  const features: Features = { ...ALL_FEATURES, ...options.features };
  const lifetimes: Lifetimes = { ...LIFETIMES, ...options.lifetimes };
  const users = state.users.filter(({ servicePrincipal }) => !servicePrincipal).map(withToken);
  const servicePrincipal = {
    clientId: state.users.find((user) => user.servicePrincipal)?.userName ?? 'none',
    clientSecret: newClientSecret(),
  };
  const federation: EmbeddedWorkspace['federation'] = { clientId: 'federated-agent', policies: [] };
  const log = new RequestLog();
  const wire = options.keepsWire ? new WireRecord() : undefined;
  const rules = new FaultRules();
  const behaviors = behaviorsOf(options.profile ?? profileOfTests());
  const mcp = createManagedServers({ state, behaviors, host: () => host, ...options.mcp });
  const entra = new Entra(state);
  const tokens = new TokenRecord();
  let approval: Approval = options.autoApprove ? { as: options.autoApprove } : 'ask';
  const approve = (next: Approval): void => {
    approval = next;
  };

  const server = createServer();
  const host = `http://127.0.0.1:${await listen(server, options.port ?? 0)}`;
  const serviceLogin = createServiceLogin({
    host,
    state,
    approval: () => approval,
    activationMs: () => mcp.settings.activationMs,
  });
  const issuer = options.issuer ?? (process.env.WORKSPACE_ISSUER === 'plain' ? 'plain' : 'oidc-provider');
  const signInOptions: SignInOptions = {
    host,
    state,
    log,
    lifetimes,
    approval: () => approval,
    clients: options.oauthClients ?? [],
    servicePrincipal,
    federation,
    entra,
    serviceLogin,
    accessTokensOutliveRevocation: options.accessTokensOutliveRevocation ?? false,
    deviceFlow: options.deviceFlow ?? false,
  };
  const plain = issuer === 'plain' ? createPlainIssuer(signInOptions) : undefined;
  const signIn = plain ?? (await createSignIn(signInOptions));
  const personal = new Map(users.map(({ token, id }) => [token, id]));
  const bearers = new Bearers(state, personal, signIn, entra);
  const apps = createApps({ host, state, bearers, tokens, mcp: mcp.settings, behaviors });
  const gateway = createGateway(state);
  const faults = createFaults(rules, {
    expireSessions: mcp.expireSessions,
    expireAccessTokens: signIn.expireAccessTokens,
    revokeRefreshTokens: signIn.revokeRefreshTokens,
    refuseToken: (token) => bearers.refuse(token),
  });
  // A page in someone's browser cannot guess this address.
  const controlPath = `/__control/${randomBytes(8).toString('hex')}`;
  const control = createControl(controlPath, {
    faults,
    log,
    features,
    lifetimes,
    approve,
    gateway,
    apps,
    tokens,
    mcp: mcp.settings,
  });
  server.on(
    'request',
    createFront({
      host,
      state,
      features,
      behaviors,
      bearers,
      faults: rules,
      log,
      wire,
      signIn,
      serviceLogin,
      mcp,
      apps,
      tokens,
      controlPath,
      control,
    }),
  );
  const text = profileFileText({ host, tokens: new Map(users.map(profileOf)), servicePrincipal });
  const file = await writeProfileFile(text, options.home).catch(async (error: unknown) => {
    await stop(server);
    throw error;
  });

  return {
    host,
    profileFile: file.path,
    users,
    servicePrincipal,
    federation,
    entra,
    oddities: plain?.oddities,
    endsAccessTokens: !plain && !signInOptions.accessTokensOutliveRevocation,
    state,
    behaviors,
    features,
    lifetimes,
    faults,
    gateway,
    apps,
    tokens,
    requests: log,
    wire: wire?.exchanges ?? [],
    mcp,
    statements: mcp.statements,
    controlUrl: `${host}${controlPath}`,
    approve,
    close: async () => {
      state.close();
      await stop(server);
      await apps.close();
      await mcp.close();
      await file.remove();
    },
  };
}

function withToken({ id, userName, admin }: User): WorkspaceUser {
  return { id, userName, admin, token: newPersonalToken() };
}

/** A profile is called after the user: `ana` for `ana@example.com`. */
function profileOf({ userName, token }: WorkspaceUser): [name: string, token: string] {
  return [userName.split('@')[0] ?? userName, token];
}
