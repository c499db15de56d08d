import { type ManagedServerKind, SERVER_KINDS, serverAt } from '../../../preload/contract/server-kinds.ts';
import type { Profile } from '../../auth/auth.ts';
import { openEndpoint } from '../../bridge/endpoint.ts';
import { listedTool } from '../../bridge/listed-tools.ts';
import { checkedServerPath, formatMeta, parseMeta } from '../../clients/server-arguments.ts';
import {
  findServer,
  type ManagedServer,
  openServers,
  type ServerList,
  sameServer,
  serverPath,
  suggestName,
  withMeta,
  withoutServer,
  withServer,
} from '../../clients/servers.ts';
import { longNames } from '../../clients/table.ts';
import { formatHealth } from '../../hub/health/format.ts';
import type { ServerTool } from '../../hub/health/mcp-session.ts';
import type { ListedTool } from '../../permissions/decide.ts';
import { PermissionsFile } from '../../permissions/permissions-file.ts';
import { serverKey } from '../../permissions/server-key.ts';
import { permissionsOfServer } from '../../permissions/server-permissions.ts';
import { sharedPools } from '../../platform/connections.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { openPool } from '../../platform/http.ts';
import { inOneLine } from '../../words/failure.ts';
import { spaceOf, spaceTitle } from '../../workspace/genie.ts';
import type { CommandContext } from '../command.ts';
import { exitCodeOfAll } from '../failure.ts';
import { columns, printable, writeJson, writeLine } from '../terminal.ts';
import { type NamedServer, namedServer } from './named-server.ts';

export interface AddServerOptions {
  profile?: string;
  name?: string;
  path?: string;
  meta?: string[];
  json?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** `causeway servers add [KIND TARGET]`: one more server; the profile is written down by name, so that it stays the same. */
export async function addServer(
  context: CommandContext,
  kindText: string | undefined,
  target: string,
  options: AddServerOptions,
): Promise<void> {
  const meta = options.meta && parseMeta(options.meta);
  const { kind, path } = await serverMeant(context, kindText, target, options);
  const [list, profile] = [
    await openServers(context.env),
    await (await context.causeway().auth()).profile(options.profile),
  ];
  const title = await titleOf(context, profile, path);
  let added: ManagedServer | undefined;
  const edit = (now: ServerList): ServerList => {
    if (options.name === undefined) refuseSecond(now, { profile: profile.name, path, ...(meta ? { meta } : {}) });
    const usedNames = now.servers.map(({ name }) => name);
    const name = options.name ?? suggestName({ kind, path, title }, usedNames);
    added = { name, profile: profile.name, kind, path, ...(title ? { title } : {}), ...(meta ? { meta } : {}) };
    return withServer(now, added);
  };
  if (options.dryRun) edit(list.read());
  else await list.change(edit);
  if (!added) return;
  if (options.json) return writeJson(context.stdout, added);
  if (options.dryRun) return writeLine(context.stdout, `Would add ${describeServer(added)}`);
  await writeLine(context.stdout, `Added ${describeServer(added)}`);
  await writeLine(
    context.stdout,
    `Try it with \`causeway servers test ${added.name}\`. Add it to your clients with \`causeway clients add\`.`,
  );
}

/** The timeout for a Genie space's title, in milliseconds. Without it, the server is named after its id. */
const TITLE_TIMEOUT_MS = 5_000;

async function titleOf(context: CommandContext, profile: Profile, path: string): Promise<string | undefined> {
  if (spaceOf(path) === undefined) return undefined;
  const { client } = await context.causeway().open(profile.name);
  return spaceTitle(client.genie, path, AbortSignal.any([context.signal, AbortSignal.timeout(TITLE_TIMEOUT_MS)]));
}

/** Refuses to add a server a second time. @throws {CausewayError} `already_exists` */
function refuseSecond(now: ServerList, added: Pick<ManagedServer, 'profile' | 'path' | 'meta'>): void {
  const same = sameServer(now.servers, added);
  if (!same) return;
  const message = `Server "${same.name}" is already ${same.path} with profile ${same.profile}.`;
  throw new CausewayError('already_exists', message, {
    remedy: 'To add it twice, give the second one a name with --name.',
    candidates: [{ name: same.name }],
  });
}

/** `causeway servers set NAME --meta …`. */
export async function setServer(
  context: CommandContext,
  name: string,
  { meta, json, dryRun }: { meta?: string[] | boolean; json?: boolean; dryRun?: boolean },
): Promise<void> {
  if (meta === undefined || meta === true) {
    throw new CausewayError('usage', 'No change was given.', {
      remedy: 'Use --meta NAME=VALUE, or --no-meta.',
    });
  }
  const wanted = meta === false ? {} : parseMeta(meta);
  const list = await openServers(context.env);
  const edit = (now: ServerList): ServerList => withMeta(now, name, wanted);
  const changed = findServer(dryRun ? edit(list.read()) : await list.change(edit), name);
  if (json) return writeJson(context.stdout, changed);
  await writeLine(context.stdout, `${dryRun ? 'Would be' : 'Now'} ${describeServer(changed)}`);
  if (!dryRun) await writeLine(context.stdout, 'Run `causeway clients repair` to update the entries of your clients.');
}

/** `causeway servers remove NAME…`. */
export async function removeServer(
  context: CommandContext,
  names: string[],
  { json, dryRun }: { json?: boolean; dryRun?: boolean },
): Promise<void> {
  const list = await openServers(context.env);
  const removed: ManagedServer[] = [];
  const edit = (now: ServerList): ServerList =>
    names.reduce((left, name) => {
      removed.push(findServer(left, name));
      return withoutServer(left, name);
    }, now);
  if (dryRun) edit(list.read());
  else await list.change(edit);
  if (json) return writeJson(context.stdout, removed);
  if (dryRun) {
    for (const server of removed) await writeLine(context.stdout, `Would remove ${describeServer(server)}`);
    return;
  }
  for (const server of removed) await writeLine(context.stdout, `Removed ${describeServer(server)}`);
  await writeLine(context.stdout, 'AI clients keep their entries. Remove them with `causeway clients remove`.');
}

/** @throws {CausewayError} `usage`; as `namedServer` */
async function serverMeant(
  context: CommandContext,
  kindText: string | undefined,
  target: string,
  options: AddServerOptions,
): Promise<NamedServer> {
  const named =
    kindText !== undefined && target === '' && options.path === undefined
      ? await namedServer(context, kindText, options.profile)
      : undefined;
  if (named) return named;
  const kind = kindOf(kindText, options.path);
  const path = kind === 'other' ? checkedServerPath(options.path ?? '', '--path') : serverPath(kind, target);
  return { kind: serverAt(path).kind, path };
}

function kindOf(text: string | undefined, path: string | undefined): ManagedServerKind {
  if (text === undefined && path !== undefined) return 'other';
  if (text !== undefined && path !== undefined) {
    throw new CausewayError('usage', 'A kind and --path were both given.', { remedy: 'Give one of them.' });
  }
  const kind = SERVER_KINDS.find((known) => known === text && known !== 'other');
  if (kind) return kind;
  const known = SERVER_KINDS.filter((one) => one !== 'other').join(', ');
  throw new CausewayError('usage', text === undefined ? 'No kind was named.' : `"${text}" is not a kind of server.`, {
    remedy: `Use a name from \`causeway servers browse\`, one of ${known}, or --path with a path.`,
  });
}

/** `causeway servers`: the servers that clients are to have. */
export async function listServers(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const { servers } = (await openServers(context.env)).atOpening;
  if (options.json) return writeJson(context.stdout, servers.map(withSuccessor));
  if (servers.length === 0) {
    return writeLine(context.stderr, 'No servers yet. Add one with: causeway servers add sql');
  }
  const more: [head: string, of: (server: ManagedServer) => string][] = [
    ['TITLE', ({ title = '' }) => title],
    ['META', ({ meta }) => formatMeta(meta)],
  ];
  const shown = more.filter(([, of]) => servers.some((server) => of(server) !== ''));
  const head = ['NAME', 'KIND', 'PROFILE', 'PATH', ...shown.map(([title]) => title)];
  const rows = servers.map((server) => {
    const { name, profile, path } = server;
    return [name, serverAt(path).shown, profile, path, ...shown.map(([, of]) => of(server))].map(printable);
  });
  for (const line of columns([head, ...rows])) await writeLine(context.stdout, line);
  for (const { name, path } of servers) {
    const { successor } = serverAt(path);
    if (!successor) continue;
    await writeLine(
      context.stdout,
      `${name}: replaced by ${successor.add}. Move it with: causeway servers move ${name}`,
    );
  }
}

function withSuccessor(server: ManagedServer): object {
  const { successor } = serverAt(server.path);
  return successor ? { ...server, successor } : server;
}

interface Tested {
  server: ManagedServer;
  tools: PermittedTool[] | null;
  /** Tool names that a client would cut or refuse, as sentences. */
  warnings: string[];
  error: string | null;
}

/** `causeway servers test [NAME…]`: connects to each server as an AI client does, and prints its tools. */
export async function test(context: CommandContext, names: string[], options: { json?: boolean }): Promise<void> {
  const list = (await openServers(context.env)).atOpening;
  const servers = names.length === 0 ? list.servers : names.map((name) => findServer(list, name));
  if (servers.length === 0) {
    throw new CausewayError('not_found', 'There are no servers yet.', {
      action: { do: 'add-server' },
    });
  }
  const tested: Tested[] = [];
  const failures: unknown[] = [];
  for (const server of servers) {
    const one = await testOne(context, server, failures);
    tested.push(one);
    if (!options.json) await print(context, one);
  }
  if (options.json) await writeJson(context.stdout, tested);
  context.setExitCode(exitCodeOfAll(failures));
}

async function testOne(context: CommandContext, server: ManagedServer, failures: unknown[]): Promise<Tested> {
  try {
    const tools = await askForTools(context, server);
    return {
      server,
      tools: await withPermissions(context, server, tools),
      warnings: longNames(
        server.name,
        tools.map(({ name }) => name),
      ),
      error: null,
    };
  } catch (error) {
    context.signal.throwIfAborted();
    failures.push(error);
    return { server, tools: null, warnings: [], error: inOneLine(error) };
  }
}

async function print({ stdout, stderr }: CommandContext, { server, tools, warnings, error }: Tested): Promise<void> {
  if (!tools) return writeLine(stderr, `${server.name}: ${error}`);
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  await writeLine(stdout, `${server.name}: ${tools.length === 0 ? 'no tools' : count}`);
  for (const { name, description, permission, decidedBy } of tools) {
    const about = description?.split('\n')[0]?.slice(0, 100);
    const who = decidedBy === 'organization' ? ', organization' : '';
    const limit =
      permission === 'allow' ? '' : `  (${permission === 'ask' ? 'asks first' : 'off for AI clients'}${who})`;
    await writeLine(stdout, `  ${name}${limit}${about ? `  ${about}` : ''}`);
  }
  if (tools.length === 0) {
    const { sentence, remedy } = formatHealth(
      { name: 'no-grants', checkedAt: Date.now() },
      { profile: server.profile, now: Date.now() },
    );
    await writeLine(stdout, `  ${sentences(sentence, remedy)}`);
  }
  for (const warning of warnings) await writeLine(stderr, `  ${warning}`);
}

/** The part of a tool that users read, and what the server says about what it does. */
type DescribedTool = Pick<ServerTool, 'name' | 'description'> & Pick<ListedTool, 'hints'>;

/** A tool, and whether AI clients without permissions of their own may use it. */
interface PermittedTool extends Pick<ServerTool, 'name' | 'description'> {
  permission: 'allow' | 'ask' | 'refuse';
  /** Who forbids it, or has it ask first; null if nobody does, or what decides cannot be read. */
  decidedBy: 'organization' | 'user' | null;
}

async function withPermissions(
  context: CommandContext,
  { profile, path }: ManagedServer,
  tools: readonly DescribedTool[],
): Promise<PermittedTool[]> {
  const { host } = await (await context.causeway().auth()).profile(profile);
  const permissions = permissionsOfServer(new PermissionsFile(context.env), serverKey(host, path));
  await permissions.refresh();
  return tools.map(({ hints, ...tool }) => {
    const decision = permissions.decide(tool.name, '', hints);
    const permission = decision.do === 'block' ? 'refuse' : decision.do;
    return { ...tool, permission, decidedBy: 'by' in decision ? decision.by.who : null };
  });
}

/** How long a server may be silent, in milliseconds: a warehouse may have to start. */
const SILENCE_TIMEOUT_MS = 60_000;

/**
 * Begins a session with a server and asks what tools it has, as the running application does.
 * @throws {CausewayError} as `openEndpoint`; `unexpected_answer` with the server's words, `timeout`, `cancelled`
 */
export async function askForTools(context: CommandContext, { profile, path }: ManagedServer): Promise<DescribedTool[]> {
  const { env, signal } = context;
  const { systemProxies } = context.causeway();
  const pools = sharedPools((origin) => openPool(origin, { env, silenceMs: SILENCE_TIMEOUT_MS, systemProxies }));
  const causeway = context.causeway();
  const endpoint = await openEndpoint(
    { profile, path },
    { auth: await causeway.auth(), pool: pools.to, env, services: causeway.services, apps: causeway.apps },
  );
  const { McpSession } = await import('../../hub/health/mcp-session.ts');
  const session = new McpSession(endpoint);
  try {
    return (await session.tools(signal)).map(({ name, description, ...tool }) => ({
      name,
      ...(description ? { description } : {}),
      hints: listedTool({ name, ...tool })?.hints ?? {},
    }));
  } finally {
    await session.close();
    await pools.close();
  }
}

/** A server in one line. */
export function describeServer({ name, profile, path, meta, confirmed }: ManagedServer): string {
  const at = confirmed === undefined ? '' : ` at ${confirmed}`;
  return printable(`${name}: ${path}${at} as ${profile}${meta ? `, with ${formatMeta(meta)}` : ''}`);
}
