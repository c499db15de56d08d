/** The command that starts `causeway proxy` for one server. */
export interface Launch {
  /** The server's name, which is the entry's. */
  name: string;
  /** An absolute path. */
  command: string;
  args: string[];
}

/** How a client connects on its own, with its own OAuth (spec/managed-mcp-endpoints.md › Stdio proxy pattern). */
interface Direct {
  name: string;
  url: string;
  clientId: string | undefined;
  callbackPort: number | undefined;
}

/** An entry: the part that makes it ours and stays fixed, and the part that is a default for the user to change. */
export interface Entry {
  fixed: DataTable;
  initial?: DataTable;
  /** Keys that it must not have because they belong to another form of entry. */
  obsolete?: readonly string[];
  /** What it carries in `_meta` in addition to its server's presets. Already part of `fixed`. */
  meta?: Record<string, string>;
}

/** Builds an entry that starts a process. */
export type StdioShape = (launch: Launch) => Entry;
/** Builds an entry with an address. */
export type HttpShape = (direct: Direct) => Entry;

/** `{command, args}`: the shape of most clients. */
export const plain: StdioShape = ({ command, args }) => ({ fixed: { command, args } });

/** `{type: "stdio", command, args}`. */
export const typed: StdioShape = ({ command, args }) => ({ fixed: { type: 'stdio', command, args } });

/** The same shape with defaults that the user may change afterwards. */
export function beginning<Form>(shape: (form: Form) => Entry, more: Record<string, unknown>): (form: Form) => Entry {
  return (form) => {
    const { fixed, initial } = shape(form);
    return { fixed, initial: { ...initial, ...more } };
  };
}

/** A URL under the client's own key, with a `type` if it needs one. */
export function addressed(urlKey: string, type?: string): HttpShape {
  return ({ url }) => ({ fixed: { ...(type === undefined ? {} : { type }), [urlKey]: url } });
}

/** `{type: "http", url, oauth: {clientId, callbackPort}}`, the last as far as it is known, under the client's names for the two. */
export function addressedWithOauth(
  type: string | undefined,
  names: readonly [clientId: string, port?: string],
): HttpShape {
  return ({ url, clientId, callbackPort }) => {
    const values = [clientId, callbackPort];
    const known = names.flatMap((name, at) =>
      name === undefined || values[at] === undefined ? [] : [[name, values[at]]],
    );
    return {
      fixed: {
        ...(type === undefined ? {} : { type }),
        url,
        ...(known.length === 0 ? {} : { oauth: Object.fromEntries(known) }),
      },
    };
  };
}

const SOME_APPLICATION = 'an-application';

/** Whether an entry with an address has a place for the application that the client signs in as. */
export function namesApplication(shape: HttpShape | undefined): boolean {
  const entry = shape?.({ name: '', url: '', clientId: SOME_APPLICATION, callbackPort: undefined });
  return entry !== undefined && JSON.stringify(entry).includes(SOME_APPLICATION);
}

/** Whether an entry with an address has a place for the port on which the client waits for the browser. */
export function namesCallbackPort(shape: HttpShape | undefined): boolean {
  const [one, other] = [8020, 8021].map((callbackPort) =>
    shape?.({ name: '', url: '', clientId: SOME_APPLICATION, callbackPort }),
  );
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** The keys that only one form of entry has: they are removed when an entry changes form. */
export function otherKeys(entry: Entry, other: Entry | undefined): string[] {
  return Object.keys(other?.fixed ?? {}).filter((key) => !Object.hasOwn(entry.fixed, key));
}

/** The content of a new entry. */
export function wholeEntry({ fixed, initial }: Entry): Record<string, unknown> {
  return { ...fixed, ...initial };
}

/** The command line in an entry of any client's shape; empty if it has none. */
export function commandLineOf(value: unknown): string[] {
  if (!isDataTable(value)) return [];
  if (typeof value.transport === 'object') return commandLineOf(value.transport);
  return [value.command ?? value.cmd, value.args].flat().filter((part) => typeof part === 'string');
}

const COMMAND = /(^|[/\\])causeway(\.exe|\.cmd)?$/i;
const SCRIPT = /(^|[/\\])causeway(\.js|\.ts)?$/i;
const RUNTIME = /(^|[/\\])(node|nodejs|electron)(\.exe)?$/i;

/** Whether a command is a program that runs scripts like ours. */
export function isRuntime(command: string): boolean {
  return RUNTIME.test(command);
}

/** Whether an entry starts `causeway proxy`: the executable itself, or a script of that name by Node, also where a user has wrapped it. */
function startsProxy(value: unknown): boolean {
  const commandLine = commandLineOf(value);
  return isProxy(commandLine.slice(wrapperOf(commandLine).length));
}

function isProxy([first = '', second = '', third]: readonly string[]): boolean {
  if (COMMAND.test(first)) return second === 'proxy';
  return isRuntime(first) && SCRIPT.test(second) && third === 'proxy';
}

/** Programs that only start another one, with the words of theirs that may stand before it, one a line. */
const WRAPPERS: readonly [program: RegExp, words: RegExp][] = [
  [/(^|[/])env$/, /^((-|-i|--ignore-environment|-u\n\w+|--unset=\w+|[A-Za-z_]\w*=[^\n]*)\n)*$/],
  [/(^|[/])nice$/, /^((-n\n-?\d+|-\d+|--adjustment=-?\d+)\n)?$/],
  [/(^|[/])nohup$/, /^$/],
  [/(^|[/])arch$/, /^(-\w+\n)*$/],
  [/(^|[/\\])cmd(\.exe)?$/i, /^(\/[a-z]\n)+$/i],
];

/** The words with which a user has wrapped our command, such as `env HTTPS_PROXY=…`; none if it is as we write it. */
export function wrapperOf(commandLine: readonly string[]): string[] {
  const [first = ''] = commandLine;
  const [, words] = WRAPPERS.find(([program]) => program.test(first)) ?? [];
  const at = words ? commandLine.findIndex((_, index) => index > 0 && isProxy(commandLine.slice(index))) : -1;
  if (!words || at < 0) return [];
  const between = commandLine.slice(1, at).map((word) => `${word}\n`);
  return words.test(between.join('')) ? commandLine.slice(0, at) : [];
}

/** The programs that an entry of ours needs, without what a user has wrapped them with: the command, and the script if Node runs one. */
export function programsOf(value: unknown): string[] {
  const commandLine = commandLineOf(value);
  const [command, script] = commandLine.slice(wrapperOf(commandLine).length);
  if (command === undefined) return [];
  return script !== undefined && isRuntime(command) ? [command, script] : [command];
}

/** An entry of any client's shape with another command line. */
export function withCommandLine(value: DataTable, commandLine: readonly string[]): DataTable {
  const { transport } = value;
  if (isDataTable(transport)) return { ...value, transport: withCommandLine(transport, commandLine) };
  const key = Object.hasOwn(value, 'cmd') ? 'cmd' : 'command';
  if (Array.isArray(value[key])) return { ...value, [key]: [...commandLine] };
  const [command, ...args] = commandLine;
  return { ...value, [key]: command, args };
}

/**
 * Whether an entry is ours: it starts `causeway proxy`, or is what the record says was written. A user's own entry under the
 * same name, or for the same kind of server, is theirs.
 * @param written what was written under that name, each as it may still be there
 */
export function isOurs(present: unknown, written: readonly DataTable[]): boolean {
  return startsProxy(present) || written.some((one) => isWritten(present, one));
}

/** Whether an entry is as it was written, except for added keys, or has the same address and keys with some other values. */
function isWritten(present: unknown, written: DataTable): boolean {
  if (!isDataTable(present) || Object.keys(written).length === 0) return false;
  if (covers(present, written)) return true;
  const sameAddress = hasAddress(written) && addressOf(present) === addressOf(written);
  return sameAddress && Object.keys(written).every((key) => Object.hasOwn(present, key));
}

/** Whether an entry leads to an address, rather than starting a process. */
export function hasAddress(value: unknown): boolean {
  return addressOf(value) !== '';
}

function addressOf(value: unknown): string {
  if (!isDataTable(value)) return '';
  const { url, uri, httpUrl, serverUrl } = value;
  const address = url ?? uri ?? httpUrl ?? serverUrl;
  return typeof address === 'string' ? address : '';
}

/** An object in a configuration file's data, with any prototype. */
export type DataTable = Record<string, unknown>;

/** Whether a value is an object with properties, whatever its prototype. */
export function isDataTable(value: unknown): value is DataTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether data matches what is wanted; objects may have more members. Prototypes and the order of properties do not count. */
export function covers(present: unknown, wanted: unknown): boolean {
  if (isDataTable(wanted)) {
    return (
      isDataTable(present) &&
      Object.keys(wanted).every((key) => Object.hasOwn(present, key) && covers(present[key], wanted[key]))
    );
  }
  return sameData(present, wanted);
}

/** Whether two pieces of data are the same. Prototypes and the order of properties do not count. */
export function sameData(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameData(item, other[index]));
  }
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (isDataTable(one) && isDataTable(other)) {
    return Object.keys(one).length === Object.keys(other).length && covers(one, other);
  }
  // A format may not keep the sign of zero: JSON does not.
  return one === other || Object.is(one, other);
}

/** The existing data, overwritten with what is wanted. */
export function merged(present: unknown, wanted: unknown): unknown {
  if (!isDataTable(present) || !isDataTable(wanted)) return wanted;
  const written = Object.entries(wanted).map(([key, value]) => [
    key,
    merged(Object.hasOwn(present, key) ? present[key] : undefined, value),
  ]);
  return { ...present, ...Object.fromEntries(written) };
}
