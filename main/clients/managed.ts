import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import type { ClientFacts, ManagedFile } from './client.ts';
import { commandLineOf, type DataTable } from './entry.ts';
import type { ClientFiles, ManagedContent } from './files.ts';
import { type HostEnvironment, placesOf } from './places.ts';

/** Returns why a client does not load an entry; undefined if it does. */
export type ManagedCheck = (name: string, entry: DataTable) => CausewayError | undefined;

/**
 * What a client's own administrator has decided about its servers. Changes nothing.
 * @throws {CausewayError} `invalid_file`, `file_not_writable` if that cannot be read
 */
export async function managedCheck(
  client: ClientFacts,
  environment: HostEnvironment,
  files: Pick<ClientFiles, 'readManaged'>,
): Promise<ManagedCheck> {
  const checks: ManagedCheck[] = [];
  const lists: Lists[] = [];
  for (const file of client.managed?.(placesOf(environment)) ?? []) {
    const content = await files.readManaged(file);
    if (content === undefined) continue;
    checks.push(...checksIn(client, file, content));
    if (file.decides === 'lists') lists.push(listsIn(file, content.values));
  }
  if (lists.length > 0) checks.push(listCheck(client, lists, environment));
  return (name, entry) => {
    for (const check of checks) {
      const error = check(name, entry);
      if (error) return error;
    }
    return undefined;
  };
}

/** What one file decides by itself. */
function checksIn(client: ClientFacts, file: ManagedFile, { servers }: ManagedContent): ManagedCheck[] {
  switch (file.decides) {
    case 'all':
      return [() => refusal(`${file.path} alone decides which servers ${client.name} loads`)];
    case 'identities':
      return servers ? [identityCheck(client, file, servers)] : [];
    case 'more':
    case 'lists':
      return file.isOwn ? [] : [providedCheck(client, file, servers ?? new Map())];
  }
}

/** The decisions as warnings about entries that exist or would exist. A file that cannot be read is a warning, too. */
export async function managedWarnings(
  client: ClientFacts,
  environment: HostEnvironment,
  entries: readonly (readonly [name: string, entry: DataTable])[],
  files: Pick<ClientFiles, 'readManaged'>,
): Promise<string[]> {
  try {
    const check = await managedCheck(client, environment, files);
    const errors = entries.flatMap(([name, entry]) => check(name, entry) ?? []);
    return [...new Set(errors.map(({ message }) => message))];
  } catch (error) {
    return [inOneLine(error)];
  }
}

function refusal(why: string): CausewayError {
  return new CausewayError('managed', `Managed by your organization: ${why}.`, {
    remedy: 'Nothing was written. Ask your administrator to allow Causeway there.',
  });
}

/** Refuses entries with the name or address of a server that the organization gives a client. */
function providedCheck(
  { name: client }: ClientFacts,
  { path }: ManagedFile,
  provided: Map<string, unknown>,
): ManagedCheck {
  const urls = new Map([...provided].flatMap(([name, entry]) => urlsOf(entry).map((url) => [url, name] as const)));
  return (name, entry) => {
    const same = provided.has(name) ? name : urlsOf(entry).flatMap((url) => urls.get(url) ?? [])[0];
    return same === undefined ? undefined : refusal(`${path} already gives ${client} the server "${same}"`);
  };
}

const identitySchema = z.looseObject({ identity: z.looseObject({ command: z.string(), url: z.string() }).partial() });

/** Codex loads a server only if its name and its command, or its address, are among the required ones (openai/codex, `config_requirements.rs`). */
function identityCheck(
  { name: client }: ClientFacts,
  { path }: ManagedFile,
  required: Map<string, unknown>,
): ManagedCheck {
  return (name, entry) => {
    const { data } = identitySchema.safeParse(required.get(name));
    const [command] = commandLineOf(entry);
    const isAllowed =
      (data?.identity.command !== undefined && data.identity.command === command) ||
      (data?.identity.url !== undefined && urlsOf(entry).includes(data.identity.url));
    return isAllowed ? undefined : refusal(`${path} does not allow ${client} this server`);
  };
}

const matcherSchema = z
  .looseObject({ serverName: z.string(), serverCommand: z.array(z.string()), serverUrl: z.string() })
  .partial();
type Matcher = z.infer<typeof matcherSchema>;

interface Lists {
  path: string;
  allowed: Matcher[] | undefined;
  denied: Matcher[];
  /** Whether the user's own settings cannot allow more. */
  isExclusive: boolean;
  /** Whether it is the user's own file. */
  isOwn: boolean;
}

function listsIn({ path, isOwn = false }: ManagedFile, values: Map<string, unknown>): Lists {
  const list = (key: string) => z.array(matcherSchema).safeParse(values.get(key)).data;
  const allowed = values.has('allowedMcpServers') ? (list('allowedMcpServers') ?? []) : undefined;
  return {
    path,
    allowed,
    denied: list('deniedMcpServers') ?? [],
    isExclusive: values.get('allowManagedMcpServersOnly') === true,
    isOwn,
  };
}

/** Claude Code's order: anything denied anywhere is denied. Then, if an allow list exists, everything else is denied. */
function listCheck({ name: client }: ClientFacts, lists: Lists[], { env }: HostEnvironment): ManagedCheck {
  const isExclusive = lists.some((each) => each.isExclusive);
  const counting = lists.filter(({ isOwn }) => !isOwn || !isExclusive);
  const allowing = counting.filter(({ allowed }) => allowed !== undefined);
  const allowed = allowing.flatMap((each) => each.allowed ?? []);
  return (name, entry) => {
    const denying = lists.find(({ denied }) => denied.some((matcher) => isMatch(matcher, name, entry, env)));
    if (denying) return refusal(`${denying.path} denies ${client} this server`);
    const [first] = allowing;
    if (!first || isAllowedBy(allowed, name, entry, env)) return undefined;
    return refusal(`${first.path} does not allow ${client} this server`);
  };
}

/** A name counts only if the list has no more specific entry for servers of that kind. */
function isAllowedBy(allowed: Matcher[], name: string, entry: DataTable, env: HostEnvironment['env']): boolean {
  const key = urlsOf(entry).length > 0 ? 'serverUrl' : 'serverCommand';
  const close = allowed.filter((matcher) => matcher[key] !== undefined);
  return (close.length > 0 ? close : allowed).some((matcher) =>
    isMatch(close.length > 0 ? { [key]: matcher[key] } : { serverName: matcher.serverName }, name, entry, env),
  );
}

function isMatch(matcher: Matcher, name: string, entry: DataTable, env: HostEnvironment['env']): boolean {
  const { serverName, serverCommand, serverUrl } = matcher;
  if (serverName !== undefined && serverName === name) return true;
  const expanded = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_all, variable: string, otherwise = '') => env[variable] ?? otherwise);
  const commandLine = commandLineOf(entry);
  if (serverCommand !== undefined && commandLine.length === serverCommand.length && commandLine.length > 0) {
    if (serverCommand.every((part, index) => expanded(part) === commandLine[index])) return true;
  }
  return serverUrl !== undefined && urlsOf(entry).some((url) => isUrlMatch(expanded(serverUrl), url));
}

/** `*` matches any characters. A pattern without a path matches every path. Case matters in the path, but not in the host. */
function isUrlMatch(pattern: string, url: string): boolean {
  const [, origin = pattern, path = ''] = /^([^/]*:\/\/[^/]*)(.*)$/.exec(pattern) ?? [];
  const { protocol, host, pathname, search } = new URL(url);
  const glob = (text: string, flags: string) => new RegExp(`^${text.split('*').map(escaped).join('.*')}$`, flags);
  const isHost = glob(origin, 'i').test(`${protocol}//${host}`);
  return isHost && (path === '' || path === '/' || glob(path, '').test(pathname + search));
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function urlsOf(entry: unknown): string[] {
  const { data } = z.looseObject({ url: z.url() }).safeParse(entry);
  return data ? [data.url] : [];
}
