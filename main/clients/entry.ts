/** How `causeway proxy` is started for one server. */
export interface Launch {
  /** The server's name, which is the entry's. */
  name: string;
  /** An absolute path. */
  command: string;
  args: string[];
}

/** How a client connects by itself, with OAuth of its own (spec/managed-mcp-endpoints.md › Stdio proxy pattern). */
interface Direct {
  name: string;
  url: string;
  clientId: string | undefined;
  callbackPort: number | undefined;
}

/** An entry: what makes it ours and is kept as it is, and what is only its beginning, for the person to change. */
export interface Entry {
  fixed: Record<string, unknown>;
  initial?: Record<string, unknown>;
}

/** Builds an entry that starts a process. */
export type StdioShape = (launch: Launch) => Entry;
/** Builds an entry with an address. */
export type HttpShape = (direct: Direct) => Entry;

/** `{command, args}`: what most clients take. */
export const plain: StdioShape = ({ command, args }) => ({ fixed: { command, args } });

/** `{type: "stdio", command, args}`. */
export const typed: StdioShape = ({ command, args }) => ({ fixed: { type: 'stdio', command, args } });

/** The same shape, beginning with more: what the person may change afterwards. */
export function beginning<Form>(shape: (form: Form) => Entry, more: Record<string, unknown>): (form: Form) => Entry {
  return (form) => {
    const { fixed, initial } = shape(form);
    return { fixed, initial: { ...initial, ...more } };
  };
}

/** An address under a key of the client's choosing, with a `type` where it needs one. */
export function addressed(urlKey: string, type?: string): HttpShape {
  return ({ url }) => ({ fixed: { ...(type === undefined ? {} : { type }), [urlKey]: url } });
}

/** `{type: "http", url, oauth: {clientId, callbackPort}}`, the last as far as it is known. */
export function addressedWithOauth(type: string | undefined, keys: ('clientId' | 'callbackPort')[]): HttpShape {
  return ({ url, clientId, callbackPort }) => {
    const known = { clientId, callbackPort };
    const oauth = Object.fromEntries(keys.flatMap((key) => (known[key] === undefined ? [] : [[key, known[key]]])));
    return {
      fixed: {
        ...(type === undefined ? {} : { type }),
        url,
        ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
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

/** What a new entry holds. */
export function wholeEntry({ fixed, initial }: Entry): Record<string, unknown> {
  return { ...fixed, ...initial };
}

/** The command line in an entry of any client's shape; empty where it has none. */
export function commandLineOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const entry: Record<string, unknown> = { ...value };
  if (typeof entry.transport === 'object') return commandLineOf(entry.transport);
  const words = [entry.command ?? entry.cmd, entry.args].flat();
  return words.filter((word) => typeof word === 'string');
}

const CAUSEWAY = /(^|[/\\])causeway(\.exe|\.js|\.ts)?$/i;

/** Whether an entry starts `causeway proxy`, or leads to a managed server by its address, and so can only be ours. */
export function isOurs(value: unknown): boolean {
  const words = commandLineOf(value);
  const proxy = words.indexOf('proxy');
  if (proxy > 0 && CAUSEWAY.test(words[proxy - 1] ?? '')) return true;
  return words.length === 0 && /\/api\/2\.0\/mcp\//.test(addressOf(value));
}

/** Whether an entry leads to an address, rather than starting a process. */
export function hasAddress(value: unknown): boolean {
  return addressOf(value) !== '';
}

function addressOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { url, uri, httpUrl, serverUrl }: Record<string, unknown> = { ...value };
  const address = url ?? uri ?? httpUrl ?? serverUrl;
  return typeof address === 'string' ? address : '';
}
