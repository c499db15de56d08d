import { openAnswerStore } from '../../bridge/answer-store.ts';
import { listedTools } from '../../bridge/tool-guard.ts';
import { findServer, type ManagedServer, openServers } from '../../clients/servers.ts';
import { CLIENTS } from '../../clients/table.ts';
import { CausewayError } from '../../platform/errors.ts';
import { serverKey } from '../../rules/decision.ts';
import {
  formatEdit,
  formatRules,
  type RuleClient,
  type RuleEdit,
  type RuleScope,
  type Rules,
  rulesOf,
  type ToolRules,
  withChange,
  withEdit,
  withKnownTools,
  withoutScope,
} from '../../rules/rules.ts';
import { RulesFile } from '../../rules/rules-file.ts';
import type { Switch } from '../../rules/switch.ts';
import type { CommandContext } from '../command.ts';
import { columns, printable, writeJson, writeLine } from '../terminal.ts';

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

/** A scope with what people call it, and the server that it names. */
interface NamedScope extends RuleScope {
  words: string;
  configured?: { server: ManagedServer; host: string };
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
      rules: rows.map(({ server, client, of }) => ({ server, client, ...of })),
      history: rules.history ?? [],
    });
  }
  if (rows.length === 0) {
    await writeLine(context.stdout, 'There are no rules: every client may use every tool.');
    return writeLine(context.stdout, 'Begin with: causeway rules set --all --read-only');
  }
  const table = rows.map(({ server, client, of }) =>
    [server ?? 'all', client ?? 'all', formatRules(of)].map(printable),
  );
  for (const line of columns([['SERVER', 'CLIENT', 'RULE'], ...table])) await writeLine(context.stdout, line);
  const latest = (rules.history ?? []).slice(-SHOWN_CHANGES).toReversed();
  if (latest.length > 0) await writeLine(context.stdout, '\nLatest changes:');
  for (const { at, what } of latest) await writeLine(context.stdout, printable(`  ${localTime(at)}  ${what}`));
}

/** `causeway rules set [SERVER]`. */
export async function setRules(
  context: CommandContext,
  server: string | undefined,
  options: SetRulesOptions,
): Promise<void> {
  const { readOnly, new: newTools, on, off, ask } = options;
  const edit: RuleEdit = { readOnly, newTools, on, off, ask };
  if (Object.values(edit).every((value) => value === undefined)) {
    throw new CausewayError('usage', 'Nothing to change was named.', {
      remedy: 'Name --read-only, --no-read-only, --new, --on, --off or --ask.',
    });
  }
  const scope = await scopeOf(context, server, options);
  const tools = scope.configured && (await knownTools(context, scope.configured));
  const whole = tools ? (now: Rules) => withKnownTools(edit, rulesOf(now, scope), tools) : () => edit;
  await change(context, scope, options, {
    what: formatEdit(edit),
    edit: (now) => withEdit(now, scope, whole(now)),
  });
  if (options.json || !scope.configured) return;
  await warn(context, scope.configured.server, [...(on ?? []), ...(off ?? []), ...(ask ?? [])], newTools, tools);
}

/** `causeway rules clear [SERVER]`. */
export async function clearRules(
  context: CommandContext,
  server: string | undefined,
  options: ScopeOptions,
): Promise<void> {
  const scope = await scopeOf(context, server, options);
  await change(context, scope, options, {
    what: 'rules removed',
    edit: (now) => {
      if (Object.keys(rulesOf(now, scope)).length > 0) return withoutScope(now, scope);
      throw new CausewayError('not_found', `There are no rules for ${scope.words}.`, {
        remedy: '`causeway rules` lists those that there are.',
      });
    },
  });
}

async function change(
  context: CommandContext,
  scope: NamedScope,
  { json, dryRun }: ScopeOptions,
  { what, edit }: { what: string; edit(now: Rules): Rules },
): Promise<void> {
  const file = new RulesFile(context.env);
  const sentence = `${scope.words[0]?.toUpperCase()}${scope.words.slice(1)}: ${what}`;
  const noted = (now: Rules) => withChange(edit(now), { at: new Date().toISOString(), by: 'command', what: sentence });
  const after = dryRun ? edit(await readRules(file)) : await file.change(noted);
  const of = rulesOf(after, scope);
  if (json) {
    return writeJson(context.stdout, {
      server: scope.configured?.server.name ?? null,
      client: scope.client?.id ?? null,
      ...of,
    });
  }
  const now = formatRules(of);
  await writeLine(
    context.stdout,
    printable(`${dryRun ? 'Would be for' : 'Now for'} ${scope.words}: ${now === '' ? 'no rules' : now}`),
  );
}

/** Says what a person may not expect of a change. */
async function warn(
  context: CommandContext,
  server: ManagedServer,
  named: string[],
  newTools: Switch | undefined,
  tools: string[] | undefined,
): Promise<void> {
  const say = (text: string) => writeLine(context.stderr, printable(`causeway: ${text}`));
  if (tools) {
    for (const tool of named.filter((name) => !tools.includes(name))) {
      await say(`${server.name} has no tool "${tool}" now. It has ${tools.join(', ')}.`);
    }
  } else if (newTools !== undefined && newTools !== 'on') {
    await say(
      `The tools of ${server.name} are not known yet, so all of them count as new. "causeway servers test ${server.name}" lists them; switch some on with --on.`,
    );
  }
}

/** @throws {CausewayError} `usage`, `not_found` */
async function scopeOf(
  context: CommandContext,
  name: string | undefined,
  { client: clientId, all }: ScopeOptions,
): Promise<NamedScope> {
  const isNamed = name !== undefined || clientId !== undefined;
  if (all === isNamed || (!all && !isNamed)) {
    throw new CausewayError('usage', all ? '--all was given beside a server or a client.' : 'No server was named.', {
      remedy: 'Name a server, a client with --client, or --all for everything.',
    });
  }
  const client = clientId === undefined ? undefined : clientNamed(clientId);
  if (name === undefined) return { client, words: client ? `${client.name} at every server` : 'everything' };
  const server = findServer((await openServers(context.env)).read(), name);
  const { host } = await (await context.causeway().auth()).profile(server.profile);
  const words = client ? `${client.name} at ${server.name}` : server.name;
  return { server: serverKey(host, server.path), client, words, configured: { server, host } };
}

function clientNamed(id: string): RuleClient {
  const found = CLIENTS.find((client) => client.id === id);
  if (!found) {
    throw new CausewayError('not_found', `There is no client "${id}".`, {
      remedy: '`causeway clients --all` lists the clients that Causeway knows.',
      candidates: CLIENTS.map((client) => ({ name: client.id })),
    });
  }
  if (found.wireNames.length > 0) return found;
  throw new CausewayError('usage', `${found.name} cannot be told from other clients.`, {
    remedy:
      'Nobody has seen yet what it calls itself when it connects. Make the rule for the server, or for everything.',
  });
}

async function readRules(file: RulesFile): Promise<Rules> {
  await file.refresh();
  if (file.rules instanceof CausewayError) throw file.rules;
  return file.rules;
}

/** The names of a server's tools as it listed them last; undefined where it never has. */
async function knownTools(
  context: CommandContext,
  { server, host }: { server: ManagedServer; host: string },
): Promise<string[] | undefined> {
  const store = openAnswerStore(context.env, { host, path: server.path, profile: server.profile });
  const known = await store.get('tools/list');
  return known && listedTools(known).map(({ name }) => name);
}

interface Row {
  server: string | null;
  client: string | null;
  of: ToolRules;
}

function rowsOf(rules: Rules, names: Map<string, string>): Row[] {
  const rows: Row[] = [{ server: null, client: null, of: rules.all ?? {} }];
  for (const [client, { readOnly }] of Object.entries(rules.clients ?? {})) {
    rows.push({ server: null, client, of: readOnly === undefined ? {} : { readOnly } });
  }
  for (const [key, { clients = {}, ...of }] of Object.entries(rules.servers ?? {})) {
    const server = names.get(key) ?? key;
    rows.push({ server, client: null, of });
    for (const [client, ofBoth] of Object.entries(clients)) rows.push({ server, client, of: ofBoth });
  }
  return rows.filter(({ of }) => formatRules(of) !== '');
}

/** The configured servers' names by their `serverKey`. A profile that is gone has no host: its servers' rules show their address. */
async function serverNames(context: CommandContext): Promise<Map<string, string>> {
  const { servers } = (await openServers(context.env)).read();
  const auth = await context.causeway().auth();
  const named = await Promise.all(
    servers.map(async ({ name, profile, path }) => {
      const found = await auth.profile(profile).catch(() => undefined);
      return found ? [[serverKey(found.host, path), name] as const] : [];
    }),
  );
  return new Map(named.flat());
}

function localTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}
