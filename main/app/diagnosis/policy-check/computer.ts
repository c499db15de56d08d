import { type AuthMethod, maySignIn } from '../../../auth/auth.ts';
import type { AuthService } from '../../../auth/open.ts';
import { chosenKind } from '../../../auth/secrets/open-store.ts';
import { lastListedTools } from '../../../bridge/answer-store.ts';
import { openServers } from '../../../clients/servers.ts';
import type { ClientsService } from '../../../clients/service.ts';
import { THERE } from '../../../clients/survey.ts';
import { readPermissions } from '../../../permissions/change.ts';
import type { ListedTool } from '../../../permissions/decide.ts';
import type { Permissions } from '../../../permissions/permissions.ts';
import { PermissionsFile } from '../../../permissions/permissions-file.ts';
import { serverKey } from '../../../permissions/server-key.ts';
import { homeFolder } from '../../../platform/paths.ts';
import { inOneLine } from '../../../words/failure.ts';

/** What a policy is tried on: the accounts, servers, AI clients and permissions of the user who checks it. */
export interface Computer {
  /** The home folder of that user. */
  home: string;
  accounts: { profile: string; host: string; signsIn: boolean; method: AuthMethod | undefined }[];
  servers: ComputerServer[];
  clients: ComputerClient[];
  /** Where secrets are kept now; undefined if that is not known. */
  tokenStore: string | undefined;
  /** The user's own permissions; undefined if they cannot be read, so that no tool may be called anyway. */
  permissions: Permissions | undefined;
  /** Why nothing of it is known, as a sentence; undefined if it is. */
  problem?: string;
}

export interface ComputerServer {
  name: string;
  profile: string;
  path: string;
  /** The origin of its workspace; undefined if its profile is gone. */
  host: string | undefined;
  /** Its `serverKey`; undefined if its profile is gone. */
  key: string | undefined;
  /** What it said last about its tools; undefined if it was never asked. */
  tools: readonly ListedTool[] | undefined;
}

interface ComputerClient {
  id: string;
  name: string;
  isInstalled: boolean;
  /** The names of our entries in its files. */
  entries: string[];
}

/** Looks at what is on this computer for the user who asks. Sends no request and writes nothing. Never throws. */
export async function readComputer(
  env: NodeJS.ProcessEnv,
  auth: AuthService,
  clients: ClientsService,
): Promise<Computer> {
  try {
    return await computerOf(env, auth, clients);
  } catch (error) {
    const problem = inOneLine(error);
    return {
      home: homeFolder(env),
      accounts: [],
      servers: [],
      clients: [],
      tokenStore: undefined,
      permissions: undefined,
      problem,
    };
  }
}

/** @throws {CausewayError} `invalid_file`, `file_not_writable` if a file with profiles or servers cannot be read */
async function computerOf(env: NodeJS.ProcessEnv, auth: AuthService, clients: ClientsService): Promise<Computer> {
  const accounts = (await auth.profiles()).flatMap((entry) => {
    const host = entry.usable ? entry.profile.host : entry.host;
    const method = entry.usable ? entry.profile.method : undefined;
    if (host === undefined || !URL.canParse(host)) return [];
    const signsIn = entry.usable && maySignIn(entry.profile);
    return [{ profile: entry.name, host: new URL(host).origin, signsIn, method }];
  });
  const list = (await openServers(env)).initial.servers;
  const servers = await Promise.all(
    list.map(async ({ name, profile, path }): Promise<ComputerServer> => {
      const host = accounts.find((account) => account.profile === profile)?.host;
      if (host === undefined) return { name, profile, path, host, key: undefined, tools: undefined };
      const tools = await lastListedTools(env, { host, path, profile });
      return { name, profile, path, host, key: serverKey(host, path), tools };
    }),
  );
  const reports = await clients.survey(list);
  const found = reports.map(({ id, name, foundBy, files }) => ({
    id,
    name,
    isInstalled: foundBy !== null,
    entries: [
      ...new Set(
        files.flatMap(({ entries, leftOver }) => [
          ...Object.entries(entries).flatMap(([entry, state]) => (THERE.includes(state) ? [entry] : [])),
          ...leftOver,
        ]),
      ),
    ],
  }));
  const permissions = await readPermissions(new PermissionsFile(env)).catch(() => undefined);
  const tokenStore = env.CAUSEWAY_TOKEN_STORE || (await chosenKind(env).catch(() => undefined));
  return { home: homeFolder(env), accounts, servers, clients: found, tokenStore, permissions };
}
