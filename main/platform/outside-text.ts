import { type SentSecrets, withoutSecrets } from './foreign-text.ts';
import { isSecretName, REDACTED, redact, redactKnown } from './redact.ts';

/** Shorter strings hold no token. */
const MIN_LENGTH = 8;
/** How deep JSON may be in a text of JSON; what is deeper is cleared as plain text. */
const MAX_DEPTH = 8;
/** A string of JSON as it was written, and the colon behind it if it is a member's name. */
const JSON_STRING = /"((?:[^"\\]|\\.)*)"(\s*:)?/gs;
/** What may be a token in base64. */
const BASE64 = /[\w+/-]{16,}={0,2}/g;

/**
 * A text from outside as it may be kept: without the secrets that were sent, and without what looks like a token, a password
 * or a key, however it is written (with percent signs, JSON escapes, HTML entities, base64). Every text that is kept goes
 * through this one function or `clearedJson`; `outside-file.ts` applies them.
 */
export function clearedText(text: string, sent: SentSecrets = []): string {
  return redact(withoutEncoded(text, sent));
}

/**
 * The same for JSON, or several JSON texts in lines: strings are read as JSON readers do, and a member with a secret's name
 * loses its text; a member named in `own` keeps it. What holds nothing secret stays as it was written, byte for byte.
 */
export function clearedJson(json: string, sent: SentSecrets = [], own: readonly string[] = []): string {
  return clearedStrings(json, sent, own, 0);
}

function clearedStrings(json: string, sent: SentSecrets, own: readonly string[], depth: number): string {
  let member = '';
  return json.replace(JSON_STRING, (written: string, inner: string, colon: string | undefined) => {
    const of = member;
    member = '';
    const value = meaningOf(inner);
    if (colon !== undefined) member = value;
    else if (own.includes(of)) return written;
    if (colon === undefined && isSecretName(of) && value !== '') return JSON.stringify(REDACTED);
    const cleared = clearedValue(value, of, sent, depth);
    return cleared === value ? written : `${JSON.stringify(cleared)}${colon ?? ''}`;
  });
}

/** @param of the member that holds it */
function clearedValue(value: string, of: string, sent: SentSecrets, depth: number): string {
  if (value.length < MIN_LENGTH) return value;
  if (depth < MAX_DEPTH && isJson(value)) return clearedStrings(value, sent, [], depth + 1);
  // A tool's name may be long and full of digits.
  return of === 'name' ? redactKnown(withoutEncoded(value, sent)) : clearedText(value, sent);
}

/** Whether a text is an object or a list of JSON: whole frames are stored as texts, and tools answer with texts of JSON. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function meaningOf(inner: string): string {
  if (!inner.includes('\\')) return inner;
  try {
    const value: unknown = JSON.parse(`"${inner}"`);
    return typeof value === 'string' ? value : inner;
  } catch {
    // Not JSON: the escapes are undone with the others.
    return inner;
  }
}

function withoutEncoded(text: string, sent: SentSecrets): string {
  const left = withoutSecrets(text, sent);
  return left.replace(BASE64, (run) => (isEncodedToken(run) ? REDACTED : run));
}

function isEncodedToken(run: string): boolean {
  const decoded = Buffer.from(run, 'base64').toString('latin1');
  return /^[\t\n\r\x20-\x7e]{8,}$/.test(decoded) && redactKnown(decoded) !== decoded;
}
