/** A range of bytes: from `start` up to, but not including, `end`. */
export interface Span {
  start: number;
  end: number;
}

/** A member of an object, from its name's first character to its value's last one. */
interface ScannedMember extends Span {
  /** Its name, where it is one of the entries; of all others, nobody asks for it. */
  name: string | undefined;
}

/** What one pass over a JSON document finds. Positions are those of bytes. */
export interface JsonScan {
  /** Where the root value begins; undefined if the document is blank. */
  root: number | undefined;
  rootIsObject: boolean;
  /** The members beside the way to the entries, and the entries themselves, in order. */
  members: ScannedMember[];
  /**
   * Of members beside the way that follow each other in one object: all from the first one's value to the last but one's, and the
   * last one's value. Where a member is added, it is written like the last one.
   */
  runs: Span[];
  /** How many bytes the entries have, and other values under the keys that lead to them. */
  keptBytes: number;
  comments: boolean;
  trailingCommas: boolean;
}

/** Why a document is no JSON, in the parser's words for it (`jsonc-parser`, ParseErrorCode), or that it has too many levels. */
export type ScanFault = { code: string; offset: number } | 'too deep';

/** Thrown by `scanJson`. */
export class ScanError extends Error {
  readonly fault: ScanFault;

  constructor(fault: ScanFault) {
    super('not JSON');
    this.fault = fault;
  }
}

/** The maximum nesting of a document. No client's file has thirty. */
const MAX_LEVELS = 300;

/** An object that may lie on the way to the entries. */
interface Way {
  next: Map<string, Way>;
  holdsEntries: boolean;
}

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, STAR, PLUS, COMMA, MINUS, DOT, SLASH] = [
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f,
];
const [ZERO, NINE, COLON, OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [
  0x30, 0x39, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
];
const [SMALL_E, SMALL_U] = [0x65, 0x75];
/** What sets the case of an ASCII letter. */
const CASE_BIT = 0x20;
const MARK = [0xef, 0xbb, 0xbf];
const ESCAPES = new Set([...'"\\/bfnrtu'].map((character) => character.charCodeAt(0)));
const ENDS_WORD = new Set([...' \t\r\n",/:{}[]'].map((character) => character.charCodeAt(0)));
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** The number of bytes of a byte order mark at the beginning. */
export function markLength(bytes: Buffer): number {
  return MARK.every((byte, at) => bytes[at] === byte) ? MARK.length : 0;
}

/**
 * Reads a JSON document once, byte by byte, without building anything of it, at some 200 MB a second. Comments and a comma after the
 * last item are allowed. It is valid UTF-8.
 * @param keys the paths from the root to the objects that hold entries
 * @throws {ScanError} at the first fault
 */
export function scanJson(bytes: Buffer, keys: readonly (readonly string[])[]): JsonScan {
  const scan = new Scanner(bytes);
  return scan.document(wayTo(keys));
}

function wayTo(keys: readonly (readonly string[])[]): Way {
  const root: Way = { next: new Map(), holdsEntries: false };
  for (const key of keys) {
    let way = root;
    for (const name of key) {
      const next = way.next.get(name) ?? { next: new Map(), holdsEntries: false };
      way.next.set(name, next);
      way = next;
    }
    way.holdsEntries = true;
  }
  return root;
}

class Scanner {
  readonly #bytes: Buffer;
  readonly #length: number;
  #at: number;
  readonly #found: JsonScan = {
    root: undefined,
    rootIsObject: false,
    members: [],
    runs: [],
    keptBytes: 0,
    comments: false,
    trailingCommas: false,
  };

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#length = bytes.length;
    this.#at = markLength(bytes);
  }

  document(way: Way): JsonScan {
    const found = this.#found;
    let next = this.#next();
    if (next === undefined) return found.comments ? this.#refuse('ValueExpected') : found;
    found.root = this.#at;
    found.rootIsObject = next === OPEN_BRACE;
    this.#value(next, way, 0);
    next = this.#next();
    if (next !== undefined) this.#misplaced('EndOfFileExpected');
    return found;
  }

  /** The next byte that is neither white space nor in a comment; undefined at the end. */
  #next(): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    for (;;) {
      const byte = bytes[at];
      if (byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB) {
        at += 1;
        continue;
      }
      this.#at = at;
      if (byte !== SLASH) return byte;
      at = this.#commentEnd(at);
    }
  }

  #commentEnd(start: number): number {
    const kind = this.#bytes[start + 1];
    if (kind === SLASH) {
      this.#found.comments = true;
      let at = start + 2;
      while (at < this.#length && this.#bytes[at] !== LINE_FEED && this.#bytes[at] !== RETURN) at += 1;
      return at;
    }
    if (kind !== STAR) this.#refuse('InvalidSymbol');
    this.#found.comments = true;
    const end = this.#bytes.indexOf('*/', start + 2, 'latin1');
    if (end < 0) this.#refuse('UnexpectedEndOfComment');
    return end + 2;
  }

  /** Passes over the value that begins with this byte. */
  #value(first: number | undefined, way: Way | undefined, level: number): void {
    if (first === QUOTE) this.#string();
    else if (first === OPEN_BRACE) this.#object(way, level);
    else if (first === OPEN_BRACKET) this.#array(level);
    else if (first === MINUS || isDigit(first)) this.#number();
    else if (first === undefined || [COMMA, COLON, CLOSE_BRACE, CLOSE_BRACKET].includes(first))
      this.#refuse('ValueExpected');
    else this.#word();
  }

  #object(way: Way | undefined, level: number): void {
    this.#descend(level);
    const beside: Span[] = [];
    for (let isFirst = true; ; isFirst = false) {
      const next = this.#nextMember(isFirst, CLOSE_BRACE, 'CloseBraceExpected');
      if (next === CLOSE_BRACE) break;
      if (next !== QUOTE) this.#misplaced(isFirst ? insteadOfFirst(next) : 'PropertyNameExpected');
      if (way) this.#member(way, level, beside);
      else {
        this.#name();
        this.#value(this.#next(), undefined, level + 1);
      }
    }
    this.#endRun(beside);
    this.#at += 1;
  }

  /** The first byte of the next member or item, after its comma, or the byte that closes what it is in. */
  #nextMember(isFirst: boolean, close: number | undefined, notClosed: string): number | undefined {
    const next = this.#next();
    if (isFirst || next === close) return next;
    if (next !== COMMA) this.#misplaced(next === undefined ? notClosed : 'CommaExpected');
    this.#at += 1;
    const after = this.#next();
    if (after === close) this.#found.trailingCommas = true;
    return after;
  }

  /** Passes over a member's name and colon. Returns the position after the name. */
  #name(): number {
    this.#string();
    const end = this.#at;
    if (this.#next() !== COLON) this.#misplaced('ColonExpected');
    this.#at += 1;
    return end;
  }

  /**
   * Passes over a member of an object that may lie on the way to the entries: it leads on to them, is one, or is beside them.
   * @param beside the values of the members beside the way since the last one that was not
   */
  #member(way: Way, level: number, beside: Span[]): void {
    const found = this.#found;
    const start = this.#at;
    const name = this.#nameOf(start, this.#name());
    const first = this.#next();
    const value = this.#at;
    const inner = way.next.get(name);
    this.#value(first, inner, level + 1);
    const end = this.#at;
    if (!inner) found.members.push({ start, end, name: way.holdsEntries ? name : undefined });
    if (!inner && !way.holdsEntries) {
      beside.push({ start: value, end });
      return;
    }
    this.#endRun(beside);
    if (!inner || first !== OPEN_BRACE) found.keptBytes += end - start;
  }

  /** Adds what `runs` holds of these values, and forgets them. */
  #endRun(beside: Span[]): void {
    const first = beside[0];
    const last = beside.pop();
    const lastButOne = beside.at(-1);
    if (first && lastButOne) this.#found.runs.push({ start: first.start, end: lastButOne.end });
    if (last) this.#found.runs.push(last);
    beside.length = 0;
  }

  #array(level: number): void {
    this.#descend(level);
    for (let isFirst = true; ; isFirst = false) {
      const next = this.#nextMember(isFirst, CLOSE_BRACKET, 'CloseBracketExpected');
      if (next === CLOSE_BRACKET) break;
      if (isFirst && next === undefined) this.#refuse('CloseBracketExpected');
      this.#value(next, undefined, level + 1);
    }
    this.#at += 1;
  }

  #descend(level: number): void {
    if (level > MAX_LEVELS) throw new ScanError('too deep');
    this.#at += 1;
  }

  #string(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        at = this.#escapeEnd(start, at);
        continue;
      }
      if (byte === undefined || byte < SPACE) {
        const isEnd = byte === undefined || byte === LINE_FEED || byte === RETURN;
        this.#refuse(isEnd ? 'UnexpectedEndOfString' : 'InvalidCharacter', start);
      }
      at += 1;
    }
    this.#at = at + 1;
  }

  #escapeEnd(start: number, at: number): number {
    const kind = this.#bytes[at + 1];
    if (kind === undefined) this.#refuse('UnexpectedEndOfString', start);
    if (!ESCAPES.has(kind)) this.#refuse('InvalidEscapeCharacter', start);
    if (kind !== SMALL_U) return at + 2;
    if (!/^[0-9a-f]{4}$/i.test(this.#bytes.toString('latin1', at + 2, at + 6))) this.#refuse('InvalidUnicode', start);
    return at + 6;
  }

  #number(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    if (bytes[this.#at] === MINUS) this.#at += 1;
    if (!isDigit(bytes[this.#at])) this.#refuse('InvalidSymbol', start);
    if (bytes[this.#at] === ZERO) this.#at += 1;
    else this.#digits(start);
    if (bytes[this.#at] === DOT) {
      this.#at += 1;
      this.#digits(start);
    }
    if (((bytes[this.#at] ?? 0) | CASE_BIT) !== SMALL_E) return;
    this.#at += 1;
    if (bytes[this.#at] === PLUS || bytes[this.#at] === MINUS) this.#at += 1;
    this.#digits(start);
  }

  #digits(start: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (isDigit(bytes[at])) at += 1;
    if (at === this.#at) this.#refuse('UnexpectedEndOfNumber', start);
    this.#at = at;
  }

  #word(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let end = start;
    while (isPartOfWord(bytes[end])) end += 1;
    const word = bytes.subarray(start, end);
    if (!WORDS.some((each) => each.equals(word))) this.#refuse('InvalidSymbol', start);
    this.#at = end;
  }

  #nameOf(start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end);
    return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
  }

  /** What stands there begins something else than it should. If it is nothing at all, it is reported as that. */
  #misplaced(code: string): never {
    const start = this.#at;
    const first = this.#bytes[start];
    if (first === QUOTE) this.#string();
    else if (first === MINUS || isDigit(first)) this.#number();
    else if (isPartOfWord(first)) this.#word();
    return this.#refuse(code, start);
  }

  #refuse(code: string, offset = this.#at): never {
    throw new ScanError({ code, offset });
  }
}

/** What is missing where an object's first member, or its end, should be. */
function insteadOfFirst(byte: number | undefined): string {
  if (byte === undefined) return 'CloseBraceExpected';
  return byte === COMMA ? 'ValueExpected' : 'PropertyNameExpected';
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** Whether a byte continues a word: all but white space and what has a meaning of its own. */
function isPartOfWord(byte: number | undefined): boolean {
  return byte !== undefined && !ENDS_WORD.has(byte);
}
