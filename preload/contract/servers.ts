import { z } from 'zod';
import { job } from './jobs.ts';
import { clientMark, inProfile, list, text } from './parts.ts';
import { SERVER_GROUPS, SERVER_KINDS, SERVER_TYPES, type ServerType } from './server-kinds.ts';

const kind = z.enum(SERVER_KINDS);

/** What a server is, which its icon shows. It follows from the path: a server that was added by its path has one, too. */
const serverType = z.enum(SERVER_TYPES);

/** A managed server that AI clients are to have, and how it is just now. */
export const configuredServer = z.object({
  name: z.string(),
  profile: z.string(),
  kind,
  path: z.string(),
  type: serverType,
  /** What people know it by: a Genie space's title, `main.default`, "GitHub". The name where there is nothing better. */
  title: z.string(),
  /** What has replaced it, as people call it; null if nothing has. */
  successor: z.string().nullable(),
  /** What is behind it where it is a service, as people call it: "GitHub". */
  service: z.string().optional(),
  state: z.object({
    status: z.enum([
      'connecting',
      'ready',
      'no-grants',
      'signed-out',
      'service-signed-out',
      'waiting-for-browser',
      'forbidden',
      'not-found',
      'blocked-by-ip-list',
      'login-page',
      'unreachable',
      'failing',
    ]),
    /** How many tools it offers; null until the server lists them. */
    tools: z.number().nullable(),
    /** The state in a few words: "Running, 6 tools". */
    label: z.string(),
    /** The state in a sentence or two, and what to do about it. */
    words: z.string(),
    remedy: z.string().nullable(),
    /** True if administrators have decided that it is refused, so that the user has nothing to do. */
    isDecided: z.literal(true).optional(),
    /** When it is checked again automatically, in milliseconds since the epoch; null if the user has to act first. */
    retryAt: z.number().nullable(),
    /**
     * What can be done about it from here; `accounts` leads to where its profile is put right, `open-page` to where a user signs in
     * whose token cannot.
     */
    action: z
      .enum(['sign-in', 'sign-in-to-service', 'open-page', 'accounts', 'confirm-app', 'start-app', 'check-again'])
      .nullable(),
  }),
});

/** How often a server's tools were called since the application started, and how that went. */
const serverUsage = z.object({
  name: z.string(),
  calls: z.number(),
  failed: z.number(),
  /** Milliseconds since the epoch; null before the first call. */
  lastCallAt: z.number().nullable(),
  /** Whether the last call failed. */
  hasFailedLast: z.boolean(),
  lastFailure: z
    .object({
      at: z.number(),
      tool: z.string().nullable(),
      /** Null for a call that was tried in this window. */
      client: z.string().nullable(),
      words: z.string(),
    })
    .nullable(),
  /** The clients that called it, the most frequent first. */
  clients: z.array(z.object({ name: z.string(), mark: clientMark.nullable(), calls: z.number() })),
});

/** Where a Databricks App is, and whether it runs. */
const appAddress = z.object({
  app: z.string(),
  path: z.string(),
  /** The address that the workspace names now. */
  origin: z.string(),
  /** Whether it looks like an address of Databricks Apps. */
  isUsual: z.boolean(),
  /** The address that was confirmed until now; null if none was. */
  confirmed: z.string().nullable(),
  /** How the app is if it does not run, such as "is stopped", and whether starting it may help. */
  halt: z.object({ words: z.string(), canStart: z.boolean() }).nullable(),
});

/** What a table may have: more than any tool answers with. */
const [MAX_COLUMNS, MAX_ROWS, MAX_CELL] = [10_000, 100_000, 10_000_000];

/** A table as it goes into a CSV file. */
const table = z.object({
  columns: list(text(), MAX_COLUMNS),
  rows: list(list(text(MAX_CELL), MAX_COLUMNS), MAX_ROWS),
});

const serverNamed = z.object({ name: text() });

const group = z.enum(SERVER_GROUPS);

/** Something that the workspace offers as an MCP server. */
export const offered = z.object({
  group,
  title: z.string(),
  /** The owner's comment; empty if there is none. */
  about: z.string(),
  /** What `causeway servers add` takes for it, such as `system.ai.github` or `genie:01ef…`; no other has the same. */
  add: z.string(),
  /** Null for an app, which has its own address. */
  path: z.string().nullable(),
  /** Why it is of no use just now. */
  obstacle: z.string().nullable(),
  /** What has replaced it, as `add`. */
  successor: z.string().nullable(),
});

const tool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  /** JSON Schema, as the server sends it. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** The server's own unverified hints; null if it gives none. */
  hints: z.object({
    readOnly: z.boolean().nullable(),
    destructive: z.boolean().nullable(),
    idempotent: z.boolean().nullable(),
    openWorld: z.boolean().nullable(),
  }),
  /** What the hints say about what a call does; `unknown` where they say nothing. */
  effect: z.enum(['reads', 'changes', 'destroys', 'unknown']),
});

/** A tool's answer, as far as it can be shown. */
const toolAnswer = z.object({
  isError: z.boolean(),
  /** What failed where the tool answered with a failed statement or question; null if nothing did. */
  failure: z.object({ state: z.string(), message: z.string() }).nullable(),
  /** How long the call took. */
  durationMs: z.number(),
  /** The structured content; undefined if there is none. */
  structured: z.unknown().optional(),
  parts: z.array(
    z.discriminatedUnion('type', [
      /** `cut` is how many characters were left out. */
      z.object({ type: z.literal('text'), text: z.string(), cut: z.number() }),
      z.object({ type: z.literal('link'), title: z.string(), uri: z.string() }),
      /** Pictures, sounds and files: what they are and how large, in bytes. */
      z.object({ type: z.literal('data'), mimeType: z.string(), bytes: z.number() }),
    ]),
  ),
});

export const serverRequests = {
  /**
   * Everything that the workspace offers as MCP servers; `serversFound` tells of them as they are found, this answer of what was
   * left out. A search that is whole continues beyond the usual limit of requests.
   */
  findServers: {
    input: inProfile.extend({ ...job.shape, search: text(), isWhole: z.boolean(), groups: list(group).optional() }),
    output: z.object({ leftOut: z.array(z.string()), isPartial: z.boolean() }),
  },
  /** The path of a server, and a name for it, by its path or address, or by what the command takes for it. */
  proposeServer: {
    input: inProfile.extend({ word: text().optional(), path: text().optional() }),
    output: z.object({
      path: z.string(),
      name: z.string(),
      title: z.string().optional(),
      /** What the same server is called that is in the list already; null if it is new. */
      same: z.string().nullable(),
    }),
  },
  /** An app is added with the address that the user has confirmed. */
  addServer: {
    input: inProfile.extend({
      path: text(),
      name: text(),
      title: text().optional(),
      confirmed: text().optional(),
    }),
    output: z.undefined(),
  },
  /** Where the workspace says an app is, by its name, such as `mcp-reports`. */
  findApp: { input: inProfile.extend({ app: text() }), output: appAddress },
  /** The same for a server of the list that is an app. */
  findAppOf: { input: serverNamed, output: appAddress },
  /** Lets calls of an app's server carry a token to this address. */
  confirmApp: { input: serverNamed.extend({ origin: text() }), output: z.undefined() },
  /** Starts an app, and answers once it runs; `toolProgress` tells how it is meanwhile. */
  startApp: { input: serverNamed.extend(job.shape), output: z.undefined() },
  /** Moves a server to the one that has replaced it, with its name, its permissions and its entries in clients. */
  moveServer: {
    input: serverNamed,
    output: z.object({
      tools: z.number(),
      /** Whether permissions were taken along. */
      hasPermissions: z.boolean(),
      written: z.array(z.string()),
      failed: z.array(z.object({ client: z.string(), problem: z.string() })),
    }),
  },
  /** Of every server in the list. */
  serverUsage: { input: z.undefined(), output: z.array(serverUsage) },
  removeServer: { input: serverNamed, output: z.undefined() },
  /** Checks the server now. The state holds the result. */
  checkServer: { input: serverNamed, output: z.undefined() },
  /** Shows the sign-in page of a service; the state reports the progress. */
  signInToService: { input: serverNamed, output: z.undefined() },
  /** Opens the page of that sign-in for a user whose token cannot sign in. Nothing waits for them. */
  openServicePage: { input: serverNamed, output: z.undefined() },
  /** Whether the user is signed in to what is behind a service; `null` if that is not known, or no sign-in is needed. */
  isSignedInToService: { input: serverNamed, output: z.boolean().nullable() },
  /** Signs out of a service, for all clients and computers. */
  signOutOfService: { input: serverNamed, output: z.undefined() },
  listTools: {
    input: serverNamed,
    /** `warnings` name the clients in which some tools' names are too long. */
    output: z.object({ tools: z.array(tool), warnings: z.array(z.string()) }),
  },
  /** Answers with the tool's answer, also where that is an error. */
  tryTool: {
    input: serverNamed.extend({ ...job.shape, tool: text(), arguments: z.record(text(), z.unknown()) }),
    output: toolAnswer,
  },
  /** Opens the workspace of a server in the browser. */
  openWorkspaceOf: { input: serverNamed, output: z.undefined() },
  copyServer: { input: serverNamed.extend({ what: z.enum(['path', 'url', 'sign-in-page']) }), output: z.undefined() },
  copyTable: { input: table, output: z.undefined(), isLarge: true },
  /** Writes a table as CSV where the user chooses. Null if they cancel. */
  saveTable: {
    input: table.extend({ name: text() }),
    output: z.object({ file: z.string() }).nullable(),
    isLarge: true,
  },
} as const;

export const serverEvents = {
  serversFound: job.extend({ servers: z.array(offered) }),
  /** At most once a second. */
  serverUsageChanged: z.array(serverUsage),
  /** How far a tool's call is: `total` is null if the server does not know. */
  toolProgress: job.extend({ progress: z.number(), total: z.number().nullable(), words: z.string() }),
} as const;

export type ConfiguredServer = z.output<typeof configuredServer>;
export type { ServerType };
export type ServerUsageInfo = z.output<typeof serverUsage>;
export type AppAddress = z.output<typeof appAddress>;
export type OfferedServerInfo = z.output<typeof offered>;
export type OfferedGroup = z.output<typeof group>;
export type ToolInfo = z.output<typeof tool>;
export type ToolAnswer = z.output<typeof toolAnswer>;
