import { lastListedTools } from '../bridge/answer-store.ts';
import { findServer, type ManagedServer, openServers } from '../clients/servers.ts';
import { CLIENTS } from '../clients/table.ts';
import { CausewayError } from '../platform/errors.ts';
import { hasLockedRules } from '../policy/managed-rules.ts';
import { currentPolicy } from '../policy/system-policy.ts';
import { changeRules, type NamedScope, readRules, scopeOf } from '../rules/change.ts';
import {
  formatRules,
  hasRules,
  type RuleClient,
  type RuleEdit,
  type Rules,
  rulesOf,
  type ToolRules,
} from '../rules/rules.ts';
import { RulesFile } from '../rules/rules-file.ts';
import { serverKey } from '../rules/server-key.ts';
import type { Switch } from '../rules/switches.ts';
import type { CommandContext } from './command.ts';
import { columns, printable, write, writeJson, writeLine } from './terminal.ts';

interface ScopeOptions {
  client?: string;
  all?: boolean;
  json?: boolean;
  dryRun?: boolean;
}

export interface SetRulesOptions extends ScopeOptions {
  readOnly?: boolean;
  new?: Switch;
  on?: string[];
  off?: string[];
  ask?: string[];
}

/** A scope, and the server that it names. */
interface AskedScope extends NamedScope {
  /** `others` are the names of servers that rules do not tell from it: the same one, for another profile. */
  configured?: { server: ManagedServer; host: string; others: string[] };
}

/** How many of the latest changes are shown. */
const SHOWN_CHANGES = 5;

/** `causeway rules`: every rule, and the latest changes. */
export async function listRules(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const rules = await readRules(new RulesFile(context.env));
  const names = await serverNames(context);
  const rows = rowsOf(rules, names);
  if (options.json) {
    return writeJson(context.stdout, {
      rules: rows.map(({ servers, client, of }) => ({ server: servers?.[0] ?? null, servers, client, ...of })),
      history: rules.history ?? [],
    });
  }
  if (hasLockedRules(await currentPolicy())) {
    await writeLine(
      context.stdout,
      'Managed by your organization: its rules take precedence. See: causeway policy show',
    );
  }
  if (rows.length === 0) {
    await writeLine(context.stdout, 'No rules yet. Every client may use every tool.');
    return writeLine(context.stdout, 'Start with: causeway rules set --all --read-only');
  }
  const table = rows.map(({ servers, client, of }) =>
    [servers?.join(', ') ?? 'all', client ?? 'all', formatRules(of)].map(printable),
  );
  for (const line of columns([['SERVER', 'CLIENT', 'RULE'], ...table])) await writeLine(context.stdout, line);
  const latest = (rules.history ?? []).slice(-SHOWN_CHANGES).toReversed();
  if (latest.length > 0) await write(context.stdout, '\nLatest changes:\n');
  for (const { at, what } of latest) await writeLine(context.stdout, `  ${localTime(at)}  ${what}`);
}

/** `causeway rules set [SERVER]`. */
export async function setRules(
  context: CommandContext,
  server: string | undefined,
  options: SetRulesOptions,
): Promise<void> {
  const { readOnly, new: newTools, on, off, ask } = options;
  if ([readOnly, newTools, on, off, ask].every((value) => value === undefined)) {
    throw new CausewayError('usage', 'No change was given.', {
      remedy: 'Use --read-only, --no-read-only, --new, --on, --off or --ask.',
    });
  }
  if (server === undefined) await refuseServerAmongTools(context, options);
  const scope = await askedScope(context, server, options);
  const tools =
    scope.configured &&
    (await lastListedTools(context.env, { ...scope.configured.server, host: scope.configured.host }));
  const named = (option: 'on' | 'off' | 'ask') => toolsNamed(option, options[option], tools);
  const edit: RuleEdit = { readOnly, newTools, on: named('on'), off: named('off'), ask: named('ask') };
  const file = new RulesFile(context.env);
  const after = await changeRules(file, scope, edit, { by: 'command', tools, dryRun: options.dryRun });
  const warnings = scope.configured ? warningsFor(scope.configured.server, edit, tools) : [];
  await printChanged(context, scope, options, after, warnings);
}

/** The tools in an option's values, separated by spaces or commas. A comma in the name of a known tool is part of the name. */
function toolsNamed(option: string, texts: string[] | undefined, known: string[] = []): string[] | undefined {
  const tools = texts?.flatMap((text) => (known.includes(text) ? text : text.split(',')));
  const names = tools?.map((name) => name.trim()).filter(Boolean);
  if (names?.length === 0) {
    throw new CausewayError('usage', `--${option} was given without a tool.`, {
      remedy: 'Add a tool, or leave the option out.',
    });
  }
  return names;
}

/** `causeway rules clear [SERVER]`. */
export async function clearRules(
  context: CommandContext,
  server: string | undefined,
  options: ScopeOptions,
): Promise<void> {
  const scope = await askedScope(context, server, options);
  const file = new RulesFile(context.env);
  if (!hasRules(await readRules(file), scope)) {
    throw new CausewayError('not_found', `There are no rules for ${scope.words}.`, {
      remedy: '`causeway rules` lists all rules.',
    });
  }
  const after = await changeRules(file, scope, 'remove', { by: 'command', dryRun: options.dryRun });
  await printChanged(context, scope, options, after, []);
}

async function printChanged(
  context: CommandContext,
  scope: AskedScope,
  { json, dryRun }: ScopeOptions,
  after: Rules,
  warnings: string[],
): Promise<void> {
  const { client, configured, words } = scope;
  const of = rulesOf(after, scope);
  const others = configured?.others ?? [];
  const isSame = `${others.join(' and ')} ${others.length === 1 ? 'leads' : 'lead'} to the same server. The rules apply there too.`;
  const said = others.length === 0 ? warnings : [...warnings, isSame];
  if (json) {
    return writeJson(context.stdout, {
      server: configured?.server.name ?? null,
      client: client?.id ?? null,
      ...of,
      warnings: said,
    });
  }
  const now = formatRules(of);
  const line = `Rules for ${words}${dryRun ? ' would be' : ''}: ${now === '' ? 'none' : now}`;
  await writeLine(context.stdout, line);
  for (const warning of said) await writeLine(context.stderr, `causeway: ${warning}`);
}

/** Effects of a change that a user may not expect. */
function warningsFor(server: ManagedServer, edit: RuleEdit, tools: string[] | undefined): string[] {
  const { newTools, on = [], off = [], ask = [] } = edit;
  if (tools) {
    return [...on, ...off, ...ask]
      .filter((name) => !tools.includes(name))
      .map((name) => `${server.name} currently has no tool "${name}". It has ${tools.join(', ')}.`);
  }
  if (newTools === undefined || newTools === 'on') return [];
  return [
    `The tools of ${server.name} are not known yet and all count as new. \`causeway servers test ${server.name}\` lists them. Turn some on with --on.`,
  ];
}

/** An option that takes several tools takes a server that is behind it for one more. @throws {CausewayError} `usage` */
async function refuseServerAmongTools(context: CommandContext, { on, off, ask }: SetRulesOptions): Promise<void> {
  const { servers } = (await openServers(context.env)).atOpening;
  for (const [option, tools = []] of Object.entries({ on, off, ask })) {
    const name = tools.find((tool) => servers.some((server) => server.name === tool));
    if (name === undefined) continue;
    throw new CausewayError('usage', `"${name}" follows --${option} and counts as a tool.`, {
      remedy: `Put the server first: causeway rules set ${name} --${option} ${tools.filter((tool) => tool !== name).join(' ')}`,
    });
  }
}

/** @throws {CausewayError} `usage`, `not_found` */
async function askedScope(
  context: CommandContext,
  name: string | undefined,
  { client: clientId, all }: ScopeOptions,
): Promise<AskedScope> {
  const isNamed = name !== undefined || clientId !== undefined;
  if (all === isNamed || (!all && !isNamed)) {
    throw new CausewayError('usage', all ? '--all was given with a server or a client.' : 'No server was named.', {
      remedy: 'Name a server, a client with --client, or --all for everything.',
    });
  }
  const client = clientId === undefined ? undefined : await clientNamed(context, clientId);
  if (name === undefined) return scopeOf(client);
  const server = findServer((await openServers(context.env)).atOpening, name);
  const { host } = await (await context.causeway().auth()).profile(server.profile);
  const key = serverKey(host, server.path);
  const others = ((await serverNames(context)).get(key) ?? []).filter((other) => other !== server.name);
  return { ...scopeOf(client, { key, name: server.name }), configured: { server, host, others } };
}

/** A client by its id: a known client, or one that existing rules name by the name it sends. */
async function clientNamed(context: CommandContext, id: string): Promise<RuleClient> {
  const ruled = async () => (await readRules(new RulesFile(context.env))).clients?.[id];
  const found = CLIENTS.find((client) => client.id === id) ?? (await ruled());
  if (!found) {
    throw new CausewayError('not_found', `There is no client "${id}".`, {
      remedy: '`causeway clients --all` lists the clients that Causeway knows.',
      candidates: CLIENTS.map((client) => ({ name: client.id })),
    });
  }
  if (found.wireNames.length > 0) return { ...found, id };
  throw new CausewayError('usage', `${found.name} cannot be told apart from other clients.`, {
    remedy: 'The name it connects under is not known. Set the rule for the server, or for everything.',
  });
}

interface Row {
  /** The names of a server, or its address where none is configured; null for all. */
  servers: string[] | null;
  client: string | null;
  of: ToolRules;
}

function rowsOf(rules: Rules, names: Map<string, string[]>): Row[] {
  const rows: Row[] = [{ servers: null, client: null, of: rules.all ?? {} }];
  for (const [client, { readOnly }] of Object.entries(rules.clients ?? {})) {
    rows.push({ servers: null, client, of: readOnly === undefined ? {} : { readOnly } });
  }
  for (const [key, { clients = {}, ...of }] of Object.entries(rules.servers ?? {})) {
    const servers = names.get(key) ?? [key];
    rows.push({ servers, client: null, of });
    for (const [client, ofBoth] of Object.entries(clients)) rows.push({ servers, client, of: ofBoth });
  }
  return rows.filter(({ of }) => formatRules(of) !== '');
}

/** The configured servers' names by their `serverKey`. A profile that is gone has no host: its servers' rules show their address. */
async function serverNames(context: CommandContext): Promise<Map<string, string[]>> {
  const { servers } = (await openServers(context.env)).atOpening;
  const auth = await context.causeway().auth();
  const names = new Map<string, string[]>();
  for (const { name, profile, path } of servers) {
    const found = await auth.profile(profile).catch(() => undefined);
    if (!found) continue;
    const key = serverKey(found.host, path);
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return names;
}

function localTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}
