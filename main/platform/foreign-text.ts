import { displayText } from './display.ts';
import { REDACTED, redact } from './redact.ts';
import type { Secret } from './secret.ts';

/** The secrets that were sent with a request and may come back in its answer: tokens, codes, client secrets. */
export type SentSecrets = readonly (Secret | string | undefined)[];

export interface ForeignTextOptions {
  /** The secrets that were sent with the request that this text answers. */
  sent?: SentSecrets;
  /** The maximum length of the result, in characters. */
  maxLength?: number;
}

/** The default maximum length. Users do not read longer text. */
const MAX_LENGTH = 600;
/** How much of a text is read, in UTF-16 units. An error shows far less. */
const MAX_READ = 8 * 1024;
/** This many letters and digits of a secret in a row count as a part of it. A shorter part is of no use. */
const PART_LENGTH = 8;
/** A secret with fewer letters and digits does not count, because it would match ordinary words. */
const MIN_SECRET_LENGTH = 4;

/**
 * A text from outside (an answer's body or header, a program's stderr, an error of the network) as it may be in an error:
 * without secrets, in one line, without control characters, and no longer than a user reads. Redacted are the secrets
 * that were sent with the request, in whole or in part, in any letter case and however they are written (with percent signs,
 * HTML entities, JSON escapes, base64, hexadecimal, tags or line ends in between), and whatever looks like a token.
 */
export function foreignText(text: string, { sent = [], maxLength = MAX_LENGTH }: ForeignTextOptions = {}): string {
  const read = text.slice(0, MAX_READ);
  return displayText(redact(withoutSecrets(read, sent)).replace(/[\p{Cc}\s]+/gu, ' '), { maxLength });
}

/** How much of a text is searched for secrets, in UTF-16 units: with what is undone for that, it takes a tenth of a second. */
const MAX_SEARCHED = 128 * 1024;

/** Whether a text repeats what was sent, as `foreignText` detects it. Assumed for text that is too long to search. */
export function holdsSecret(text: string, sent: SentSecrets): boolean {
  if (sent.every((secret) => spellingsOf(secret).length === 0)) return false;
  if (text.length > MAX_SEARCHED) return true;
  return [ENCODED_OR_TAG, ENCODED].some((encoded) => {
    for (const _part of partsOf(lettersAndDigits(decode(text, encoded)).text, sent)) return true;
    return false;
  });
}

/**
 * An error from outside as the cause of one of ours: its name, message, stack and the system's codes, and those of its
 * own causes; nothing else. The errors of HTTP and JSON parsers and of the OAuth library hold the answer itself.
 */
export function foreignCause(error: unknown, sent: SentSecrets = [], depth = 0): Error | undefined {
  if (error === undefined || error === null || depth > 8) return undefined;
  if (!(error instanceof Error)) return new Error(foreignText(String(error), { sent }));
  const inner = foreignCause(error instanceof AggregateError ? error.errors[0] : error.cause, sent, depth + 1);
  // A parser quotes the text that it could not read, which may be the beginning of a secret.
  const message = error instanceof SyntaxError ? 'The text could not be parsed.' : foreignText(error.message, { sent });
  const copy = new Error(message, inner && { cause: inner });
  copy.name = foreignText(error.name, { maxLength: 100 });
  copy.stack = [`${copy.name}: ${message}`, ...placesOf(error)].join('\n');
  return Object.assign(copy, systemCodes(error));
}

/** The stack of an error, after its message, which may have lines that look like stack frames. */
function placesOf({ stack = '', message }: Error): string[] {
  const after = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
  return after.split('\n').filter((line) => /^ {4}at /.test(line));
}

function systemCodes(error: Error): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(error)) {
    if (/^(code|syscall|hostname|address)$/.test(name) && typeof value === 'string') found[name] = foreignText(value);
    if (/^(errno|port)$/.test(name) && typeof value === 'number') found[name] = value;
  }
  return found;
}

/** A decoded text, with the position in the original of each of its UTF-16 units. */
interface Decoded {
  text: string;
  from: number[];
  to: number[];
}

/** Encodings of characters in the text that servers and gateways answer with. */
const ENCODED =
  /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});?|%[\da-f]{2}|\\u\{?[\da-f]{4}\}?|\\x[\da-f]{2}|\\["'\\/bfnrt]|[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/giu;
/** Like `ENCODED`, and also tags and comments, which HTML does not show. */
const ENCODED_OR_TAG = new RegExp(`<!--[^<>]*-->|</?[a-z][^<>]*>|${ENCODED.source}`, ENCODED.flags);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '' };
/** More levels of encoding do not happen by mistake. */
const DECODING_PASSES = 3;

function decode(text: string, encoded: RegExp): Decoded {
  let decoded: Decoded = {
    text,
    from: Array.from(text, (_, index) => index),
    to: Array.from(text, (_, index) => index + 1),
  };
  // Array.from counts code points: positions are needed for UTF-16 units.
  if (decoded.from.length !== text.length) {
    const units = text.split('');
    decoded = { text, from: units.map((_, index) => index), to: units.map((_, index) => index + 1) };
  }
  for (let pass = 0; pass < DECODING_PASSES; pass += 1) {
    const next = decodeOnce(decoded, encoded);
    if (next.text === decoded.text) break;
    decoded = next;
  }
  return decoded;
}

function decodeOnce({ text, from, to }: Decoded, encoded: RegExp): Decoded {
  const next: Decoded = { text: '', from: [], to: [] };
  const copy = (start: number, end: number) => {
    next.text += text.slice(start, end);
    for (let at = start; at < end; at += 1) {
      next.from.push(from[at] ?? 0);
      next.to.push(to[at] ?? 0);
    }
  };
  let done = 0;
  for (const match of text.matchAll(encoded)) {
    const [written] = match;
    const end = match.index + written.length;
    copy(done, match.index);
    for (const unit of meaningOf(written).split('')) {
      next.text += unit;
      next.from.push(from[match.index] ?? 0);
      next.to.push(to[end - 1] ?? 0);
    }
    done = end;
  }
  copy(done, text.length);
  return next;
}

function meaningOf(written: string): string {
  const numbered = /^(?:&#(\d+)|(?:&#x|%|\\u\{?|\\x)([\da-f]+))/i.exec(written);
  if (numbered) {
    const [, decimal, hexadecimal = ''] = numbered;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  }
  if (written.startsWith('&')) return ENTITIES[written.replace(/[&;]/g, '').toLowerCase()] ?? written;
  if (/^\\["'\\/]/.test(written)) return written.slice(1);
  // A line end or another white space between two parts of a word.
  return /^(\\[bfnrt]|\s)$/.test(written) ? ' ' : '';
}

/** Known kinds of tokens in decoded text. */
const TOKENS =
  /\b(?:dapi|dkea|dose|dsapi|doseid|dpac)[0-9a-z][\w-]{6,}|\beyJ[\w-]{4,}(?:\.[\w-]*){1,4}|(?<=\bbearer\s+)(?=\S*\d)[\w.~+/=-]{8,}/gi;
/** A personal access token, even with white space in it. */
const PERSONAL_TOKEN = /dapi[0-9a-f]{16,}/g;

/** A text of any length without what was sent and known kinds of tokens, in any encoding. The rest is as it was. */
export function withoutSecrets(text: string, sent: SentSecrets): string {
  // What looks like a tag may be a part of a word, or hold a secret in one of its attributes.
  const encodings = [ENCODED_OR_TAG, ENCODED].filter((encoded) => holdsToken(withoutEncoding(text, encoded), sent));
  if (encodings.length === 0) return text;
  const ranges = encodings.flatMap((encoded) => [...tokensIn(decode(text, encoded), sent)]);
  return cutOut(text, ranges);
}

/** A text as `decode` reads it, without the positions, which take most of the time. */
function withoutEncoding(text: string, encoded: RegExp): string {
  let decoded = text;
  for (let pass = 0; pass < DECODING_PASSES; pass += 1) {
    const next = decoded.replace(encoded, meaningOf);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

/** Whether `tokensIn` would find anything in a decoded text. */
function holdsToken(decoded: string, sent: SentSecrets): boolean {
  if (decoded.search(TOKENS) >= 0) return true;
  if (sent.map(textOf).some((value) => value.length >= MIN_SECRET_LENGTH && decoded.includes(value))) return true;
  const bare = decoded.replace(/[^a-z\d]/gi, '').toLowerCase();
  return bare.search(PERSONAL_TOKEN) >= 0 || partsOf(bare, sent).next().done !== true;
}

/** The positions in the original text of a decoded text's secrets. */
function* tokensIn(decoded: Decoded, sent: SentSecrets): Generator<[start: number, end: number]> {
  for (const match of decoded.text.matchAll(TOKENS)) {
    yield originalRange(decoded, match.index, match.index + match[0].length);
  }
  for (const value of sent.map(textOf)) {
    if (value.length < MIN_SECRET_LENGTH) continue;
    for (let at = decoded.text.indexOf(value); at >= 0; at = decoded.text.indexOf(value, at + 1)) {
      yield originalRange(decoded, at, at + value.length);
    }
  }
  const bare = lettersAndDigits(decoded);
  for (const match of bare.text.matchAll(PERSONAL_TOKEN)) {
    yield originalRange(bare, match.index, match.index + match[0].length);
  }
  for (const [start, end] of partsOf(bare.text, sent)) yield originalRange(bare, start, end);
}

/** Only the letters, in lower case, and digits: all spellings of a secret have them in common. */
function lettersAndDigits({ text, from, to }: Decoded): Decoded {
  const bare: Decoded = { text: '', from: [], to: [] };
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (!/[a-z\d]/i.test(unit)) continue;
    bare.text += unit.toLowerCase();
    bare.from.push(from[at] ?? 0);
    bare.to.push(to[at] ?? 0);
  }
  return bare;
}

/** The positions of parts of what was sent in a text of letters and digits. */
function* partsOf(text: string, sent: SentSecrets): Generator<[start: number, end: number]> {
  const parts = new Map<number, Set<string>>();
  for (const secret of sent) {
    for (const spelling of spellingsOf(secret)) {
      const length = Math.min(PART_LENGTH, spelling.length);
      if (length < MIN_SECRET_LENGTH) continue;
      const known = parts.get(length) ?? new Set();
      for (let at = 0; at + length <= spelling.length; at += 1) known.add(spelling.slice(at, at + length));
      parts.set(length, known);
    }
  }
  for (const [length, known] of parts) {
    for (let at = 0; at + length <= text.length; at += 1) {
      if (known.has(text.slice(at, at + length))) yield [at, at + length];
    }
  }
}

function textOf(secret: Secret | string | undefined): string {
  return typeof secret === 'string' ? secret : (secret?.reveal() ?? '');
}

/** The letters and digits of a secret as it is, in base64 at each of the three places where it can begin, and in hexadecimal. */
function spellingsOf(secret: Secret | string | undefined): string[] {
  const value = textOf(secret);
  const bare = (text: string) => text.replace(/[^a-z\d]/gi, '').toLowerCase();
  if (bare(value).length < MIN_SECRET_LENGTH) return [];
  const encoded = ['', 'a', 'aa'].map((before) => {
    const base64 = Buffer.from(before + value).toString('base64url');
    // The first and the last letters also depend on the text around the secret.
    return bare(base64.slice(before === '' ? 0 : before.length + 1, -2));
  });
  return [bare(value), ...encoded.filter((text) => text.length >= PART_LENGTH), Buffer.from(value).toString('hex')];
}

function originalRange({ from, to }: Decoded, start: number, end: number): [number, number] {
  return [from[start] ?? 0, to[end - 1] ?? 0];
}

function cutOut(text: string, ranges: [start: number, end: number][]): string {
  let left = '';
  let done = 0;
  let lastCutEnd = -1;
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    if (end <= done) continue;
    if (start > lastCutEnd) {
      left += text.slice(done, start) + REDACTED;
    }
    done = Math.max(done, end);
    lastCutEnd = done;
  }
  return left + text.slice(done);
}
