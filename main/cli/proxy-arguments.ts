import { parseArgs } from 'node:util';
import { splitAddress } from '../../preload/contract/server-path.ts';
import { AUTH_TYPES } from '../auth/auth.ts';
import { isAccountHost, parseHost } from '../auth/profiles/host.ts';
import { decidesWorkspace } from '../auth/profiles/variables.ts';
import type { Caller } from '../bridge/endpoint.ts';
import { checkedServerPath, parseMeta, parseMetaOfAll } from '../clients/server-arguments.ts';
import { CausewayError } from '../platform/errors.ts';
import type { RegisterCommand } from './command.ts';

/** What `causeway proxy` was asked for: the server at `path`, as `profile` (the default one where none is named). */
export interface ProxyRequest {
  profile: string | undefined;
  path: string;
  /** The origin in `--url`; it must be that of the profile, if one is named. */
  origin: string | undefined;
  authType: string | undefined;
  /** What each tool call carries in `_meta`; undefined if nothing was asked for. */
  meta: Record<string, string> | undefined;
  /** What this process knows about who calls. */
  caller?: Caller | undefined;
  /** Why nothing is sent, although the client is answered: its form is another program's, or its environment is not known. */
  refusal?: CausewayError | undefined;
}

export const PROXY_HELP = `Usage: causeway proxy --profile NAME --path /api/2.0/mcp/SERVER
       causeway proxy --url https://HOST/api/2.0/mcp/SERVER --auth-type databricks-cli --profile NAME
       causeway proxy --all [--profile NAME]

Bridges one managed MCP server, or all servers in \`causeway servers\`, to stdin and stdout. AI clients run this command. See
\`causeway clients\`.

  --profile NAME     a profile of the Databricks configuration file (default: as the Databricks CLI chooses)
  --path PATH        the server's path on the profile's workspace
  --url URL          the same as a full URL; without --profile, the profile of its host
  --all              all servers in the list as one server, following changes; with --profile, only those of that profile
  --meta NAME=VALUE  a value to send in _meta with each tool call, for example warehouse_id=0123456789abcdef; can be repeated;
                     with --all, SERVER/NAME=VALUE applies only to that server
  --environment FILE a record of the environment that the entry was written in; Causeway writes it into entries
  --auth-type TYPE   accepted for compatibility; the profile decides how to sign in
  --no-auto-login    accepted for compatibility; a sign-in page opens only when a client's user asks for it
  --no-verify-ssl    refused: the client is told how to trust a certificate authority
  --help             print this help

With --all, a name that only one server has stays unchanged. If several servers have the same name, each is prefixed with its
server: SERVER__TOOL for tools and prompts, causeway.SERVER+URI for resources.

Exit codes: 0 the session ended; 1 an answer could not be written; 2 wrong usage, where no client waits for an answer.
`;

const OPTIONS = {
  profile: { type: 'string' },
  path: { type: 'string' },
  url: { type: 'string' },
  'auth-type': { type: 'string' },
  environment: { type: 'string' },
  meta: { type: 'string', multiple: true },
} as const;

/** The flags without a value that uc-mcp-proxy has, whose entries people paste. */
const SWITCHES = new Set(['no-auto-login', 'no-verify-ssl']);
const NO_VERIFY = '--no-verify-ssl';

/**
 * Reads the arguments of both forms (spec/managed-mcp-endpoints.md › Stdio proxy pattern).
 * @throws {CausewayError} `usage`, naming the argument and the remedy
 */
export function parseProxyArguments(args: string[]): ProxyRequest {
  const values = readFlags(args);
  if (values.url === undefined && values.path === undefined) {
    throw usage(
      'No server was named.',
      'Add --path /api/2.0/mcp/sql, --url with the full address, or --all for all servers in the list.',
    );
  }
  checkAuthType(values['auth-type']);
  const target =
    values.url === undefined
      ? { path: checkedServerPath(values.path ?? '', '--path'), origin: undefined }
      : splitUrl(values.url);
  const meta = values.meta && parseMeta(values.meta);
  const refusal = refusalOf(args, values);
  return { profile: values.profile, authType: values['auth-type'], meta, ...target, ...(refusal ? { refusal } : {}) };
}

/** The request of an entry that may not run, whatever it asks for. */
export function refusedRequest(args: string[], refusal: CausewayError): ProxyRequest {
  const { path = '' } = readFlags(args.filter((arg) => arg !== ALL));
  return { profile: undefined, path, origin: undefined, authType: undefined, meta: undefined, refusal };
}

function refusalOf(args: string[], { url, path }: { url?: string; path?: string }): CausewayError | undefined {
  if (url !== undefined && path !== undefined) return usage('--url and --path were both given.', 'Give one of them.');
  if (!args.includes(NO_VERIFY)) return undefined;
  return usage(
    `${NO_VERIFY} is not supported: certificates are always verified.`,
    'Remove the flag. If your network has a certificate authority of its own, set NODE_EXTRA_CA_CERTS to its file.',
  );
}

/** What `causeway proxy --all` was asked for. */
export interface AllRequest {
  /** Only the servers of this profile; all where none is named. */
  profile: string | undefined;
  /** As in `ProxyRequest`, for the calls of every server; as `SERVER/NAME`, for those of one. */
  meta: Record<string, string> | undefined;
}

/** The file that an entry names for the environment it was written in; undefined if it names none. */
export function environmentArgument(args: string[]): string | undefined {
  return readFlags(args.filter((arg) => arg !== ALL)).environment;
}

/** Whether the arguments ask for all servers as one. */
export function asksForAll(args: string[]): boolean {
  return args.includes(ALL);
}

/** Reads the arguments of `causeway proxy --all`. @throws {CausewayError} `usage`, as `parseProxyArguments` */
export function parseAllArguments(args: string[]): AllRequest {
  const values = readFlags(args.filter((arg) => arg !== ALL));
  if (values.url !== undefined || values.path !== undefined) {
    throw usage('--all and a server were both given.', 'Leave out --all, or --path and --url.');
  }
  checkAuthType(values['auth-type']);
  const refusal = refusalOf(args, values);
  if (refusal) throw refusal;
  return { profile: values.profile, meta: values.meta && parseMetaOfAll(values.meta) };
}

const ALL = '--all';

/** What identifies a machine or a user in this process's environment alone. */
const OWN_IDENTITY = [
  'DATABRICKS_OIDC_TOKEN',
  'DATABRICKS_OIDC_TOKEN_FILEPATH',
  'ACTIONS_ID_TOKEN_REQUEST_URL',
  'ARM_CLIENT_SECRET',
];

/**
 * The request as this process's environment completes it, and whether that environment decides more than a request can
 * tell the running application, whose own is another one: which workspace is meant, and as whom.
 */
export function completedBy(env: NodeJS.ProcessEnv, request: ProxyRequest): { request: ProxyRequest; isOwn: boolean } {
  const isOwn = OWN_IDENTITY.some((name) => env[name]) || (request.profile === undefined && decidesWorkspace(env));
  const profile = request.profile ?? (isOwn ? undefined : env.DATABRICKS_CONFIG_PROFILE || undefined);
  return { request: { ...request, profile }, isOwn };
}

/** `causeway proxy` among the other commands, for help and completion; what AI clients start never gets this far. */
export const registerProxy: RegisterCommand = (program) => {
  program
    .command('proxy')
    .description('bridge one or all managed MCP servers to stdin and stdout; AI clients run this')
    .option('--all')
    .option('--profile <name>')
    .option('--path <path>')
    .option('--url <url>')
    .option('--auth-type <type>')
    .option('--environment <file>')
    .option('--meta <name=value...>')
    .configureHelp({ formatHelp: () => PROXY_HELP });
};

type Flag = keyof typeof OPTIONS;

function readFlags(args: string[]): { [Name in Exclude<Flag, 'meta'>]?: string } & { meta?: string[] } {
  const { tokens, values } = parseArgs({ args, options: OPTIONS, strict: false, allowPositionals: true, tokens: true });
  const read: ReturnType<typeof readFlags> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') throw usage(`"${token.value}" is not an argument of proxy.`, help());
    if (token.kind !== 'option' || (SWITCHES.has(token.name) && token.value === undefined)) continue;
    const name = Object.keys(OPTIONS).find((known): known is Flag => known === token.name);
    if (!name) throw usage(`Unknown flag ${token.rawName}.`, help());
    const given = [values[name]].flat();
    const texts = given.filter((value) => typeof value === 'string' && value !== '' && !value.startsWith('--'));
    if (texts.length < given.length) throw usage(`--${name} needs a value.`, help());
    if (name === 'meta') read.meta = texts.map(String);
    else read[name] = String(texts.at(-1));
  }
  return read;
}

function checkAuthType(type: string | undefined): void {
  if (type === undefined || Object.hasOwn(AUTH_TYPES, type)) return;
  throw usage(
    `--auth-type "${type}" is not known.`,
    `Use one of ${Object.keys(AUTH_TYPES).join(', ')}, or leave it out.`,
  );
}

const EXAMPLE = 'Use the form https://HOST/api/2.0/mcp/sql.';

function splitUrl(text: string): { path: string; origin: string } {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw usage(`--url "${text}" is not a URL.`, EXAMPLE, cause);
  }
  if (url.username !== '' || url.password !== '') {
    throw usage('--url contains a user name or password.', 'Leave them out: the profile signs in.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw usage(`--url "${text}" is not an https address.`, EXAMPLE);
  }
  const { host: origin } = parseHost(url.origin);
  if (isAccountHost(origin)) {
    throw usage(
      `--url "${text}" is an account's address. Accounts have no MCP servers.`,
      "Use a workspace's own address.",
    );
  }
  // As written: a URL resolves dots, which no server's path has.
  return { path: checkedServerPath(splitAddress(text)?.path ?? '', 'The path of --url'), origin };
}

function help(): string {
  return '`causeway proxy --help` lists the flags.';
}

function usage(message: string, remedy: string, cause?: unknown): CausewayError {
  return new CausewayError('usage', message, { remedy, cause });
}
