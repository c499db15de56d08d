import type { SentSecrets } from './foreign-text.ts';
import { REDACTED } from './redact.ts';
import { Secret } from './secret.ts';

/**
 * JSON without the tokens that were sent: a server may answer with what it was sent. They are found as they are, and in
 * what a server that does not mean to hide them would put around them: base64, in which MCP itself carries binary contents,
 * and hexadecimal. Nothing else is changed. A server that wants to hide a token can, and has it anyway (SECURITY.md).
 */
export function withoutTokens(json: Buffer, sent: SentSecrets): Buffer {
  let left = json;
  for (const token of sent) {
    for (const [spelling, instead] of spellingsOf(token)) {
      // Bytes as characters: everything else stays as it is.
      if (left.includes(spelling)) left = Buffer.from(left.toString('latin1').replaceAll(spelling, instead), 'latin1');
    }
  }
  return left;
}

type Spellings = ReadonlyMap<string, string>;

const KNOWN = new WeakMap<Secret, Spellings>();
/** Shorter strings are not tokens and would match other text; encoded, the minimum is higher. */
const MIN_LENGTH = 8;
const MIN_ENCODED_LENGTH = 16;

/** The encodings of a token and its replacements: encoded contents keep their length and can still be decoded. */
function spellingsOf(token: SentSecrets[number]): Spellings {
  if (!(token instanceof Secret)) return allSpellings(token ?? '');
  const known = KNOWN.get(token) ?? allSpellings(token.reveal());
  KNOWN.set(token, known);
  return known;
}

function allSpellings(value: string): Spellings {
  const found = new Map<string, string>();
  if (value.length >= MIN_LENGTH) found.set(value, REDACTED);
  if (value.length < MIN_ENCODED_LENGTH) return found;
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.from(' '.repeat(before) + value);
    // The first and the last characters also depend on the text around the token.
    const [start, end] = [before === 0 ? 0 : before + 1, Math.floor((bytes.length * 8) / 6)];
    for (const encoding of ['base64', 'base64url'] as const) {
      const spelling = bytes.toString(encoding).slice(start, end);
      for (const written of jsonSpellingsOf(spelling)) found.set(written, 'A'.repeat(spelling.length));
    }
  }
  const hex = Buffer.from(value).toString('hex');
  for (const spelling of [hex, hex.toUpperCase()]) found.set(spelling, '0'.repeat(spelling.length));
  return found;
}

/** JSON may have an escape for each character; PHP writes one for `/`, .NET one for `+`. */
function jsonSpellingsOf(base64: string): string[] {
  return [base64, base64.replaceAll('/', '\\/'), base64.replaceAll('+', '\\u002B')];
}
