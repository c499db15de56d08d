import type { HttpShape, StdioShape } from './entry.ts';
import type { FilePlace, Places, Sign } from './places.ts';

/** What a configuration file is written in, and so which editor changes it. */
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
  /** The user's own file, which counts besides where the administrator lets it. */
  isOwn?: boolean;
}

/** How a client's processes are told from others. */
export interface ProcessFacts {
  names: string[];
  /** Of another program that has the same name: what its path has, whichever separators that has. */
  notIn?: RegExp;
}

/** What stands for a client beside its name: an icon by its name in `simple-icons`, or one or two letters. */
type Mark = { icon: string } | { monogram: string };

/** A client's limit for one call. */
interface Patience {
  /** With the entry as we write it, in milliseconds. */
  ms: number;
  /** The entry's key that sets it, which our entries then have; left out if nothing does. */
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

/** Everything that is known about one AI client. Rows hold facts; how they are used stands elsewhere, once. */
export interface ClientFacts {
  /** What the person types: `[a-z0-9-]`. */
  id: string;
  name: string;
  /** What it calls itself in `clientInfo`, or begins with where it puts a server's name behind; empty if nobody has seen it. */
  wireNames: string[];
  mark: Mark;
  /** For how long it waits for the answer to one call; left out where no limit is known. */
  patience?: Patience;
  signs(places: Places): Sign[];
  files(places: Places): FilePlace[];
  /** Where a project keeps the entries of all who work on it, below its folder; left out if nobody has found such a file. */
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
  /** Where newer versions keep the entries, written where a file already has it, and what they look like there. */
  newer?: { key: string[]; stdio: StdioShape; http: HttpShape };
  stdio: StdioShape;
  /** The entry with which the client connects by itself; left out where its file has none. */
  http?: HttpShape;
  /** The application that it can sign in as without one of the person's own; left out where none is published. */
  published?: PublishedApplication;
  /** Keys with which the client does not start at all beside a command, or beside an address. */
  refuses?: { besideCommand: string[]; besideAddress: string[] };
  /** What to do for a change to be noticed, as a sentence. */
  afterwards: string;
  /** What a person should know before, as sentences. */
  warnings?: string[];
  accepts?: Tolerance;
  /** `<file>.lock` is a folder that the client itself takes while it writes (Cline `settingsLock.ts`). */
  lock?: 'folder';
  /** What its processes are; while one runs, the client writes its file from memory and drops what others added. */
  overwritesWhileRunning?: ProcessFacts;
  /** A link that makes the client itself ask to add the entry. */
  deepLink?(name: string, entry: Record<string, unknown>): string;
  /** A link that opens the client with a prompt filled in, which the user then sends. */
  promptLink?(prompt: string): string;
  /** How the model sees a tool's name, and how many characters of it the client lets pass. */
  toolNames?: { prefix(server: string): string; limit: number };
}
