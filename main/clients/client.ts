import type { HttpShape, StdioShape } from './entry.ts';
import type { FilePlace, Places, Sign } from './places.ts';

/** A configuration file's format, which decides which editor changes it. */
export type Format = 'json' | 'toml' | 'yaml';

/** What else a client's own reader takes; `undefined` if nobody has measured it. */
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
  /** Of another program that has the same name: what its path has, whichever separators that has. */
  notIn?: RegExp;
}

/** A client's mark: an icon by its name in `simple-icons`, or one or two letters. */
type Mark = { icon: string } | { monogram: string };

/** A client's limit for one call. */
interface Patience {
  /** With the entry as we write it, in milliseconds. */
  ms: number;
  /** The key that sets it in our entries; left out if there is none. */
  key?: string;
}

/** An OAuth application that Databricks publishes for a client; not every workspace has it. */
export interface PublishedApplication {
  clientId: string;
  /** Where the browser may be sent back to. */
  redirectUri: string;
  /** The port that the entry then names, for a client that takes one. */
  callbackPort?: number;
}

/** Everything that is known about one AI client. Rows hold facts; the code that uses them is elsewhere, in one place. */
export interface ClientFacts {
  /** What the user types: `[a-z0-9-]`. */
  id: string;
  name: string;
  /** Its name in `clientInfo`, or the prefix of it if it appends a server's name; empty if unknown. */
  wireNames: string[];
  mark: Mark;
  /** How long it waits for the answer to one call; left out if no limit is known. */
  patience?: Patience;
  signs(places: Places): Sign[];
  files(places: Places): FilePlace[];
  /** A project's shared file for entries, relative to its folder; left out if none is known. */
  project?: string[];
  /** Where its administrator decides about its servers; left out if nobody has found such a file. */
  managed?(places: Places): ManagedFile[];
  format: Format;
  /** From the document's root to the object (or list) that holds the entries. */
  key: string[];
  /** The entries are a list of objects that have a `name`, rather than an object with a property for each. */
  list?: true;
  /** What a file that we make from nothing holds besides. */
  preamble?: Record<string, string>;
  /** Where newer versions keep entries, and their format; used only if a file already has it. */
  newer?: { key: string[]; stdio: StdioShape; http: HttpShape };
  stdio: StdioShape;
  /** The entry with which the client connects directly; left out if its file has no such entries. */
  http?: HttpShape;
  /** The published application that it can sign in as; left out if there is none. */
  published?: PublishedApplication;
  /** Keys that keep the client from starting if they are beside a command, or beside an address. */
  refuses?: { besideCommand: string[]; besideAddress: string[] };
  /** What to do for a change to be noticed, as a sentence. */
  afterwards: string;
  /** What a user should know before, as sentences. */
  warnings?: string[];
  accepts?: Tolerance;
  /** `<file>.lock` is a folder that the client itself takes while it writes (Cline `settingsLock.ts`). */
  lock?: 'folder';
  /** Its processes. While one runs, the client rewrites its file from memory and drops others' additions. */
  overwritesWhileRunning?: ProcessFacts;
  /** A link that makes the client itself ask to add the entry. */
  deepLink?(name: string, entry: Record<string, unknown>): string;
  /** A link that opens the client with a prompt filled in, which the user then sends. */
  promptLink?(prompt: string): string;
  /** How the model sees a tool's name, and how many characters of it the client lets pass. */
  toolNames?: { prefix(server: string): string; limit: number };
}
