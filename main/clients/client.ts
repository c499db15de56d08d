import type { ClientMark } from '../../preload/contract/parts.ts';
import type { HttpShape, StdioShape } from './entry.ts';
import type { FilePlace, Places, Sign } from './places.ts';

/** A configuration file's format, which decides which editor changes it. */
export type Format = 'json' | 'toml' | 'yaml';

/** What a client's own parser accepts beyond plain JSON; `undefined` if that is not known. */
interface Tolerance {
  comments: boolean;
  trailingCommas: boolean;
  byteOrderMark: boolean;
}

/**
 * A file by which a client's administrator decides about its servers. `all`: while it is there, no other server is loaded.
 * `identities`: only servers of these names and commands or addresses are. `lists`: those that its lists allow, and do not
 * deny. `more`: it gives the client servers besides. `key` is where those stand.
 */
export interface ManagedFile {
  path: string;
  decides: 'all' | 'identities' | 'lists' | 'more';
  format: 'json' | 'toml';
  key: string;
  /** A property list of macOS, whose content counts as JSON. */
  isPropertyList?: true;
  /** The user's own file, which also counts if the administrator allows it. */
  isOwn?: boolean;
}

/** How a client's processes are distinguished from others. */
export interface ProcessFacts {
  names: string[];
  /** Matches the path, with either separator, of another program that has the same name. */
  notIn?: RegExp;
}

/** How long a client waits for a server, with the entry as we write it. */
interface Patience {
  /** Its limit for one call, in milliseconds. */
  ms: number;
  /** The key that sets it in our entries; left out if there is none. */
  key?: string;
}

/** Which variables of its own a client hands on to a server: all, these, or all but those with such names. */
export type PassedVariables = 'all' | { only: readonly string[] } | { without: RegExp };

/** How a client starts a server. */
interface Start {
  /** Left out if not known: then a server is expected to get the few that the MCP SDK hands on. */
  variables?: PassedVariables;
  /** How long it waits for the answer to `initialize`, in milliseconds; left out if not known. */
  answerMs?: number;
  /** Where it starts one: `home`, or by default the folder that the client was started in. */
  folder?: 'home';
}

/** A project's shared file for entries. */
interface ProjectFile {
  /** Relative to the project's folder. */
  path: readonly string[];
  /** What must be trusted or approved before the client starts a server of that file, as a sentence; left out if nothing is known. */
  trust?: string;
}

/** Where a client lets the browser come back to when it signs in itself. */
interface Redirect {
  /** What an administrator registers: on the loopback interface, each port counts (RFC 8252 §7.3). */
  uri: string;
  /** The port to put into the entry, for a client that has a key for it. */
  port?: number;
}

/** A setting of the client itself that it needs for our entries to work, written where it is absent. */
interface OwnSetting {
  /** A key at the root of its file. */
  key: string;
  value: number;
  /** What it changes, as a sentence. */
  reason: string;
}

/** An OAuth application that Databricks publishes for a client; not every workspace has it. */
export interface PublishedApplication {
  clientId: string;
  /** The registered redirect URI. */
  redirectUri: string;
}

/** Everything that is known about one AI client. Rows hold only facts; the code that uses them is elsewhere. */
export interface ClientFacts {
  /** What the user types: `[a-z0-9-]`. */
  id: string;
  name: string;
  /** Other programs of its vendor that read the same file as the same client. A user may type their names for it. */
  also?: string[];
  /** Its name in `clientInfo`, or the prefix of it if it appends a server's name; empty if unknown. */
  wireNames: string[];
  mark: ClientMark;
  /** How it starts servers; left out if nothing is known. */
  start?: Start;
  /** Its time limit for one call; left out if no limit is known. */
  patience?: Patience;
  /** Whether it is known to show a server's questions (MCP › Elicitation) to a person, and not to answer by itself. */
  showsQuestions?: true;
  signs(places: Places): Sign[];
  files(places: Places): FilePlace[];
  /** A project's shared file for entries; left out if none is known. */
  project?: ProjectFile;
  /** The files in which an administrator decides about its servers; left out if none is known. */
  managed?(places: Places): ManagedFile[];
  format: Format;
  /** The path from the document's root to the object (or list) that holds the entries. */
  key: string[];
  /** The entries are a list of objects that have a `name`, rather than an object with a property for each. */
  list?: true;
  /** Other keys of a file that we create. */
  preamble?: Record<string, string>;
  /** Where newer versions keep entries, and their format; used only if a file already has it. */
  newer?: { key: string[]; stdio: StdioShape; http: HttpShape };
  stdio: StdioShape;
  /** The shape of an entry with which the client connects directly; left out if it has no such entries. */
  http?: HttpShape;
  /** Where the browser comes back to; left out if not known, or if it has no place for an application. */
  redirect?: Redirect;
  /** The client id of the application that Databricks publishes for it; left out if there is none. */
  published?: string;
  /** A setting that is written along with its first entry of ours. */
  setting?: OwnSetting;
  /** Keys that keep the client from starting if they are beside a command, or beside an address. */
  refuses?: { besideCommand: string[]; besideAddress: string[] };
  /** What the user must do before a change takes effect, as a sentence. */
  afterwards: string;
  /** What a user should know beforehand, as sentences. */
  warnings?: string[];
  accepts?: Tolerance;
  /** `<file>.lock` is a folder that the client itself takes while it writes (Cline `settingsLock.ts`). */
  lock?: 'folder';
  /** Its processes. While one runs, the client rewrites its file from memory and drops others' additions. */
  overwritesWhileRunning?: ProcessFacts;
  /** A link with which the client itself offers to add the entry. */
  deepLink?(name: string, entry: Record<string, unknown>): string;
  /** A link that opens the client with a prompt filled in, which the user then sends. */
  promptLink?(prompt: string): string;
  /** The prefix that the model sees before a tool's name, and the longest name that the client allows. */
  toolNames?: { prefix(server: string): string; limit: number };
}
