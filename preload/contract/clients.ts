import { z } from 'zod';
import { job } from './jobs.ts';
import { clientMark, list, problem, text } from './parts.ts';

/**
 * What happened to a server's entry in one file: never written; as it was written; as it was written, and would be written
 * differently today; gone though it was written; changed since; leading to an executable that is not there; with a command
 * that the PATH does not lead to; or another program of the same name.
 */
const entryState = z.enum(['absent', 'current', 'outdated', 'vanished', 'edited', 'broken', 'not-on-path', 'foreign']);

const clientName = z.object({ id: z.string(), name: z.string() });

export const clientFile = z.object({
  path: z.string(),
  exists: z.boolean(),
  /** Whether Causeway has entries in it: its first one is shown as a difference before. */
  known: z.boolean(),
  /** By the server's name. */
  entries: z.record(z.string(), entryState),
  /** The names of entries for all servers as one. */
  all: z.array(z.string()),
  /** The servers that one of these leads to: an entry for one profile leads only to its servers. */
  servedByAll: z.array(z.string()),
  /** Entries of ours for servers that are no longer in the list. */
  leftOver: z.array(z.string()),
  /** Servers whose entry a repair would change. */
  repairable: z.array(z.string()),
  /** Other clients that read the same entries: what is removed here is removed from them. */
  sharedWith: z.array(clientName),
  /** The warehouses that its entries alone pin their calls to, by the server's name. */
  pins: z.record(z.string(), z.string()),
  /** The folder of the project whose file it is; null for the user's own. */
  project: z.string().nullable(),
  /** Why it can be neither read nor written, as sentences with line and column. */
  problem: z.string().nullable(),
});

const aiClient = z.object({
  id: z.string(),
  name: z.string(),
  /** Other programs that read the same file as this client. */
  also: z.array(z.string()),
  mark: clientMark,
  /** By what one can tell that it is installed. */
  foundBy: z.string(),
  files: z.array(clientFile),
  problem: z.string().nullable(),
  /** It runs now, and would overwrite what is written meanwhile. */
  isRunning: z.boolean(),
  /** What to do for a change to be noticed, as a sentence. */
  afterwards: z.string(),
  /** What to know of it, as sentences. */
  warnings: z.array(z.string()),
  /** Which tools' names are too long for it, as sentences. */
  longNames: z.array(z.string()),
  /** It opens links that add an entry to it. */
  hasLink: z.boolean(),
  /** It opens links with a prompt filled in. */
  opensPrompts: z.boolean(),
  /** It can connect by itself, with a configured OAuth application. */
  connectsItself: z.boolean(),
  /** The client id of the application that Databricks publishes for it; null if none is known. */
  publishedApplication: z.string().nullable(),
  /** Its entry can name the port on which it waits for the browser. */
  takesCallbackPort: z.boolean(),
  /** For how long it waits for the answer to one call, in milliseconds; null if no limit is known. */
  patienceMs: z.number().nullable(),
  /** It reads a file in the folder of a project, which all who work on that can have in common. */
  hasProjectFile: z.boolean(),
});

const clientsReport = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      profile: z.string(),
      path: z.string(),
      /** The warehouse that its calls are pinned to in every client; null if the workspace decides. */
      pin: z.string().nullable(),
    }),
  ),
  clients: z.array(aiClient),
  /** The names of those that are known and were not found. */
  others: z.array(z.string()),
});

/** One action on some clients, for some servers. */
const clientChange = z.object({
  action: z.enum(['add', 'remove', 'repair']),
  clients: list(text()).min(1),
  servers: list(text()).min(1),
  /** Whether an entry that is not ours is replaced too. */
  replace: z.boolean().default(false),
  /** Also while the client runs, although it then may overwrite the change. */
  whileRunning: z.boolean().default(false),
  /** Also from a file that other clients read and that would lose it too. */
  evenShared: z.boolean().default(false),
  /** The folder of the project in whose files; null for the user's own. */
  project: text().nullable().default(null),
  /**
   * Has the client connect by itself, signing in as this OAuth application, or as the one that is published for it; null
   * where Causeway does both for it.
   */
  itself: z
    .object({ clientId: text().trim().min(1).nullable(), callbackPort: z.int().min(1).max(65_535).nullable() })
    .nullable()
    .default(null),
  /** With `add`: one entry for all servers, instead of one for each. */
  allInOne: z.boolean().default(false),
  /** Pins the calls of these entries to a warehouse, or to none of their own; null leaves that as it is. */
  pin: z
    .object({ warehouseId: text().min(1).nullable() })
    .nullable()
    .default(null),
});

export const clientOutcome = z.object({
  client: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  result: z.enum(['written', 'unchanged', 'would-change', 'failed']),
  /** The difference, as a unified diff. Long lines are cut. */
  diff: z.string().nullable(),
  /** What to do for it to be noticed. */
  afterwards: z.string().nullable(),
  warnings: z.array(z.string()),
  /** Other clients that read the same entries and so lose, or lost, them too. */
  sharedWith: z.array(clientName),
  problem: problem.nullable(),
});

const clientBackup = z.object({
  id: z.string(),
  client: z.string(),
  file: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** There was no file: putting it back removes the one that is there. */
  missing: z.boolean(),
});

/** What a client will see of one server. */
const clientTest = z.object({
  name: z.string(),
  server: z.string(),
  file: z.string(),
  /** How many tools; 0 if there is a problem. */
  tools: z.number(),
  /** How long the client waited for them, in milliseconds; null if the entry was not started. */
  tookMs: z.number().nullable(),
  /** Why the client will not see the server's tools; null if it will. */
  problem: problem.nullable(),
});

const oneBackup = z.object({ id: text() });
const toPaste = z.object({ client: text().nullable() });

export const clientRequests = {
  listClients: { input: z.undefined(), output: clientsReport },
  /** What a change would do. Writes nothing. */
  previewClientChange: { input: clientChange, output: z.array(clientOutcome) },
  changeClients: { input: clientChange, output: z.array(clientOutcome) },
  /** Starts each entry in a client's own files as the client would. Writes nothing, and calls no tool of a server. */
  testClient: { input: job.extend({ client: text() }), output: z.array(clientTest) },
  listClientBackups: { input: z.undefined(), output: z.array(clientBackup) },
  /** The difference that putting it back would make; null if it would make none. */
  previewClientRestore: { input: oneBackup, output: z.object({ diff: z.string().nullable() }) },
  restoreClientBackup: { input: oneBackup.extend({ whileRunning: z.boolean() }), output: z.undefined() },
  /** The entries for one client, or in the shape that nearly every client takes. */
  clientJson: { input: toPaste, output: z.object({ text: z.string() }) },
  copyClientJson: { input: toPaste, output: z.undefined() },
  /** Lets the user choose a project's folder; null if the user cancels. */
  chooseProject: { input: z.undefined(), output: z.object({ folder: z.string().nullable() }) },
  /** Opens a client with the first prompt filled in. */
  openWithPrompt: { input: z.object({ client: text() }), output: z.undefined() },
  /** Puts the first prompt on the clipboard. */
  copyPrompt: { input: z.undefined(), output: z.undefined() },
  /** Opens the link by which a client adds an entry itself. */
  openInClient: { input: z.object({ client: text(), server: text() }), output: z.undefined() },
} as const;

export const clientEvents = {
  /** A client came, went, or its file changed: the list is stale. */
  clientsChanged: z.object({}),
} as const;

export type ClientFileInfo = z.output<typeof clientFile>;
export type AiClient = z.output<typeof aiClient>;
export type ClientBackup = z.output<typeof clientBackup>;
/** What the window asks for: what it leaves out is nothing special. */
export type ClientChange = z.input<typeof clientChange>;
export type ClientOutcome = z.output<typeof clientOutcome>;
export type ClientTestInfo = z.output<typeof clientTest>;
export type ClientsReport = z.output<typeof clientsReport>;
export type EntryState = z.output<typeof entryState>;
