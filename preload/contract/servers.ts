import { z } from 'zod';
import { inProfile } from './parts.ts';

const kind = z.enum(['sql', 'genie', 'vector-search', 'functions', 'app', 'other']);

/** A managed server that AI clients are to have, and how it is just now. */
export const configuredServer = z.object({
  name: z.string(),
  profile: z.string(),
  kind,
  path: z.string(),
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
    /** When it is checked again automatically, in milliseconds since the epoch; null where the user has to act first. */
    retryAt: z.number().nullable(),
    /** What can be done about it from here. */
    action: z.enum(['sign-in', 'sign-in-to-service', 'accounts', 'check-again']).nullable(),
  }),
});

const serverNamed = z.object({ name: z.string() });

/** Work that the window can cancel, under an id of its choice. */
const job = z.object({ job: z.string().min(1) });

/** What can be browsed: main/workspace/catalog-query.ts. */
const query = z.discriminatedUnion('what', [
  z.object({ what: z.literal('catalogs') }),
  z.object({ what: z.literal('schemas'), catalog: z.string() }),
  z.object({ what: z.literal('functions'), catalog: z.string(), schema: z.string() }),
  z.object({ what: z.literal('indexes') }),
  z.object({ what: z.literal('genie-spaces') }),
  z.object({ what: z.literal('services') }),
  z.object({ what: z.literal('connections') }),
]);

const found = z.object({ target: z.string(), title: z.string(), about: z.string() });

/** Something that the workspace offers as an MCP server: main/workspace/offered-servers.ts. */
const offered = z.object({
  group: z.enum(['sql', 'genie', 'search', 'functions', 'services', 'connections', 'apps']),
  kind,
  title: z.string(),
  about: z.string(),
  /** What the command takes for it; no other has the same. */
  add: z.string(),
  /** Null for an app, which is added with the command. */
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
  /** What the server says of what a call does; `unknown` where it says nothing. */
  effect: z.enum(['reads', 'changes', 'destroys', 'unknown']),
});

/** A tool's answer, as far as it can be shown. */
const toolAnswer = z.object({
  isError: z.boolean(),
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
   * left out. A search that is whole goes on beyond the usual limit of requests.
   */
  findServers: {
    input: inProfile.extend({ ...job.shape, search: z.string(), isWhole: z.boolean() }),
    output: z.object({ leftOut: z.array(z.string()), isPartial: z.boolean() }),
  },
  browse: {
    input: inProfile.extend({ ...job.shape, query, from: z.string().nullable() }),
    output: z.object({ items: z.array(found), next: z.string().nullable() }),
  },
  /** Whether the managed server can search a vector search index. */
  isSearchable: { input: inProfile.extend({ ...job.shape, index: z.string() }), output: z.boolean() },
  cancelJob: { input: job, output: z.undefined() },
  /**
   * The path of a server by what it is to show, and a name for it. For `other` the target is the path or the address. Where the
   * path is known, the target is not looked at.
   */
  proposeServer: {
    input: inProfile.extend({ kind, target: z.string(), path: z.string().optional() }),
    output: z.object({ path: z.string(), name: z.string() }),
  },
  addServer: { input: inProfile.extend({ kind, path: z.string(), name: z.string() }), output: z.undefined() },
  removeServer: { input: serverNamed, output: z.undefined() },
  /** Checks the server now. The state holds the result. */
  checkServer: { input: serverNamed, output: z.undefined() },
  /** Shows the page on which the user signs in to what is behind a service; the state tells how it goes on. */
  signInToService: { input: serverNamed, output: z.undefined() },
  /** Whether the user is signed in to what is behind a service; `null` where that is not known, or no sign-in is needed. */
  isSignedInToService: { input: serverNamed, output: z.boolean().nullable() },
  /** Signs out of what is behind a service, for all clients and computers. */
  signOutOfService: { input: serverNamed, output: z.undefined() },
  listTools: {
    input: serverNamed,
    /** `warnings` name the clients in which some tools' names are too long. */
    output: z.object({ tools: z.array(tool), warnings: z.array(z.string()) }),
  },
  /** Answers with the tool's answer, also where that is an error. */
  tryTool: {
    input: serverNamed.extend({ ...job.shape, tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
    output: toolAnswer,
  },
  /** Opens the workspace of a server in the browser. */
  openWorkspaceOf: { input: serverNamed, output: z.undefined() },
  copyServer: { input: serverNamed.extend({ what: z.enum(['path', 'url']) }), output: z.undefined() },
} as const;

export const serverEvents = {
  serversFound: job.extend({ servers: z.array(offered) }),
  /** How far a tool's call is: `total` is null where the server does not know. */
  toolProgress: job.extend({ progress: z.number(), total: z.number().nullable(), words: z.string() }),
} as const;

export type ConfiguredServer = z.output<typeof configuredServer>;
export type ServerKind = z.output<typeof kind>;
export type CatalogQuery = z.output<typeof query>;
export type CatalogEntry = z.output<typeof found>;
export type OfferedServerInfo = z.output<typeof offered>;
export type ToolInfo = z.output<typeof tool>;
export type ToolAnswer = z.output<typeof toolAnswer>;
