import { ERROR_FACTS, isBeforeServer } from '../../../preload/contract/error-facts.ts';
import { pathOfRow, serverAt } from '../../../preload/contract/server-kinds.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import type { ServerTool } from '../../hub/health/mcp-session.ts';
import { asCausewayError, CausewayError, sentences } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import { serviceOf } from '../../workspace/service-name.ts';
import type { Causeway } from '../causeway.ts';

/** What a server answered when it was asked for its tools: their number, or why there are none. */
export type ServerCheck = { tools: number; error: null } | { tools: null; error: CausewayError };

/** How long a server may take for it, in milliseconds. One that is slower is added all the same. */
const CHECK_MS = 15_000;
/** How long the services beside one that does not exist are looked for, in milliseconds. */
const SIMILAR_MS = 5_000;
const SIMILAR_REQUESTS = 20;

type Address = Pick<ManagedServer, 'profile' | 'path'>;

/** Begins a session with a server, and asks for its tools. @throws {CausewayError} as `McpSession.tools` */
export async function listTools(
  causeway: Causeway,
  server: Pick<ManagedServer, 'profile' | 'path'>,
  signal: AbortSignal | undefined,
): Promise<ServerTool[]> {
  const session = await causeway.openMcpSession(server);
  try {
    return await session.tools(signal);
  } finally {
    await session.close();
  }
}

/** Asks a server for its tools, as an AI client does. @throws the signal's reason */
export async function checkServer(
  causeway: Causeway,
  server: Address,
  signal: AbortSignal | undefined,
): Promise<ServerCheck> {
  const limit = AbortSignal.timeout(CHECK_MS);
  try {
    const tools = await listTools(causeway, server, signal ? AbortSignal.any([signal, limit]) : limit);
    return { tools: tools.length, error: null };
  } catch (error) {
    signal?.throwIfAborted();
    return { tools: null, error: limit.aborted ? tooSlow() : asCausewayError(error) };
  }
}

function tooSlow(): CausewayError {
  return new CausewayError('timeout', `It did not answer within ${CHECK_MS / 1_000} seconds.`);
}

/** The SQL server of a workspace, and why it is not the newer one. */
export interface SqlServer {
  path: string;
  /** Where the SQL servers of a workspace can be: a user needs only one. */
  paths: readonly string[];
  check: ServerCheck;
  /** The newer server that this workspace does not offer; undefined if it does, or nothing is known of it. */
  passedOver?: { add: string; error: CausewayError | null };
}

/**
 * The best SQL server that a workspace offers: the newer one if it has tools for this user, and otherwise the one that every
 * workspace has. The newer one is a preview that many workspaces have switched off.
 * @throws the signal's reason
 */
export async function bestSqlServer(
  causeway: Causeway,
  profile: string,
  signal: AbortSignal | undefined,
): Promise<SqlServer> {
  const path = pathOfRow('sql');
  const { successor } = serverAt(path);
  if (!successor) return { path, paths: [path], check: await checkServer(causeway, { profile, path }, signal) };
  const paths = [path, successor.path];
  const check = await checkServer(causeway, { profile, path: successor.path }, signal);
  if (check.error === null && check.tools > 0) return { path: successor.path, paths, check };
  // What stands between, or a missing sign-in, stands before the other server too.
  if (check.error && isBeforeServer(check.error.code)) return { path, paths, check };
  return {
    path,
    paths,
    check: await checkServer(causeway, { profile, path }, signal),
    passedOver: { add: successor.add, error: check.error },
  };
}

/** Whether the workspace has no such server. What else keeps a server from answering may be different tomorrow. */
export function isMissing({ error }: ServerCheck): boolean {
  return error !== null && ERROR_FACTS[error.code].server === 'not-found';
}

/** The refusal to add a server that the workspace does not have. */
export async function missingServer(
  causeway: Causeway,
  { profile, path }: Address,
  { error }: ServerCheck,
): Promise<CausewayError> {
  const similar = await similarServices(causeway, profile, path).catch(() => []);
  const remedy = sentences(didYouMean(similar), error?.remedy, 'Nothing was added. Use --no-check to add it anyway.');
  return new CausewayError(error?.code ?? 'not_found', error?.message ?? `${path} does not exist.`, {
    remedy,
    cause: error,
    candidates: similar.map((name) => ({ name })),
  });
}

async function similarServices(causeway: Causeway, profile: string, path: string): Promise<string[]> {
  const name = serviceOf(path);
  if (name === undefined) return [];
  const [{ walkCatalog }, { client }] = await Promise.all([
    import('../../workspace/catalog-walk.ts'),
    causeway.open(profile),
  ]);
  const names: string[] = [];
  const options = {
    groups: ['sql', 'genie', 'services'] as const,
    search: name.split('.').slice(0, 2).join('.'),
    maxRequests: SIMILAR_REQUESTS,
    signal: AbortSignal.timeout(SIMILAR_MS),
  };
  for await (const event of walkCatalog(client.rest, options)) {
    if (event.what === 'found') names.push(...event.servers.map(({ add }) => add));
  }
  return similarNames(name, names);
}
