import { isUtf8 } from 'node:buffer';
import { foldCase } from './fold-case.ts';

/**
 * A message of a client that every reader of JSON-RPC understands in the same way, written anew from what was read. Where
 * permissions apply, only such messages are judged and sent. docs/permissions.md has the grammar.
 */
export interface StrictMessage {
  kind: 'request' | 'notification' | 'response';
  /** Undefined for a response. */
  method: string | undefined;
  /** The tool's name in a `tools/call`. */
  tool: string | undefined;
  /** The message as it is sent: the same members in the same order, without white space. */
  bytes: Buffer;
}

/** Messages that came alone or as a batch, or why they are not understood, as the end of a sentence. */
export type StrictFrame = { messages: StrictMessage[]; isBatch: boolean } | { fault: string };

/** How deep values may be nested. Some readers stop at 128, the SDKs of MCP at far more. */
const MAX_DEPTH = 64;

/** Requests and notifications of every revision of MCP, 2024-11-05 to 2026-07-28. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'roots/list',
  'sampling/createMessage',
  'elicitation/create',
  'subscriptions/listen',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
  'tasks/update',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/message',
  'notifications/roots/list_changed',
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
]);
const METHOD = /^[A-Za-z][\w$.-]*(?:\/[A-Za-z][\w$.-]*)*$/;
const FOLDED_METHODS: ReadonlySet<string> = new Set([...KNOWN_METHODS].map(foldCase));

const IN_FRAME: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
/** The members of `params` that say what a call does, as a reader sees them that ignores case. */
const IN_PARAMS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta', 'task']);

/** Reads a frame in the one way that all readers share. Never throws. */
export function readStrictly(frame: Buffer): StrictFrame {
  if (!isUtf8(frame)) return { fault: 'it is not UTF-8' };
  const reader = new Reader(frame.toString('utf8'));
  try {
    const values = reader.frame();
    const messages = values.map(({ value }) => messageOf(value));
    return { messages, isBatch: reader.isBatch };
  } catch (error) {
    if (error instanceof Misread) return { fault: error.message };
    throw error;
  }
}

/** Why a frame is not understood. It never leaves this module. */
class Misread extends Error {}

/** A value: its text as it is written anew, and the members of an object that is looked into. */
type Value =
  | { kind: 'object'; text: string; members: ReadonlyMap<string, Value> | undefined }
  | { kind: 'string'; text: string; value: string }
  | { kind: 'array' | 'number' | 'literal'; text: string };

/** Readers written in C take it for the end of a string. */
const NUL = '\0';
const WHITE_SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;

class Reader {
  readonly #text: string;
  #at = 0;
  isBatch = false;

  constructor(text: string) {
    this.#text = text;
  }

  frame(): { value: Value }[] {
    this.#space();
    this.isBatch = this.#text[this.#at] === '[';
    const values = this.isBatch ? this.#batch() : [{ value: this.#value(0) }];
    this.#space();
    if (this.#at < this.#text.length) throw new Misread('something follows its end');
    return values;
  }

  #batch(): { value: Value }[] {
    const values: { value: Value }[] = [];
    this.#list(']', () => values.push({ value: this.#value(0) }));
    if (values.length === 0) throw new Misread('it is an empty batch');
    return values;
  }

  /** @param depth 0 for a message, 1 for its members; members are kept down to `params` */
  #value(depth: number): Value {
    if (depth > MAX_DEPTH) throw new Misread(`it is nested deeper than ${MAX_DEPTH} levels`);
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return this.#string();
    const literal = this.#match(LITERAL);
    if (literal !== undefined) return { kind: 'literal', text: literal };
    const number = this.#match(NUMBER);
    if (number !== undefined) return { kind: 'number', text: number };
    throw new Misread('it is not JSON');
  }

  #object(depth: number): Value {
    const texts: string[] = [];
    const members = depth < 2 ? new Map<string, Value>() : undefined;
    const names = new Set<string>();
    this.#list('}', () => {
      if (this.#text[this.#at] !== '"') throw new Misread('it is not JSON');
      const { text, value: name } = this.#string();
      if (name.includes(NUL)) throw new Misread(`a name in it, ${text}, has a NUL, at which some readers stop`);
      const folded = foldCase(name);
      if (names.has(folded)) throw new Misread(`it has ${text} twice`);
      names.add(folded);
      this.#space();
      if (this.#text[this.#at] !== ':') throw new Misread('it is not JSON');
      this.#at += 1;
      this.#space();
      const value = this.#value(depth + 1);
      members?.set(name, value);
      texts.push(`${text}:${value.text}`);
    });
    return { kind: 'object', text: `{${texts.join(',')}}`, members };
  }

  #array(depth: number): Value {
    const texts: string[] = [];
    this.#list(']', () => texts.push(this.#value(depth + 1).text));
    return { kind: 'array', text: `[${texts.join(',')}]` };
  }

  /** The items between this bracket or brace and the closing one. */
  #list(close: string, item: () => void): void {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      item();
      this.#space();
      const next = this.#text[this.#at];
      this.#at += 1;
      if (next === close) return;
      if (next !== ',') throw new Misread('it is not JSON');
      this.#space();
    }
  }

  #string(): Extract<Value, { kind: 'string' }> {
    const start = this.#at;
    let end = start;
    let isEscaped = true;
    while (isEscaped) {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw new Misread('it is not JSON');
      let backslashes = 0;
      while (this.#text[end - 1 - backslashes] === '\\') backslashes += 1;
      isEscaped = backslashes % 2 === 1;
    }
    this.#at = end + 1;
    const written = this.#text.slice(start, this.#at);
    const value = parsedString(written);
    if (!value.isWellFormed()) throw new Misread('it has half of a character (a lone surrogate)');
    return { kind: 'string', value, text: written.includes('\\') ? JSON.stringify(value) : written };
  }

  #space(): void {
    this.#match(WHITE_SPACE);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function parsedString(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    throw new Misread('it is not JSON');
  }
}

function messageOf(value: Value): StrictMessage {
  if (value.kind !== 'object' || !value.members) throw new Misread('a message is not an object');
  const { members, text } = value;
  const unknown = [...members.keys()].find((name) => !IN_FRAME.has(name));
  if (unknown !== undefined)
    throw new Misread(`it has a member ${JSON.stringify(unknown)} that JSON-RPC does not have`);
  const version = members.get('jsonrpc');
  if (version?.kind !== 'string' || version.value !== '2.0') throw new Misread('its "jsonrpc" is not "2.0"');
  checkId(members.get('id'));
  const bytes = Buffer.from(text);
  if (!members.has('method')) return { ...responseIn(members), bytes };
  const method = methodIn(members);
  const params = members.get('params');
  if (params !== undefined && params.kind !== 'object') throw new Misread('its "params" is not an object');
  checkParams(params?.members);
  const tool = method === 'tools/call' ? toolIn(params?.members) : undefined;
  return { kind: members.has('id') ? 'request' : 'notification', method, tool, bytes };
}

function responseIn(members: ReadonlyMap<string, Value>): Omit<StrictMessage, 'bytes'> {
  const answers = [members.get('result'), members.get('error')].filter((answer) => answer !== undefined);
  if (answers.length !== 1 || members.has('params') || !members.has('id')) {
    throw new Misread('it is neither a request nor an answer');
  }
  if (answers[0]?.kind !== 'object') throw new Misread('its "result" or "error" is not an object');
  return { kind: 'response', method: undefined, tool: undefined };
}

function methodIn(members: ReadonlyMap<string, Value>): string {
  const method = members.get('method');
  if (members.has('result') || members.has('error')) throw new Misread('it is a request and an answer at once');
  if (method?.kind !== 'string') throw new Misread('its "method" is not a string');
  const { value } = method;
  if (!METHOD.test(value)) throw new Misread(`no method can be named ${method.text}`);
  if (!KNOWN_METHODS.has(value) && FOLDED_METHODS.has(foldCase(value))) {
    throw new Misread(`the method ${method.text} is spelled unlike the protocol`);
  }
  return value;
}

/** A number stays as it is written: that a reader takes `1.0` for `1` changes only whose answer it is. */
function checkId(id: Value | undefined): void {
  if (id === undefined || id.kind === 'string' || id.kind === 'number') return;
  throw new Misread('its "id" is neither a string nor a number');
}

function checkParams(params: ReadonlyMap<string, Value> | undefined): void {
  for (const name of params?.keys() ?? []) {
    if (IN_PARAMS.has(name) || !IN_PARAMS.has(foldCase(name))) continue;
    throw new Misread(`it spells ${JSON.stringify(name)} unlike the protocol`);
  }
}

function toolIn(params: ReadonlyMap<string, Value> | undefined): string {
  const name = params?.get('name');
  if (name?.kind !== 'string') throw new Misread("the tool's name is not a string");
  if (name.value.includes(NUL)) throw new Misread("the tool's name has a NUL, at which some readers stop");
  for (const member of ['arguments', '_meta', 'task']) {
    const value = params?.get(member);
    if (value !== undefined && value.kind !== 'object') throw new Misread(`its "${member}" is not an object`);
  }
  return name.value;
}
