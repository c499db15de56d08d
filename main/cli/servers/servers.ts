import { serverAt } from '../../../preload/contract/server-kinds.ts';
import { counted } from '../../../preload/contract/words/count.ts';
import { removeServers, setMeta } from '../../app/servers/change-list.ts';
import { listTools } from '../../app/servers/check-server.ts';
import { listedTool } from '../../bridge/listed-tools.ts';
import { formatMeta, parseMeta } from '../../clients/server-arguments.ts';
import { findServer, type ManagedServer, openServers } from '../../clients/servers.ts';
import { longNames } from '../../clients/table.ts';
import { formatHealth } from '../../hub/health/format.ts';
import type { ServerTool } from '../../hub/health/mcp-session.ts';
import { PermissionsFile } from '../../permissions/permissions-file.ts';
import { serverKey } from '../../permissions/server-key.ts';
import { permissionsOfServer } from '../../permissions/server-permissions.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { exitCodeOfAll, jsonFailure } from '../failure.ts';
import { firstWords } from '../layout.ts';
import { printable, writeAnswer, writeDone, writeLine, writeNotice, writeTable } from '../terminal.ts';

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
  const changed = await setMeta(context.causeway(), name, () => wanted, { dryRun });
  if (json) {
    return writeAnswer(context, 'servers set', { dryRun: dryRun === true, server: serverAnswer(changed) });
  }
  await writeDone(context, `${dryRun ? 'Would be' : 'Now'} ${describeServer(changed)}`);
  if (!dryRun) await writeDone(context, 'Run `causeway clients repair` to update the entries of your clients.');
}

/** `causeway servers remove NAME…`. */
export async function removeServer(
  context: CommandContext,
  names: string[],
  { json, dryRun }: { json?: boolean; dryRun?: boolean },
): Promise<void> {
  const removed = await removeServers(context.causeway(), names, { dryRun });
  if (json) {
    const servers = removed.map(serverAnswer);
    return writeAnswer(context, 'servers remove', { dryRun: dryRun === true, servers });
  }
  const did = dryRun ? 'Would remove' : 'Removed';
  for (const server of removed) await writeDone(context, `${did} ${describeServer(server)}`);
  if (dryRun) return;
  await writeDone(context, 'AI clients keep their entries. Remove them with `causeway clients remove`.');
}

/** `causeway servers`: the servers that clients are to have. */
export async function listServers(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const { servers } = (await openServers(context.env)).initial;
  if (options.json) return writeAnswer(context, 'servers list', { servers: servers.map(serverAnswer) });
  if (servers.length === 0) {
    return writeNotice(context, 'No servers yet. Add one with: causeway servers add sql');
  }
  const more: [head: string, of: (server: ManagedServer) => string][] = [
    ['TITLE', ({ title = '' }) => title],
    ['META', ({ meta }) => formatMeta(meta)],
  ];
  const shown = more.filter(([, of]) => servers.some((server) => of(server) !== ''));
  const head = ['NAME', 'KIND', 'PROFILE', 'PATH', ...shown.map(([title]) => title)];
  const rows = servers.map((server) => {
    const { name, profile, path } = server;
    return [name, serverAt(path).shown, profile, path, ...shown.map(([, of]) => of(server))];
  });
  await writeTable(context, rows, head);
  for (const { name, path } of servers) {
    const { successor, runsSql } = serverAt(path);
    // `servers add sql` has looked which SQL server the workspace offers.
    if (!successor || runsSql) continue;
    await writeDone(
      context,
      `${name}: ${successor.add} is newer. Where it is switched on, move with: causeway servers move ${name}`,
    );
  }
}

/** A server of the list as commands print it. */
export function serverAnswer(server: ManagedServer): Answer<'servers list'>['servers'][number] {
  const { name, profile, kind, path, title = null, meta = {}, confirmed = null } = server;
  const { successor } = serverAt(path);
  const replacedBy = successor ? { path: successor.path, add: successor.add } : null;
  return { name, profile, kind, path, title, meta, confirmed, successor: replacedBy };
}

interface Tested {
  server: ManagedServer;
  tools: PermittedTool[] | null;
  /** Tool names that a client would cut or refuse, as sentences. */
  warnings: string[];
  error: unknown;
}

/** `causeway servers test [NAME…]`: connects to each server as an AI client does, and prints its tools. */
export async function test(context: CommandContext, names: string[], options: { json?: boolean }): Promise<void> {
  const list = (await openServers(context.env)).initial;
  const servers = names.length === 0 ? list.servers : names.map((name) => findServer(list, name));
  if (servers.length === 0) {
    throw new CausewayError('not_found', 'There are no servers yet.', {
      action: { do: 'add-server' },
    });
  }
  const tested: Tested[] = [];
  for (const server of servers) {
    const one = await testOne(context, server);
    tested.push(one);
    if (!options.json) await print(context, one);
  }
  if (options.json) await writeAnswer(context, 'servers test', { servers: tested.map(testedAnswer) });
  context.setExitCode(exitCodeOfAll(tested.flatMap(({ error }) => (error === null ? [] : [error]))));
}

function testedAnswer({ server, tools, warnings, error }: Tested): Answer<'servers test'>['servers'][number] {
  return {
    server: serverAnswer(server),
    tools: tools?.map((tool) => ({ ...tool, description: tool.description ?? null })) ?? null,
    warnings,
    error: error === null ? null : jsonFailure(error),
  };
}

async function testOne(context: CommandContext, server: ManagedServer): Promise<Tested> {
  try {
    const tools = await listTools(context.causeway(), server, context.signal);
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
    return { server, tools: null, warnings: [], error };
  }
}

async function print(context: CommandContext, { server, tools, warnings, error }: Tested): Promise<void> {
  const { stdout, stderr } = context;
  if (!tools) return writeLine(stderr, `${server.name}: ${inOneLine(error)}`);
  const count = counted(tools.length, 'tool');
  await writeLine(stdout, `${server.name}: ${tools.length === 0 ? 'no tools' : count}`);
  for (const tool of tools) await writeLine(stdout, `  ${toolLine(tool)}`);
  if (tools.length === 0) {
    const { sentence, remedy } = formatHealth(
      { name: 'no-grants', checkedAt: Date.now() },
      { profile: server.profile, now: Date.now() },
    );
    await writeLine(stdout, `  ${sentences(sentence, remedy)}`);
  }
  for (const warning of warnings) await writeNotice(context, `  ${warning}`);
}

const LIMITS = { ask: 'asks first', refuse: 'off for AI clients' };

function toolLine({ name, description, permission, decidedBy }: PermittedTool): string {
  const about = description && firstWords(description, 100);
  const who = decidedBy === 'organization' ? ', organization' : '';
  const limit = permission === 'allow' ? '' : `  (${LIMITS[permission]}${who})`;
  return `${name}${limit}${about ? `  ${about}` : ''}`;
}

/** A tool, and whether AI clients without permissions of their own may use it. */
interface PermittedTool extends Pick<ServerTool, 'name' | 'description'> {
  permission: 'allow' | 'ask' | 'refuse';
  /** Who forbids it, or has it ask first; null if nobody does, or what decides cannot be read. */
  decidedBy: 'organization' | 'user' | null;
}

async function withPermissions(
  context: CommandContext,
  { profile, path }: ManagedServer,
  tools: readonly ServerTool[],
): Promise<PermittedTool[]> {
  const { host } = await (await context.causeway().auth()).profile(profile);
  const permissions = permissionsOfServer(new PermissionsFile(context.env), serverKey(host, path));
  await permissions.refresh();
  return tools.map((tool) => {
    const { name, description } = tool;
    const decision = permissions.decide(name, '', listedTool(tool)?.hints ?? {});
    const permission = decision.do === 'block' ? 'refuse' : decision.do;
    const decidedBy = 'by' in decision ? decision.by.who : null;
    return { name, ...(description ? { description } : {}), permission, decidedBy };
  });
}

/** A server in one line. */
export function describeServer({ name, profile, path, meta, confirmed }: ManagedServer): string {
  const at = confirmed === undefined ? '' : ` at ${confirmed}`;
  return printable(`${name}: ${path}${at} as ${profile}${meta ? `, with ${formatMeta(meta)}` : ''}`);
}
