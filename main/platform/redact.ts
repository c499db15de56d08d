/** Replaces a secret. */
export const REDACTED = '[redacted]';

/**
 * Names under which secrets travel, in JSON, INI, addresses, headers, environment variables and command lines alike: their
 * words may be joined by `_`, by `-` or by nothing, and other words may be before them (`DATABRICKS_TOKEN`, `x-api-key`).
 */
const NAMES = `(?:${[
  'access_token|refresh_token|id_token|client_secret|code_verifier|device_code|authorization|cookie',
  'password|passwd|passphrase|secret|token|api_key|assertion|client_assertion|subject_token|mcp_session_id',
]
  .join('|')
  .replaceAll('_', '[_-]?')})`;
/** One of these names that is not the end of a longer word. */
const NAME = `(?<![a-z0-9])${NAMES}\\b`;

const RULES: [pattern: RegExp, replacement: string][] = [
  // A private key has several lines.
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g, REDACTED],
  // But not the words after a scheme's name in a sentence, or in a challenge (RFC 6750 §3).
  [
    /\b(Bearer|Basic|Negotiate|DPoP)\s+(?!(?:tokens?|auth|authentication|authorization|scheme|challenge|header|credentials|realm|error|scope|is|was|has)\b)[\w.~+/=-]{4,}/gi,
    `$1 ${REDACTED}`,
  ],
  // name=value, "name": "value", name: value, --name value; the whole of a quoted value.
  [new RegExp(`(${NAME}\\\\?["']?\\s*[=:]\\s*)\\\\?"(?:[^"\\\\]|\\\\.)*"`, 'gi'), `$1"${REDACTED}"`],
  [new RegExp(`(${NAME}["']?\\s*[=:]\\s*)'[^']*'`, 'gi'), `$1'${REDACTED}'`],
  // A header's value may have several words.
  [/(\b(?:proxy-authorization|authorization|cookie|set-cookie)\b["']?\s*[=:]\s*)[^\s"'[][^\r\n]*/gi, `$1${REDACTED}`],
  // An authorization code, and not the word for an error.
  [/([?&]code=)[^\s&"'#]+/gi, `$1${REDACTED}`],
  [/(\bcode\b["']?\s*[=:]\s*["']?)(?=[\w.~+/-]*\d)[\w.~+/=-]{12,}/g, `$1${REDACTED}`],
  [new RegExp(`(${NAME}["']?\\s*[=:]\\s*)[^\\s"'&,;}\\][]+`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(--?(?:[\\w-]{1,40}[_-])?${NAMES}\\s+)(?!-)(?:"[^"]*"|'[^']*'|[^\\s"']+)`, 'gi'), `$1${REDACTED}`],
  // scheme://user:password@host; looked for from its middle, for a search from its beginning takes long in long texts
  [/(?<=[a-z0-9+.-])(:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
  // Databricks' own kinds: personal access tokens, OAuth secrets and the like.
  [/\b(?:dapi|dkea|dose|dsapi|doseid|dpac)[0-9a-z][\w-]{6,}/gi, REDACTED],
  // JSON web tokens, signed or encrypted.
  [/\beyJ[\w-]{4,}(?:\.[\w-]*){1,4}/g, REDACTED],
];

/** Anything that long without a break is not a word: a token of an unknown kind, unless it is a plain number or a path. */
const OPAQUE = /(?<![\w/.-])[\w~+-]{32,}={0,2}(?![\w/-])/g;

/**
 * A text without what could sign anybody in: tokens, codes, passwords and keys, by how they look and by the names that stand
 * before them. Rather too much is taken out than too little; ids of users, warehouses and calls stay.
 */
export function redact(text: string): string {
  const named = redactKnown(text);
  return named.replace(OPAQUE, (run: string, at: number) =>
    looksRandom(run) && !isSpaceId(run, named.slice(Math.max(0, at - SPACE_LENGTH), at)) ? REDACTED : run,
  );
}

/** The same by known kinds and names alone: random texts of an unknown kind stay, for they may be names. */
export function redactKnown(text: string): string {
  return RULES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/** Whether a secret travels under this name. */
export function isSecretName(name: string): boolean {
  return redactKnown(`${name}=x`).endsWith(REDACTED);
}

/** A Genie space's id, as it ends the names of its server's tools. */
const SPACE_TOOL = /^(?:[a-z]+_)*space_[\da-f]{32}$/;
const SPACE_ID = /^[\da-f]{32}$/;
/** The text before the id in a sentence, a field or a URL, and its maximum length. */
const SPACE = /\bspaces?(?:[ _-]?id)?["']?(?:\s?[:=]\s?|\s)?["'“[(]?$/i;
const SPACE_LENGTH = 24;

/** Whether it is the id of a Genie space, which is no secret: only if the text says so, for a token may look the same. */
function isSpaceId(run: string, before: string): boolean {
  return SPACE_TOOL.test(run) || (SPACE_ID.test(run) && SPACE.test(before));
}

/**
 * Long names of tables and functions are words with a number here and there: `orders_by_region_and_week_2024_v2`. UUIDs have
 * letters of one case in short pieces.
 */
function looksRandom(run: string): boolean {
  const hasAllKinds = /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run);
  return hasAllKinds || run.split(/[-_~+]/).some((piece) => /^(?=.*\d)(?=.*[a-z]).{16,}/i.test(piece));
}
