import { serverAt } from '../../preload/contract/server-kinds.ts';
import { appOf, readServerPath } from '../../preload/contract/server-path.ts';
import { maySignIn, type Profile, type TokenSource } from '../auth/auth.ts';
import type { SignInIdentity } from '../auth/identity.ts';
import type { AuthService } from '../auth/open.ts';
import type { AskApproval } from '../permissions/approvals.ts';
import type { PermissionsFile } from '../permissions/permissions-file.ts';
import { askWhom, checkServer, type Policy } from '../permissions/policy/policy.ts';
import { mergedTags, watchedTags } from '../permissions/policy/request-tags.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { type RequestTags, tagsText } from '../permissions/policy/tag-text.ts';
import { serverKey } from '../permissions/server-key.ts';
import { permissionsOfServer, type ServerPermissions } from '../permissions/server-permissions.ts';
import { type Connections, openedWhenUsed } from '../platform/connections.ts';
import { CausewayError } from '../platform/errors.ts';
import type { VersionedValue } from '../platform/versioned-value.ts';
import type { AppAccess, AppAccesses } from '../workspace/app-access.ts';
import { serviceOf } from '../workspace/service-name.ts';
import type { ServiceSignIn, ServiceSignIns } from '../workspace/service-sign-in.ts';
import { type AnswerStore, openAnswerStore, type RevisionStore } from './answer-store.ts';
import type { ShowsQuestions } from './client-questions.ts';

/** How long the workspace may be silent while it works, in milliseconds: Genie turns take minutes. */
export const SILENCE_MS = 600_000;

/** The managed server that a bridge connects to, and the profile it uses. */
export interface Endpoint {
  profile: Profile;
  /** The server's path, such as `/api/2.0/mcp/sql`. */
  path: string;
  tokens: TokenSource;
  connections: Connections;
  /**
   * The request tags for an agent, by its name in the header `User-Agent`, as the value of a header; undefined if there are none.
   * Left out where nobody reads them.
   */
  requestTags?: ((agent: string | undefined) => string | undefined) | undefined;
  /** Whom users ask about what administrators have decided, as a sentence. */
  ask?: (() => string) | undefined;
  /** How long the server may be silent for handshakes and lists, in milliseconds; 15 s if left out. */
  firstBytesMs?: number | undefined;
  /** How a user signs in to the profile; undefined if it holds credentials of its own. */
  signIn?: EndpointSignIn | undefined;
  /** The sign-in to the service behind the server, if there is one. */
  service?: ServiceSignIn | undefined;
  /** The way to the Databricks App that the path names, if it names one: requests then go to the app's host. */
  app?: AppAccess | undefined;
  /** Called with a notice for the terminal while the server has not answered. */
  onNotice?: ((words: string) => void) | undefined;
  /** Whether the client is Causeway itself: it needs the server's own answers and errors, not the cache. */
  isOwnClient?: boolean;
  /** The server's last known answers. Without it, nothing is remembered. */
  memory?: AnswerStore & RevisionStore;
  /** What the client may do with the server's tools. Without it, everything. */
  permissions?: ServerPermissions | undefined;
  /** Asks the user to allow a call. Without it, `showsQuestions` is used; without both, calls that need approval are refused. */
  askApproval?: AskApproval | undefined;
  /** Which clients show their user a question, where nobody else can ask it. */
  showsQuestions?: ShowsQuestions | undefined;
  /** Observes each attempt to send a request to the server. */
  attempts?: AttemptObserver | undefined;
}

/** Observes each attempt to send a request, by the request's raw id. Its functions must not throw and must be quick. */
export interface AttemptObserver {
  /** The requests go to this workspace. Called once, before the first. */
  opened(workspace: Pick<Profile, 'host' | 'workspaceId'>): void;
  /** The request goes to the server now, as this user if that is known. */
  sent(id: string, userName?: string): void;
  /** The last attempt has ended without an answer from the server. */
  failed(id: string, failure: AttemptFailure): void;
}

/** Why an attempt failed. */
export interface AttemptFailure {
  /** The HTTP status, if there was one. */
  status: number | null;
  /** `not-sent`: the server has not seen it. `broken`: the connection ended before the answer. */
  reason: 'refused' | 'session-lost' | 'not-sent' | 'broken' | 'too-long';
}

/** The sign-in in the browser that an endpoint's tokens may need. */
export interface EndpointSignIn {
  /** Signs in at the user's request, or joins a sign-in that is under way. @throws {CausewayError} as `AuthService.signIn` */
  begin(): Promise<void>;
  /** Whether there is a sign-in, of this process or of another one that shares it. @throws {CausewayError} if that cannot be read */
  isDone(): Promise<boolean>;
  /** Whether the sign-in is awaited from a keychain that its user may have to unlock. */
  readonly awaitsKeychain?: boolean;
  /** As whom the profile acts now; undefined if nobody is signed in. Asks nobody. */
  identity?(): Promise<SignInIdentity | undefined>;
  /** Calls back soon after somebody has signed in or out, in any process. @returns a function that ends it */
  onChange?(listener: () => void): () => void;
  /** The sign-in that is open in the browser now, with its page's address if known. */
  readonly pending: { url: string | undefined } | undefined;
}

/** A managed server as a client asks for it. */
export interface ServerRequest {
  /** The default profile if left out. */
  profile?: string | undefined;
  path: string;
  /** The origin that was asked for; it must be that of the profile, if one is named. */
  origin?: string | undefined;
  /** What the client's process knows for the request tags. */
  caller?: Caller | undefined;
}

/** What a client's process knows about who calls. */
export interface Caller {
  /** The name of the project's folder that the client works in. */
  project?: string | undefined;
  /** The tags in its environment. */
  tags?: RequestTags | undefined;
}

/** What an endpoint is made with. */
export interface EndpointOptions {
  auth: AuthService;
  /** Returns the connections to an origin. */
  pool(origin: string): Promise<Connections>;
  env: NodeJS.ProcessEnv;
  /** Left out for our own client, which permissions do not apply to. */
  permissions?: PermissionsFile | undefined;
  /** The sign-ins to services, made when the first server is one. */
  services(): Promise<ServiceSignIns>;
  /** The ways to Databricks Apps, made when the first server is one. */
  apps(): Promise<AppAccesses>;
}

/**
 * Finds the profile and everything else that a bridge needs.
 * @throws {CausewayError} `usage`, `profile_not_found`, `profile_unusable`, `ambiguous`, `invalid_file`, `managed`
 */
export async function openEndpoint(
  request: ServerRequest,
  { auth, pool, env, permissions, services, apps }: EndpointOptions,
): Promise<Endpoint> {
  const profile = await profileOf(request, auth);
  const path = checkedPath(request.path);
  const policy = await currentPolicy();
  checkServer(policy, path);
  let latest = policy;
  const user = readsTags(path) ? watchedTags(env) : undefined;
  const noted = async (now: Policy) => {
    latest = now;
    await user?.refresh();
  };
  const service = serviceOf(path);
  const named = appOf(path);
  const app = named && (await apps()).of(profile, named, path);
  return {
    profile,
    path,
    service: service === undefined ? undefined : (await services()).of(profile, service),
    app,
    tokens: whileAllowed(path, app ?? auth.tokens(profile), noted),
    requestTags: user && tagsOf(request, { policy: () => latest, user }),
    ask: () => askWhom(latest.contact),
    connections: app ? connectionsByOrigin(pool) : await pool(profile.host),
    signIn: maySignIn(profile) ? signInTo(profile, path, auth) : undefined,
    memory: openAnswerStore(env, { host: profile.host, path, profile: profile.name }),
    permissions: permissions && permissionsOfServer(permissions, serverKey(profile.host, path)),
  };
}

/**
 * The profile that is named, or the default one. For an address in another workspace than the default one's, it is the only profile
 * that has that workspace.
 */
async function profileOf({ profile: name, origin }: ServerRequest, auth: AuthService): Promise<Profile> {
  const chosen = await auth.profile(name, false).catch((error: unknown) => {
    const isNoneChosen = error instanceof CausewayError && ['profile_not_found', 'ambiguous'].includes(error.code);
    if (name !== undefined || origin === undefined || !isNoneChosen) throw error;
    return undefined;
  });
  if (chosen && (origin === undefined || origin === chosen.host)) return chosen;
  const [first, ...others] = name === undefined && origin !== undefined ? await auth.profilesOf(origin) : [];
  if (first && others.length === 0) return auth.profile(first.name);
  if (first) {
    const names = [first, ...others].map((each) => each.name);
    throw new CausewayError('ambiguous', `${names.length} profiles have the workspace ${origin}.`, {
      remedy: `Use --profile with one of ${names.join(', ')}.`,
    });
  }
  const remedy = 'Use --profile with a profile of that workspace. A token is never sent to another host.';
  throw chosen
    ? new CausewayError('usage', `Profile "${chosen.name}" signs in to ${chosen.host}, not to ${origin}.`, { remedy })
    : new CausewayError('profile_not_found', `No profile has the workspace ${origin}.`, { remedy });
}

/** The path that is judged and sent. A list or another process may have one that is not canonical. @throws {CausewayError} `usage` */
function checkedPath(text: string): string {
  const read = readServerPath(text);
  if ('path' in read) return read.path;
  throw new CausewayError('usage', `The server's path "${text}" ${read.fault}.`, {
    remedy: 'Nothing was sent. Remove the server, and add it again with the path that the workspace shows.',
  });
}

/** Whether the gateway reads the tags of requests to a path. */
function readsTags(path: string): boolean {
  return serverAt(path).scope === 'ai-gateway';
}

/** Gives the tags of a request to the gateway, from what is known when it is sent. */
function tagsOf({ caller = {} }: ServerRequest, known: { policy(): Policy; user: VersionedValue<RequestTags> }) {
  const { project, tags: environment = {} } = caller;
  return (agent: string | undefined) => {
    const own = { ...(agent !== undefined && { client: agent }), ...(project !== undefined && { project }) };
    const tags = mergedTags({ policy: known.policy(), environment, user: known.user.current ?? {}, own });
    return Object.keys(tags).length === 0 ? undefined : tagsText(tags);
  };
}

/** Asks the policy before each token: it may have changed since the last one. @throws {CausewayError} `managed` */
function whileAllowed(path: string, tokens: TokenSource, noted: (now: Policy) => Promise<void>): TokenSource {
  return {
    async token(request) {
      const policy = await currentPolicy();
      await noted(policy);
      checkServer(policy, path);
      return tokens.token(request);
    },
  };
}

/** Connections for requests that each name their origin: an app's may change. */
function connectionsByOrigin(pool: EndpointOptions['pool']): Connections {
  const opened = new Map<string, Connections>();
  return {
    dispatch(options, handler) {
      const origin = String(options.origin);
      const connections = opened.get(origin) ?? openedWhenUsed(() => pool(origin));
      opened.set(origin, connections);
      return connections.dispatch(options, handler);
    },
  };
}

/** How long a sign-in page is not opened again, in milliseconds: a model calls the tool soon after it was opened. */
const PAGE_SEEN_MS = 30_000;

function signInTo(profile: Profile, path: string, auth: AuthService): EndpointSignIn {
  let running: Promise<void> | undefined;
  const begin = async () => {
    await auth.signIn(profile, { servers: [path], pageSeenMs: PAGE_SEEN_MS });
  };
  return {
    begin: () => {
      running ??= begin().finally(() => {
        running = undefined;
      });
      return running;
    },
    identity: () => auth.identity(profile),
    onChange: (listener) => auth.onSignInChange(profile, listener),
    isDone: async () => (await auth.signInState(profile)).state === 'signed-in',
    get pending() {
      return auth.signInUnderWay(profile);
    },
    get awaitsKeychain() {
      return auth.awaitsKeychain();
    },
  };
}
